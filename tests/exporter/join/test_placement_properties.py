"""Whatever pods and objects say, placement is bounded, and no order of inputs changes it."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.join.namespaces import NamespaceMemory
from gpuatlas.join.owner_table import OWNERS
from gpuatlas.join.owners import LABEL, OWNER, climb, identify
from gpuatlas.join.placement import PlacementInputs, place
from gpuatlas.join.placement_index import index_placement, told_owners
from gpuatlas.model.objects import Owner, OwnerLink, Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.placement import GangTemplates, PlacementObjects, Waiting
from gpuatlas.model.pod_spec import Gang, PodScheduling
from gpuatlas_harness.observed import NOW, a_node, a_pod, observations
from gpuatlas_harness.placed import a_bind, a_group, a_pod_set, a_queue, a_queued, held_workloads

KINDS = sorted({row.kind for row in OWNERS} | {kind for row in OWNERS for kind in row.below})
LABELS = sorted({key for row in OWNERS for key in row.labels})
names = st.sampled_from(["a", "b", "c", "rag-x7k2p"])
uids = st.sampled_from(["u0", "u1", "u2", "pod-p0", "pod-p1", ""])
kinds = st.sampled_from([*KINDS, ("", "Node"), ("x.example", "Thing")])
owners = st.builds(
    lambda kind, name, uid: Owner(api_group=kind[0], kind=kind[1], name=name, uid=uid),
    kinds,
    names,
    uids,
)
label_values = st.sampled_from(["", "a", "b", "rag-x7k2p", "true", "yes", "llminferenceservice"])
labels = st.dictionaries(
    st.sampled_from(
        [
            *LABELS,
            *("pod-template-hash", "ray.io/serve", "app.kubernetes.io/part-of", "queue"),
            *("grove.io/podclique", "trainer.kubeflow.org/trainjob-ancestor-step"),
            *("kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/pod-group-name", "kai.scheduler/queue"),
            *("scheduling.x-k8s.io/pod-group", "training.kubeflow.org/operator-name"),
        ]
    ),
    label_values,
    max_size=6,
)
notes = st.dictionaries(
    st.sampled_from(
        [
            *("hami.io/vgpu-node", "volcano.sh/vgpu-node", "received-resource-type"),
            *("scheduling.k8s.io/group-name", "pod-group-name", "kueue.x-k8s.io/workload"),
            *("kubernetes.io/config.mirror", "kueue.x-k8s.io/pod-group-name"),
        ]
    ),
    st.sampled_from(["a", "b", "gpu-a", ""]),
    max_size=4,
)
texts = st.text(max_size=250)
waits = st.builds(Waiting, reason=st.sampled_from(["", "KaiOverLimit", "KueuePending"]), text=texts)
schedulings = st.builds(
    PodScheduling,
    gates=st.lists(texts, max_size=2).map(tuple),
    cause=st.sampled_from(["", "Unschedulable", "InsufficientDevices"]),
    message=texts,
    native_group=names,
    native_workload=names,
    native_template=names,
    gangs=st.lists(
        st.builds(Gang, system=names, name=names, minimum=st.integers(2, 9)), max_size=2
    ).map(tuple),
    placeholder=st.booleans(),
)


@st.composite
def pods(draw: st.DrawFn, name: str) -> Pod:
    return a_pod(
        name,
        draw(st.sampled_from(["gpu-a", ""])),
        phase=draw(st.sampled_from(["Pending", "Running", "Succeeded", "Failed"])),
        scheduler=draw(st.sampled_from(["default-scheduler", "volcano", "kai-scheduler", "mine"])),
        waiting_reason=draw(st.sampled_from(["", "Unschedulable", "SchedulerError", "x"])),
        created_at=NOW - draw(st.integers(-100, 100)),
        labels=draw(labels),
        annotations=draw(notes),
        controller=draw(st.one_of(st.none(), owners)),
        scheduling=draw(schedulings),
    )


@st.composite
def links(draw: st.DrawFn, uid: str) -> OwnerLink:
    kind = draw(kinds)
    return OwnerLink(
        uid=uid,
        api_group=kind[0],
        kind=kind[1],
        namespace="team-a",
        name=draw(names),
        controller=draw(st.one_of(st.none(), owners)),
    )


@st.composite
def placement_objects(draw: st.DrawFn) -> PlacementObjects:
    workloads = [
        a_queued(
            name,
            *(
                a_pod_set(draw(st.integers(0, 9)), draw(st.integers(0, 9)))
                for _ in range(draw(st.integers(1, 2)))
            ),
            owner=draw(st.one_of(st.none(), owners)),
            waiting=draw(waits),
            waiting_since=NOW - draw(st.integers(-100, 100)),
            cluster_queue=draw(st.sampled_from(["", "c"])),
        )
        for name in draw(st.sets(names))
    ]
    groups = [
        a_group(
            system,
            name,
            draw(st.one_of(st.none(), st.integers(0, 9))),
            queue=draw(st.sampled_from(["", "q"])),
            waiting=draw(waits),
            top_owner=draw(st.one_of(st.none(), owners)),
        )
        for system in ("native", "volcano", "kai", "coscheduling")
        for name in draw(st.sets(names, max_size=2))
    ]
    template = GangTemplates(uid="t", namespace="team-a", name="a", minimums={"a": 4, "b": None})
    return PlacementObjects(
        workloads={w.uid: w for w in workloads},
        queues={q.uid: q for q in (a_queue("LocalQueue", "research", "c"),)},
        groups={g.uid: g for g in groups},
        templates={"t": template},
        binds={"b": a_bind("p0")},
    )


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_an_owner_that_is_known_is_never_overruled(data: st.DataObject) -> None:
    known = {
        uid: data.draw(links(uid)) for uid in data.draw(st.sets(st.sampled_from(["u0", "u1"])))
    }
    first, second = data.draw(pods("p0")), data.draw(pods("p1"))
    by_uid = {pod.uid: pod for pod in (first, second)}
    told = data.draw(st.lists(owners, max_size=2))
    identity = identify(first, known, by_uid, told=told)
    chain = climb(first.controller, known, by_uid)
    assert identity.workload.namespace == first.namespace
    assert identity.workload.name
    assert len(chain.owners) <= 10
    if chain.complete:
        assert identity.source == OWNER
        bare = a_pod("p0", first.node, controller=first.controller)
        assert identify(bare, known, by_uid).workload == identity.workload
    if identity.source == LABEL:
        kind = (identity.workload.api_group, identity.workload.kind)
        last = chain.owners[-1]
        assert any(row.kind == kind and (last.api_group, last.kind) in row.below for row in OWNERS)


@settings(deadline=None, max_examples=150)
@given(st.data(), st.randoms(use_true_random=False))
def test_placement_is_bounded_and_knows_no_order(
    data: st.DataObject, shuffler: random.Random
) -> None:
    all_pods = [data.draw(pods(f"p{n}")) for n in range(data.draw(st.integers(0, 4)))]
    objects = data.draw(placement_objects())
    known = {"u0": data.draw(links("u0"))}
    given_inputs = PlacementInputs(
        index=index_placement(objects),
        owners=known,
        pods={pod.uid: pod for pod in all_pods},
    )
    placement = place(all_pods, given_inputs, NOW)
    held = held_workloads(given_inputs, all_pods, NOW)
    for wait in [*placement.waiting.values(), *(w for h in held for w in h.waiting.values())]:
        assert wait.seconds is not None
        assert wait.seconds >= 0
        assert len(wait.text) <= 200
        assert wait.text.isprintable()
    assert placement.gang is None or placement.gang.minimum >= 2
    assert (placement.gang is None) == (placement.gangs == 0)
    assert bool(placement.queue.name) == bool(placement.queue.kind)
    assert all(h.pods > 0 and all(n > 0 for n in h.requested.values()) for h in held)
    for pod in all_pods:
        told_owners(pod, given_inputs.index)

    shuffled = all_pods.copy()
    shuffler.shuffle(shuffled)
    again = PlacementInputs(
        index=index_placement(
            PlacementObjects(
                workloads=dict(reversed(list(objects.workloads.items()))),
                queues=objects.queues,
                groups=dict(reversed(list(objects.groups.items()))),
                templates=objects.templates,
                binds=objects.binds,
            )
        ),
        owners=known,
        pods=given_inputs.pods,
    )
    assert place(shuffled, again, NOW) == placement
    assert held_workloads(again, shuffled, NOW) == held


@st.composite
def instants(draw: st.DrawFn) -> list[Observations]:
    """A cluster at several instants: between two of them any of its parts may stay as it was."""
    found: list[Observations] = []
    for step in range(draw(st.integers(2, 3))):
        kept = found[-1] if step > 0 and draw(st.booleans()) else None
        all_pods = [draw(pods(f"p{n}")) for n in range(draw(st.integers(0, 3)))]
        known = draw(st.one_of(st.just({}), links("u0").map(lambda link: {"u0": link})))
        fresh = observations([a_node()], all_pods, owners=known)
        base = kept or fresh
        changed = draw(st.booleans())
        found.append(
            replace(
                base,
                now=NOW + 30 * step,
                placement=draw(placement_objects()) if changed or not kept else kept.placement,
                owners=fresh.owners if changed else base.owners,
            )
        )
    return found


@settings(deadline=None, max_examples=60)
@given(instants())
def test_what_was_joined_before_changes_no_result(given_instants: list[Observations]) -> None:
    memory = NamespaceMemory()
    for seen in given_instants:
        assert memory.join(seen) == NamespaceMemory().join(seen)
