from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.families.exposition import Format
from gpuatlas.families.page import PageCache
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.runtime.scope import Scope, Shard, parse_shard
from gpuatlas_harness import build

names = st.sets(st.text(alphabet="abcdefgh-0123456789", min_size=1, max_size=12), max_size=12)


def lines_of(snapshot: Snapshot) -> list[bytes]:
    body = PageCache().update(snapshot).body(Format.TEXT)
    return [line for line in b"".join(body.chunks).splitlines() if not line.startswith(b"#")]


@settings(deadline=None, max_examples=25)
@given(nodes=names, namespaces=names, count=st.integers(1, 5))
def test_together_the_shards_publish_each_series_once(
    nodes: set[str], namespaces: set[str], count: int
) -> None:
    whole = build.a_snapshot(
        [build.a_node(name=n, cards=(build.a_card(node=n),), allocations=()) for n in nodes],
        [build.a_namespace(name=n, pods=()) for n in namespaces],
    )
    parts = [Scope(Shard(index, count)).narrow(whole) for index in range(count)]
    assert sorted(name for part in parts for name in part.nodes) == sorted(nodes)
    assert sorted(name for part in parts for name in part.namespaces) == sorted(namespaces)
    together = [line for part in parts for line in lines_of(part)]
    if count > 1 or not namespaces:
        assert len(together) == sum(len(lines_of(part)) for part in parts)
    node_lines = [line for line in together if b"gpuatlas_node_info" in line]
    assert len(node_lines) == len(nodes)


def test_a_name_belongs_to_the_same_shard_on_every_machine() -> None:
    # Another hash would move series between shards with an upgrade.
    assert [Shard(i, 3).owns("gpu-a") for i in range(3)] == [False, False, True]
    assert [Shard(i, 3).owns("gpu-b") for i in range(3)] == [False, True, False]


def test_the_whole_is_the_same_object() -> None:
    whole = build.a_snapshot([build.a_node()], [build.a_namespace()])
    assert Scope().narrow(whole) is whole


def test_an_excluded_namespace_is_not_published_and_still_counts_on_its_card() -> None:
    kept = build.an_allocation(namespace="team-a")
    hidden = build.an_allocation(namespace="team-b")
    node = build.a_node(allocations=(kept, hidden))
    other = build.a_node(name="gpu-b", allocations=(kept,))
    namespaces = [build.a_namespace(name="team-a"), build.a_namespace(name="team-b")]
    scope = Scope(excluded_namespaces=frozenset({"team-b"}))

    narrowed = scope.narrow(build.a_snapshot([node, other], namespaces))

    assert list(narrowed.namespaces) == ["team-a"]
    assert narrowed.nodes["gpu-a"].allocations == (kept,)
    assert narrowed.nodes["gpu-a"].cards == node.cards
    assert narrowed.nodes["gpu-b"] is other


def test_what_did_not_change_stays_the_same_object() -> None:
    scope = Scope(excluded_namespaces=frozenset({"team-b"}))
    steady = build.a_node(allocations=(build.an_allocation(namespace="team-b"),))
    first = scope.narrow(build.a_snapshot([steady, build.a_node(name="gpu-b")]))
    changed = build.a_node(name="gpu-b", driver_version="600.1")

    second = scope.narrow(build.a_snapshot([steady, changed]))

    assert second.nodes["gpu-a"] is first.nodes["gpu-a"]
    assert second.nodes["gpu-b"] is changed


def test_a_shard_is_read() -> None:
    assert parse_shard("0/1") == Shard(0, 1)
    assert parse_shard(" 2/3 ") == Shard(2, 3)


@pytest.mark.parametrize("text", ["", "1", "3/3", "0/0", "-1/3", "1/", "/2", "a/b", "1/2/3", "¹/2"])
def test_a_wrong_shard_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no shard"):
        parse_shard(text)
