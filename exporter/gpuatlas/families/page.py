"""The exposition page of a snapshot, rendered when the snapshot changes and not at each scrape.

Fragments (the lines of one family of one node or namespace) are kept while their entity stays the
same object, which the join promises for parts that did not change; a new page renders the others
only. No text is kept twice: a page refers to fragments, and a scrape joins them one family at a
time. Compressed fragments are made from the first gzip request on, then together with the page.
What the checks say changes at its own pace, and so do sizing and contention: each is a page of its
own behind the one before.

A page never changes what it says. Several threads may read it: at worst two do the same work once.
`PageCache.update` belongs to one thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from gpuatlas.families.catalogue import (
    CHECK_FAMILIES,
    CONTENTION_FAMILIES,
    LAYER_FAMILIES,
    NAMESPACE_FAMILIES,
    NODE_FAMILIES,
    SIZING_FAMILIES,
)
from gpuatlas.families.exposition import Format, header
from gpuatlas.families.gzipstream import EMPTY_HEAD, Deflater, GzipHead, GzipStitcher
from gpuatlas.families.render import render_group
from gpuatlas.families.spec import Family
from gpuatlas.model.checks import CheckReport
from gpuatlas.model.contention import ContentionCounts
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.sizing import SizingReport
from gpuatlas.model.snapshot import NamespaceSnapshot, NodeSnapshot, Snapshot

E = TypeVar("E")


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """An answer to a scrape. `chunks` can be walked once and give `length` bytes in all."""

    length: int
    chunks: Iterator[bytes]


class _Rendered(Generic[E]):
    """The fragments of one entity, one for each family; compressed when first asked for."""

    __slots__ = ("_pieces", "entity", "fragments")

    def __init__(self, families: Sequence[Family[E]], entity: E) -> None:
        self.entity = entity
        self.fragments = render_group(families, entity)
        self._pieces: tuple[bytes, ...] | None = None

    def pieces(self, deflater: Deflater) -> tuple[bytes, ...]:
        if self._pieces is None:
            self._pieces = tuple(deflater.piece(fragment) for fragment in self.fragments)
        return self._pieces


@dataclass(frozen=True, slots=True)
class _Column:
    """One family of a page: its fragments are at `position` of each row."""

    family: Family[Any]
    position: int
    rows: tuple[_Rendered[Any], ...]

    def text(self, form: Format) -> bytes:
        fragments = [row.fragments[self.position] for row in self.rows]
        return b"".join((header(self.family, form), *fragments))

    def size(self, form: Format) -> int:
        fragments = sum(len(row.fragments[self.position]) for row in self.rows)
        return len(header(self.family, form)) + fragments

    def pieces(self, form: Format, deflater: Deflater) -> Iterator[bytes]:
        yield deflater.piece(header(self.family, form))
        for row in self.rows:
            yield row.pieces(deflater)[self.position]

    def __bool__(self) -> bool:
        return any(row.fragments[self.position] for row in self.rows)


class Page:
    """All node, card, partition, allocation and workload families of one snapshot.

    Families come in the order of the catalogue; within one, nodes or namespaces by name. A family
    without samples has no header. Self metrics and the end of the page are given by the caller as
    the `tail` of each body. `before` is a page whose families come first.
    """

    __slots__ = ("_before", "_columns", "_gzip_formats", "_heads", "_sizes")

    def __init__(
        self,
        columns: Iterable[_Column],
        gzip_formats: set[Format],
        before: Page | None = None,
    ) -> None:
        self._before = before
        self._columns = tuple(column for column in columns if column)
        self._gzip_formats = gzip_formats
        self._heads: dict[Format, GzipHead] = {}
        self._sizes: dict[Format, int] = {}

    def body(self, form: Format, *, gzip: bool = False, tail: bytes = b"") -> Body:
        """The page in one format with `tail` behind it, as it is or as one gzip member."""
        if gzip:
            self._gzip_formats.add(form)
            head = self.prepare_gzip(form)
            end = head.finish(tail)
            return Body(length=len(head.data) + len(end), chunks=iter((head.data, end)))
        return Body(length=self._size(form) + len(tail), chunks=self._chunks(form, tail))

    def prepare_gzip(self, form: Format) -> GzipHead:
        """Do the work of the first gzip request now; compresses only fragments that are new."""
        head = self._heads.get(form)
        if head is None:
            before = self._before.prepare_gzip(form) if self._before else EMPTY_HEAD
            deflater, stitcher = Deflater(), GzipStitcher(before)
            for column in self._columns:
                stitcher.add(column.text(form), column.pieces(form, deflater))
            head = self._heads[form] = stitcher.head()
        return head

    def _size(self, form: Format) -> int:
        if form not in self._sizes:
            before = self._before.body(form).length if self._before else 0
            self._sizes[form] = before + sum(column.size(form) for column in self._columns)
        return self._sizes[form]

    def _chunks(self, form: Format, tail: bytes) -> Iterator[bytes]:
        if self._before is not None:
            yield from self._before.body(form).chunks
        for column in self._columns:
            yield column.text(form)
        yield tail


class PageCache:
    """Makes pages of snapshots and keeps the fragments of what did not change."""

    def __init__(self) -> None:
        self._nodes: Mapping[str, _Rendered[NodeSnapshot]] = {}
        self._namespaces: Mapping[str, _Rendered[NamespaceSnapshot]] = {}
        self._report: _Rendered[CheckReport] | None = None
        self._layer: _Rendered[LayerObjects] | None = None
        self._sizing: _Rendered[SizingReport] | None = None
        self._contention: _Rendered[ContentionCounts] | None = None
        self._gzip_formats: set[Format] = set()  # asked for at least once, on any page

    def update(self, snapshot: Snapshot) -> Page:
        """The page of `snapshot`. Entities that are the same objects as last time cost nothing."""
        self._nodes = _renew(NODE_FAMILIES, snapshot.nodes, self._nodes)
        self._namespaces = _renew(NAMESPACE_FAMILIES, snapshot.namespaces, self._namespaces)
        columns = (
            *_columns(NODE_FAMILIES, self._nodes),
            *_columns(NAMESPACE_FAMILIES, self._namespaces),
        )
        return self._prepared(Page(columns, self._gzip_formats))

    def with_checks(self, page: Page, report: CheckReport, layer: LayerObjects) -> Page:
        """`page` with the families of the checks behind its own.

        Objects that are the same as last time cost nothing.
        """
        self._report = _renewed(CHECK_FAMILIES, report, self._report)
        self._layer = _renewed(LAYER_FAMILIES, layer, self._layer)
        columns = (
            *_columns(CHECK_FAMILIES, {"": self._report}),
            *_columns(LAYER_FAMILIES, {"": self._layer}),
        )
        return self._prepared(Page(columns, self._gzip_formats, before=page))

    def with_sizing(self, page: Page, report: SizingReport) -> Page:
        """`page` with the families of sizing behind its own; the same report costs nothing."""
        self._sizing = _renewed(SIZING_FAMILIES, report, self._sizing)
        columns = _columns(SIZING_FAMILIES, {"": self._sizing})
        return self._prepared(Page(columns, self._gzip_formats, before=page))

    def with_contention(self, page: Page, counts: ContentionCounts) -> Page:
        """`page` with the counters of contention behind its own; the same counts cost nothing."""
        self._contention = _renewed(CONTENTION_FAMILIES, counts, self._contention)
        columns = _columns(CONTENTION_FAMILIES, {"": self._contention})
        return self._prepared(Page(columns, self._gzip_formats, before=page))

    def _prepared(self, page: Page) -> Page:
        for form in tuple(self._gzip_formats):
            page.prepare_gzip(form)
        return page


def _columns(
    families: Sequence[Family[E]], rendered: Mapping[str, _Rendered[E]]
) -> Iterator[_Column]:
    rows = tuple(rendered.values())
    return (_Column(family, position, rows) for position, family in enumerate(families))


def _renew(
    families: Sequence[Family[E]], entities: Mapping[str, E], last: Mapping[str, _Rendered[E]]
) -> dict[str, _Rendered[E]]:
    """Fragments of `entities` by name, taken over where the entity is the same object as before."""
    return {name: _renewed(families, entities[name], last.get(name)) for name in sorted(entities)}


def _renewed(families: Sequence[Family[E]], entity: E, last: _Rendered[E] | None) -> _Rendered[E]:
    if last is not None and last.entity is entity:
        return last
    return _Rendered(families, entity)
