"""Which cards are looked at when, whom a look wants to hear, and what it does not name."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.contention import Grade, SlowedBy
from gpuatlas.model.snapshot import WorkloadId
from gpuatlas.runtime.contending import Contender, HiddenSuspects
from gpuatlas.runtime.scope import Scope, Shard
from gpuatlas_harness.neighbours import Servers, seen
from gpuatlas_harness.observed import NOW


def look_on(contender: Contender, number: int, nodes: Mapping[str, int]) -> set[str]:
    """Nodes of the card counters after so many minutes."""
    counts = None
    for minute in range(number):
        at = NOW + 60.0 * minute
        inputs = seen(at, {"chat": 0.5, "train": 0.45}, nodes=nodes)
        counts = contender.look(inputs, Joiner().build(inputs), at)
    assert counts is not None
    return {node for node, _, _ in counts.cards}


def test_each_shard_counts_the_cards_of_its_own_nodes() -> None:
    nodes = {f"gpu-{letter}": number for number, letter in enumerate("abcdef", start=1)}
    parts = [look_on(Contender(Scope(Shard(i, 3))), 4, nodes) for i in range(3)]
    assert sorted(node for part in parts for node in part) == sorted(nodes)
    assert all(Shard(i, 3).owns(node) for i, part in enumerate(parts) for node in part)


def test_a_hidden_suspect_that_gives_up_its_place_takes_no_seconds_back() -> None:
    """A counter that falls is read as one that started over: hours of slowdown in a minute."""

    def who(name: str, namespace: str) -> WorkloadId:
        return WorkloadId(namespace=namespace, api_group="", kind="Pod", name=name)

    def by(name: str) -> SlowedBy:
        return SlowedBy(victim=victim, suspect=who(name, "secret"), grade=Grade.SHARED)

    victim = who("chat", "team-a")
    nobody = SlowedBy(victim=victim, suspect=None, grade=Grade.NONE)
    hidden = HiddenSuspects(frozenset({"secret"}))
    looks: list[dict[SlowedBy, float]] = [
        {by("a"): 5000.0, by("b"): 3000.0},
        {by("b"): 3060.0, nobody: 60.0},
        {by("b"): 3060.0, by("a"): 60.0, nobody: 60.0},
    ]
    assert [hidden.without(look) for look in looks] == [
        {nobody: 5000.0},
        {nobody: 5120.0},
        {nobody: 5180.0},
    ]
    assert hidden.without({}) == {}


def test_a_look_is_due_once_in_an_interval() -> None:
    contender = Contender(Scope(), every_seconds=30.0)
    assert contender.is_due(0.0)
    inputs = seen(NOW, {})
    contender.look(inputs, Joiner().build(inputs), 0.0)
    assert not contender.is_due(29.0)
    assert contender.is_due(30.0)


def test_servers_beyond_the_most_are_told_once(caplog: pytest.LogCaptureFixture) -> None:
    contender = Contender(Scope(), most_servers=1)
    inputs = seen(NOW, {"chat": 0.5, "train": 0.4}, nodes={"gpu-a": 1, "gpu-b": 2})
    servers = Servers()
    for number in range(3):
        contender.look(inputs, Joiner().build(inputs), 30.0 * number, servers)
    assert len(servers.targets.targets) == 1
    assert caplog.messages == ["1 inference servers on shared cards are not read: at most 1 are"]
