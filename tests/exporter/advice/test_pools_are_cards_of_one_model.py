from __future__ import annotations

from gpuatlas.advice.advise import advise
from gpuatlas.model.advice import PoolAdvice
from gpuatlas.model.snapshot import NodeSnapshot
from gpuatlas_harness import build
from gpuatlas_harness.pooled import A100, H100


def a_node(name: str, *models: str, pool: str = "", platform: str = "") -> NodeSnapshot:
    cards = tuple(
        build.a_card(node=name, id=f"{name}-{i}", index=str(i), model=model, vendor="nvidia")
        for i, model in enumerate(models)
    )
    fields = {"name": name, "pool": pool, "platform": platform}
    return build.a_node(**fields, cards=cards, allocations=())


def told(*nodes: NodeSnapshot) -> list[tuple[str, str, str, tuple[str, ...], int]]:
    found: tuple[PoolAdvice, ...] = advise(build.a_snapshot(nodes))
    return [(a.pool, a.platform, a.model, a.nodes, a.cards) for a in found]


def test_a_label_makes_a_pool() -> None:
    nodes = (a_node("b", A100, pool="x"), a_node("a", A100, pool="x"), a_node("c", A100, pool="y"))
    assert told(*nodes) == [("x", "", A100, ("a", "b"), 2), ("y", "", A100, ("c",), 1)]


def test_without_a_label_platform_and_model_do() -> None:
    nodes = (
        a_node("a", A100),
        a_node("b", A100),
        a_node("c", H100),
        a_node("d", A100, platform="eks"),
    )
    assert told(*nodes) == [
        ("", "", A100, ("a", "b"), 2),
        ("", "", H100, ("c",), 1),
        ("", "eks", A100, ("d",), 1),
    ]


def test_a_pool_of_two_models_is_judged_twice() -> None:
    assert told(a_node("a", A100, H100, pool="x")) == [
        ("x", "", A100, ("a",), 1),
        ("x", "", H100, ("a",), 1),
    ]


def test_spellings_of_one_model_are_one_pool() -> None:
    nodes = (a_node("a", A100, pool="x"), a_node("b", "NVIDIA-A100-SXM4-80GB", pool="x"))
    assert told(*nodes) == [("x", "", A100, ("a", "b"), 2)]


def test_a_node_that_names_no_card_joins_the_only_model_of_its_pool() -> None:
    assert told(a_node("a", A100, pool="x"), a_node("b", pool="x")) == [
        ("x", "", A100, ("a", "b"), 1)
    ]


def test_it_stays_alone_where_there_are_two_models_or_no_label() -> None:
    assert told(a_node("a", A100, H100, pool="x"), a_node("b", pool="x")) == [
        ("x", "", "", ("b",), 0),
        ("x", "", A100, ("a",), 1),
        ("x", "", H100, ("a",), 1),
    ]
    assert told(a_node("a", A100), a_node("b")) == [
        ("", "", "", ("b",), 0),
        ("", "", A100, ("a",), 1),
    ]


def test_no_node_is_no_advice() -> None:
    assert told() == []
