from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpuatlas.families.catalogue import NAMESPACE_FAMILIES, NODE_FAMILIES
from gpuatlas.families.exposition import Format
from gpuatlas.families.page import Page, PageCache
from gpuatlas.model.snapshot import Card, NodeSnapshot, PodWorkload, Snapshot
from gpuatlas_harness import build


class CountedCards(tuple[Card, ...]):
    """Cards that count how often somebody walks them."""

    walks = 0

    def __iter__(self) -> Iterator[Card]:
        self.walks += 1
        return super().__iter__()


def counted_node(name: str) -> tuple[NodeSnapshot, CountedCards]:
    cards = CountedCards([build.a_card(node=name)])
    return build.a_node(name=name, cards=cards, allocations=()), cards


def text(page: Page, form: Format = Format.TEXT, tail: bytes = b"") -> bytes:
    return b"".join(page.body(form, tail=tail).chunks)


def test_the_same_object_is_not_rendered_again() -> None:
    kept, kept_cards = counted_node("a")
    old, _ = counted_node("b")
    new, new_cards = counted_node("b")
    cache = PageCache()
    cache.update(build.a_snapshot([kept, old]))
    once = kept_cards.walks
    page = cache.update(build.a_snapshot([kept, new]))
    assert (once > 0, kept_cards.walks, new_cards.walks) == (True, once, once)
    assert text(page) == text(PageCache().update(build.a_snapshot([kept, new])))


def test_an_equal_object_is_another_object() -> None:
    cache = PageCache()
    cache.update(build.a_snapshot([build.a_node(name="a")]))
    node, cards = counted_node("a")
    cache.update(build.a_snapshot([node]))
    assert cards.walks > 0


def test_what_vanished_is_forgotten() -> None:
    node, cards = counted_node("a")
    cache = PageCache()
    cache.update(build.a_snapshot([node]))
    once = cards.walks
    assert text(cache.update(build.a_snapshot())) == b""
    cache.update(build.a_snapshot([node]))
    assert cards.walks == 2 * once


def test_namespaces_are_kept_in_the_same_way() -> None:
    class CountedPods(tuple[PodWorkload, ...]):
        walks = 0

        def __iter__(self) -> Iterator[PodWorkload]:
            self.walks += 1
            return super().__iter__()

    pods = CountedPods([build.a_pod_workload()])
    namespace = build.a_namespace(pods=pods)
    cache = PageCache()
    cache.update(build.a_snapshot(namespaces=[namespace]))
    cache.update(build.a_snapshot([build.a_node()], [namespace]))
    assert pods.walks == 1


def test_an_old_page_still_says_what_it_said() -> None:
    cache = PageCache()
    before = cache.update(build.a_snapshot([build.a_node(pool="old")]))
    said = text(before)
    cache.update(build.a_snapshot([build.a_node(pool="new")]))
    assert text(before) == said
    assert b'pool="old"' in said


def test_nodes_come_by_name_and_their_cards_as_given() -> None:
    def node(name: str, *indexes: str) -> NodeSnapshot:
        cards = tuple(build.a_card(node=name, id=f"{name}-{i}", index=i) for i in indexes)
        return build.a_node(name=name, cards=cards, allocations=())

    page = text(PageCache().update(build.a_snapshot([node("b", "0"), node("a", "1", "0")])))
    lines = [line for line in page.decode().splitlines() if "_card_tenants{" in line]
    assert [line.split('card="')[1].split('"')[0] for line in lines] == ["a-1", "a-0", "b-0"]


def test_a_family_without_samples_has_no_header() -> None:
    node = build.a_node(
        cards=(build.an_unread_card(),), allocations=(), sharing_ready=build.UNMEASURED
    )
    page = text(PageCache().update(build.a_snapshot([node]))).decode()
    declared = {line.split()[2] for line in page.splitlines() if line.startswith("# HELP")}
    assert declared == {
        "gpuatlas_node_info",
        "gpuatlas_node_cards",
        "gpuatlas_card_info",
        "gpuatlas_card_state",
    }


@pytest.mark.parametrize("form", list(Format))
@pytest.mark.parametrize("gzip", [False, True])
def test_the_length_is_told_before_the_chunks(
    form: Format, *, gzip: bool, snapshot: Snapshot
) -> None:
    page = PageCache().update(snapshot)
    body = page.body(form, gzip=gzip, tail=b"# the end\n")
    assert body.length == sum(map(len, body.chunks)) > 0


def test_every_body_has_its_own_tail(snapshot: Snapshot) -> None:
    page = PageCache().update(snapshot)
    assert text(page, tail=b"# one\n") == text(page) + b"# one\n"
    assert text(page, tail=b"# two\n") == text(page) + b"# two\n"


def test_a_page_is_the_sum_of_the_families(snapshot: Snapshot) -> None:
    page = text(PageCache().update(snapshot)).decode()
    families = len(NODE_FAMILIES) + len(NAMESPACE_FAMILIES)
    assert page.count("# TYPE ") == page.count("# HELP ") == families
