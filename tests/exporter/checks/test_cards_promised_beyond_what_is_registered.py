"""S14, over-schedulable: what HAMi would never do, from the annotations alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.books import inconsistent
from gpuatlas.model.checks import Finding, InputState
from gpuatlas.model.devices import RegisteredDevice
from gpuatlas.model.objects import Pod
from gpuatlas.sources.hami.annotations import read_node
from gpuatlas_harness.checked_books import a_book, a_layer, a_tenant, in_books
from gpuatlas_harness.checked_layers import a_checked_cluster, a_plugin_pod, a_shared_node, signals
from gpuatlas_harness.observed import a_container, a_device, a_node, a_promise, uuid


def judged(*pods: Pod, device: RegisteredDevice | None = None) -> list[str]:
    """The signals where the books say nothing of memory."""
    node = a_shared_node("gpu-a", device or a_device(1))
    books = (a_book(in_books(None)),)
    context = a_checked_cluster([node], [a_plugin_pod(), *pods], layer=a_layer(), schedulers=books)
    return signals(inconsistent(context))


def test_more_memory_than_registered_is_told_with_the_promises() -> None:
    pods = [a_tenant("a", 20_000, 30), a_tenant("b", 14_543, 30)]
    context = a_checked_cluster(
        [a_shared_node()],
        [a_plugin_pod(), *pods],
        layer=a_layer(),
        schedulers=(a_book(in_books(34_543)),),
    )
    result = inconsistent(context)
    assert result.findings == (
        Finding(
            check="S14",
            signal="over-schedulable",
            object="Node/gpu-a",
            node="gpu-a",
            card=uuid(1),
            source="pod annotations hami.io/vgpu-devices-allocated",
            record="MiB 34543 of 34542: "
            f"team-a/a {uuid(1)},NVIDIA,20000,30; team-a/b {uuid(1)},NVIDIA,14543,30",
        ),
    )
    assert (result.state, result.missing) == (InputState.OK, ())
    assert result.nodes == (("gpu-a", InputState.OK),)


def test_more_than_the_card_has_is_how_scaling_works() -> None:
    assert judged(a_tenant("a", 20_000, 30), a_tenant("b", 14_542, 30)) == []


def test_more_cores_than_registered() -> None:
    assert judged(a_tenant("a", 100, 60), a_tenant("b", 100, 40)) == []
    assert judged(a_tenant("a", 100, 60), a_tenant("b", 100, 41)) == ["over-schedulable"]


def test_more_tenants_than_slots() -> None:
    tenants = [a_tenant(f"t{number}", 100, 1) for number in range(11)]
    assert judged(*tenants[:10]) == []
    assert judged(*tenants) == ["over-schedulable"]


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_promises_of_ended_pods_do_not_count(phase: str) -> None:
    ended = a_tenant("b", 30_000, 90, phase=phase)
    assert judged(a_tenant("a", 30_000, 90), ended) == []


def test_pods_that_no_node_has_taken_do_not_count() -> None:
    waiting = replace(a_tenant("b", 30_000, 90), node="", phase="Pending")
    assert judged(a_tenant("a", 30_000, 90), waiting) == []


def test_a_promise_for_another_node_holds_nothing_here() -> None:
    moved = a_tenant("b", 30_000, annotations={"hami.io/vgpu-node": "gpu-z"})
    assert judged(a_tenant("a", 30_000, 10), moved) == []


def init_and_main(*promised: tuple[str, int]) -> Pod:
    containers = (a_container("first", kind="init"), a_container("main"))
    pod = a_tenant("a", 1, containers=containers)
    promises = tuple(a_promise(uuid(1), mib, 10, container=name) for name, mib in promised)
    return replace(pod, promises=promises)


def test_an_init_container_gives_back_what_it_held() -> None:
    assert judged(init_and_main(("first", 34_542), ("main", 34_542))) == []
    assert judged(init_and_main(("first", 34_543), ("main", 1))) == ["over-schedulable"]


def test_promises_that_may_be_an_init_containers_are_not_added_up() -> None:
    assert judged(init_and_main(("", 34_542), ("", 34_542))) == []


def test_containers_of_one_pod_are_added_up() -> None:
    containers = (a_container("main"), a_container("other"))
    pod = a_tenant("a", 1, containers=containers)
    promises = (a_promise(uuid(1), 20_000), a_promise(uuid(1), 20_000, container="other"))
    assert judged(replace(pod, promises=promises)) == ["over-schedulable"]


def test_templates_of_a_card_in_mig_mode_are_the_hardwares_matter() -> None:
    # An H100 of 81,559 MiB takes two instances of 40,960.
    card = a_device(1, memory_bytes=81_559 * 1024 * 1024, mode="mig", slots=7)
    halves = [a_tenant(name, 40_960) for name in ("a", "b")]
    assert judged(*halves, device=card) == []


def test_promises_of_hard_partitions_are_not_added_up() -> None:
    slots = [
        replace(a_tenant(name, 1), promises=(a_promise(uuid(1), 40_960, partition=f"1g-{name}"),))
        for name in ("a", "b")
    ]
    assert judged(*slots) == []


def test_what_nobody_registered_limits_nothing() -> None:
    card = a_device(1, memory_bytes=None, cores=None, slots=None)
    assert judged(a_tenant("a", 90_000, 900), device=card) == []


def test_it_does_not_apply_without_a_layer() -> None:
    result = inconsistent(a_checked_cluster([a_node()], layer=a_layer()))
    assert (result.state, result.findings, result.nodes) == (InputState.NOT_APPLICABLE, (), ())


def test_cards_that_hami_would_make_up_of_a_capacity_prove_no_hami() -> None:
    capacity = {"metax-tech.com/gpu": 4}
    registrations, _ = read_node("gpu-a", {}, capacity)
    node = a_node("gpu-a", *registrations, capacity=capacity)
    assert len(registrations[0].devices) == 4
    result = inconsistent(a_checked_cluster([node], layer=a_layer()))
    assert result.state is InputState.NOT_APPLICABLE
