"""What each shard of an exporter says of the checks."""

from __future__ import annotations

from dataclasses import replace

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.checks import CheckReport, InputState
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.observations import Observations
from gpuatlas.runtime.checking import CLUSTER, Checker
from gpuatlas.runtime.scope import Scope, Shard
from gpuatlas_harness.checked_books import a_layer, a_lease, a_tenant
from gpuatlas_harness.judged_books import Tripping, judged, seen_books

NODES = ("gpu-a", "gpu-b", "gpu-c", "gpu-d", "gpu-e")


def parts(inputs: Observations, count: int) -> list[CheckReport]:
    return [judged(inputs, Scope(Shard(index, count))) for index in range(count)]


def test_each_finding_is_published_by_one_shard() -> None:
    inputs = seen_books(*NODES, layer=a_layer(leases=(a_lease(999.0),)))
    whole = judged(inputs, Scope())
    shards = parts(inputs, 3)
    together = [finding for part in shards for finding in part.findings]
    assert sorted(together, key=repr) == sorted(whole.findings, key=repr)
    assert len(together) == 6
    for index, part in enumerate(shards):
        shard = Shard(index, 3)
        assert all(shard.owns(finding.node or CLUSTER) for finding in part.findings)
        assert all(shard.owns(node.node) for node in part.nodes)
    assert sorted(n.node for part in shards for n in part.nodes) == list(NODES)


def test_the_layers_objects_are_told_by_one_shard() -> None:
    owner = next(i for i in range(3) if Shard(i, 3).owns(CLUSTER))
    layers = [Checker(Scope(Shard(i, 3))).layer(seen_books("gpu-a")) for i in range(3)]
    assert [layer != LayerObjects() for layer in layers] == [i == owner for i in range(3)]


def test_pages_that_another_shard_reads_are_not_missing() -> None:
    inputs = seen_books(*NODES)
    lacking = {lack.node for lack in judged(inputs, Scope()).results[5].missing}
    assert lacking <= set(NODES)
    for index, part in enumerate(parts(inputs, 3)):
        shard = Shard(index, 3)
        for result in part.results:
            assert all(shard.owns(lack.node or CLUSTER) for lack in result.missing)
            assert all(shard.owns(node) for node, _ in result.nodes)
            own = any(lack.check == result.check for lack in result.missing)
            assert (result.state is InputState.MISSING) == own


def test_the_shards_together_say_what_one_process_says() -> None:
    inputs = seen_books(*NODES)
    shards = parts(inputs, 3)
    for position, result in enumerate(judged(inputs, Scope()).results):
        states = {part.results[position].state for part in shards}
        worst = InputState.MISSING if InputState.MISSING in states else max(states)
        assert worst is result.state


def test_a_fault_in_what_one_shard_has_read_is_told_by_that_shard() -> None:
    inputs = seen_books(*NODES)
    snapshot = Joiner().build(inputs)
    broken = replace(snapshot, nodes=Tripping(snapshot.nodes))
    for index in range(3):
        part = Checker(Scope(Shard(index, 3))).judge(inputs, broken, 0.0)
        (books,) = [result for result in part.results if result.check == "S14"]
        assert (books.state, [lack.input for lack in books.missing]) == (
            InputState.MISSING,
            ["evaluator"],
        )


def test_excluded_namespaces_leave_no_findings() -> None:
    card_of_nobody = a_tenant("x", 100, card=9, uid="x", namespace="team-b")
    inputs = seen_books("gpu-a", mib=100)
    inputs = replace(inputs, pods={**inputs.pods, "x": card_of_nobody})
    assert [f.pod for f in judged(inputs, Scope()).findings if f.check == "S14"] == ["x"]
    scope = Scope(excluded_namespaces=frozenset({"team-b"}))
    assert [f for f in judged(inputs, scope).findings if f.check == "S14"] == []
