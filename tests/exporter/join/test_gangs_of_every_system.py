"""facts/k8s.md 3.3: a gang has a minimum above one, and somebody sees to it."""

from __future__ import annotations

import pytest

from gpuatlas.join.placement import place
from gpuatlas.model.placement import GangTemplates, Waiting
from gpuatlas.model.pod_spec import Gang, PodScheduling
from gpuatlas_harness.observed import NOW, a_pod
from gpuatlas_harness.placed import Placeable, a_group, a_pod_set, a_queued, inputs

NOTHING = PodScheduling()
TEMPLATES = GangTemplates(
    uid="t", namespace="team-a", name="train", minimums={"workers": 8, "driver": None}
)
OWN = Gang(system="koordinator", name="own", minimum=3)
ADMITTED = {"waiting": Waiting(), "cluster_queue": "shared"}


@pytest.mark.parametrize(
    ("labels", "annotations", "scheduling", "given", "expected"),
    [
        pytest.param(
            {},
            {"scheduling.k8s.io/group-name": "pg"},
            NOTHING,
            (a_group("volcano"),),
            ("volcano", "pg", 4),
            id="Volcano",
        ),
        pytest.param(
            {},
            {"scheduling.volcano.sh/group-name": "pg"},
            NOTHING,
            (a_group("volcano"),),
            ("volcano", "pg", 4),
            id="Volcano's own key",
        ),
        pytest.param(
            {}, {"pod-group-name": "pg"}, NOTHING, (a_group("kai"),), ("kai", "pg", 4), id="KAI"
        ),
        pytest.param(
            {"scheduling.x-k8s.io/pod-group": "pg"},
            {},
            NOTHING,
            (a_group("coscheduling"),),
            ("coscheduling", "pg", 4),
            id="coscheduling",
        ),
        pytest.param(
            {"pod-group.scheduling.sigs.k8s.io/name": "pg"},
            {},
            NOTHING,
            (a_group("coscheduling"),),
            ("coscheduling", "pg", 4),
            id="coscheduling's old key",
        ),
        pytest.param(
            {},
            {},
            PodScheduling(native_group="pg"),
            (a_group("native"),),
            ("native", "pg", 4),
            id="Kubernetes 1.36",
        ),
        pytest.param(
            {},
            {},
            PodScheduling(native_workload="train", native_template="workers"),
            (TEMPLATES,),
            ("native", "train/workers", 8),
            id="Kubernetes 1.35",
        ),
        pytest.param({}, {}, PodScheduling(gangs=(OWN,)), (), ("koordinator", "own", 3), id="own"),
        pytest.param(
            {},
            {"kueue.x-k8s.io/workload": "job-train-1"},
            NOTHING,
            (a_queued("job-train-1", a_pod_set(1), a_pod_set(5, minimum=3), **ADMITTED),),
            ("kueue", "job-train-1", 4),
            id="Kueue, with a pod set that may be smaller",
        ),
        pytest.param(
            {},
            {"scheduling.k8s.io/group-name": "pg", "kueue.x-k8s.io/workload": "job-train-1"},
            PodScheduling(gangs=(OWN,)),
            (a_group("volcano"), a_queued("job-train-1", a_pod_set(9))),
            ("volcano", "pg", 4),
            id="the scheduler's group stands first",
        ),
        pytest.param(
            {},
            {"pod-group-name": "pg"},
            PodScheduling(gangs=(OWN,)),
            (a_group("kai", minimum=1),),
            ("koordinator", "own", 3),
            id="a group of one proves nothing against another",
        ),
    ],
)
def test_gangs(
    labels: dict[str, str],
    annotations: dict[str, str],
    scheduling: PodScheduling,
    given: tuple[Placeable, ...],
    expected: tuple[str, str, int],
) -> None:
    pod = a_pod(labels=labels, annotations=annotations, scheduling=scheduling)
    placement = place([pod], inputs(*given), NOW)
    system, name, minimum = expected
    assert placement.gang == Gang(system=system, name=name, minimum=minimum)
    assert placement.gangs == 1


@pytest.mark.parametrize(
    ("annotations", "scheduling", "given"),
    [
        pytest.param({"pod-group-name": "pg"}, NOTHING, (), id="a group that cannot be read"),
        pytest.param({"pod-group-name": "pg"}, NOTHING, (a_group("volcano"),), id="of another"),
        pytest.param({"pod-group-name": "pg"}, NOTHING, (a_group("kai", minimum=1),), id="of one"),
        pytest.param(
            {},
            PodScheduling(native_group="pg"),
            (a_group("native", minimum=None),),
            id="the basic policy",
        ),
        pytest.param(
            {},
            PodScheduling(native_workload="train", native_template="driver"),
            (TEMPLATES,),
            id="a template with the basic policy",
        ),
        pytest.param(
            {},
            PodScheduling(native_workload="train", native_template="gone"),
            (TEMPLATES,),
            id="no such template",
        ),
        pytest.param(
            {"pod-group-name": "pg"},
            NOTHING,
            (a_group("kai", namespace="team-b"),),
            id="of another namespace",
        ),
        pytest.param(
            {"kueue.x-k8s.io/workload": "job-train-1"},
            NOTHING,
            (a_queued("job-train-1", a_pod_set(1)),),
            id="a Workload of one pod",
        ),
        pytest.param({}, NOTHING, (a_group("kai"), a_group("volcano")), id="nobody's"),
    ],
)
def test_what_is_no_gang(
    annotations: dict[str, str], scheduling: PodScheduling, given: tuple[Placeable, ...]
) -> None:
    pod = a_pod(annotations=annotations, scheduling=scheduling)
    placement = place([pod], inputs(*given), NOW)
    assert (placement.gang, placement.gangs) == (None, 0)


def test_of_several_gangs_the_largest_is_shown() -> None:
    pods = [a_pod(f"p{n}", annotations={"pod-group-name": f"pg-{n % 3}"}) for n in range(6)]
    given = (a_group("kai", "pg-0", 2), a_group("kai", "pg-1", 5), a_group("kai", "pg-2", 5))
    placement = place(pods, inputs(*given), NOW)
    assert placement.gang == Gang(system="kai", name="pg-1", minimum=5)
    assert placement.gangs == 3


def test_placeholders_are_counted_apart() -> None:
    holder = PodScheduling(placeholder=True)
    pods = [
        a_pod("driver"),
        a_pod("tg-0", scheduling=holder),
        a_pod("tg-1", scheduling=holder),
        a_pod("tg-2", scheduling=holder, phase="Succeeded"),
    ]
    assert place(pods, inputs(), NOW).placeholders == 2
