"""All kinds read once, for commands that a person runs: no threads, no watches.

A server that is busy is asked again by the connection (`patience`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from gpuatlas.sources.errors import ForbiddenError, GoneError, NotFoundError, SourceError
from gpuatlas.sources.kubernetes.intake import Intake
from gpuatlas.sources.kubernetes.kind import Kind
from gpuatlas.sources.kubernetes.pages import Lists, read_pages
from gpuatlas.sources.kubernetes.survey import SOURCE, survey

T = TypeVar("T")

_ATTEMPTS: Final = 4  # at a list that takes longer than the server keeps its state


@dataclass(slots=True, kw_only=True)
class Listing:
    """What a look found.

    `objects` are by the kind's id and by key, of the kinds that were asked for: a kind that is not
    served is not in it. `versions` says in which apiVersion they were read. `failures` are the
    kinds, by source, that could not be read, and why. `rejected` counts refused objects by reason.
    """

    objects: dict[str, Mapping[str, object]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)


def read_once(
    connection: Lists,
    kinds: Iterable[Kind[object]],
    progress: Callable[[str, int], None],
    *,
    page_size: int = 500,
) -> Listing:
    """Read all objects of the kinds; `progress` is told a kind's id and how many were read.

    Raises:
        SourceError: a required kind could not be read, or one of the others that every cluster has
            for another reason than 403 and 404. What happens to discovered kinds is a warning.
    """
    reader = _Reader(connection, progress, page_size)
    every = tuple(kinds)
    for kind in every:
        if not kind.discovered:
            reader.read(kind)
    for kind in reader.served([kind for kind in every if kind.discovered]):
        reader.read(kind)
    return reader.listing


class _Reader:
    def __init__(
        self, connection: Lists, progress: Callable[[str, int], None], page_size: int
    ) -> None:
        self._connection = connection
        self._progress = progress
        self._page_size = page_size
        self.listing = Listing()

    def served(self, kinds: list[Kind[object]]) -> Iterator[Kind[object]]:
        """Those of the kinds that the server serves, in the versions to read."""
        if not kinds:
            return
        try:
            served = survey(self._connection, kinds)
        except SourceError as error:
            self._failed(SOURCE, "DRA, queues and the owners of other systems", error)
            return
        for kind in kinds:
            if (readable := served.readable(kind)) is not None:
                yield readable

    def read(self, kind: Kind[object]) -> None:
        """One kind; a failure that may be is noted."""
        intake = Intake(kind, lambda reason: self.listing.rejected.update((reason,)))
        found: Mapping[str, object] = {}
        try:
            found = self._read_kind(kind, intake)
        except SourceError as error:
            gone = isinstance(error, NotFoundError) and kind.discovered
            if not _may_fail(kind, error):
                raise
            if not gone:
                self._failed(kind.source, kind.qualified, error)
        self.listing.objects[kind.id] = found
        self.listing.versions[kind.id] = kind.api_version

    def _failed(self, source: str, what: str, error: SourceError) -> None:
        self.listing.failures[source] = str(error)
        self.listing.warnings.append(f"without {what}: {error}")

    def _read_kind(self, kind: Kind[T], intake: Intake[T]) -> Mapping[str, T]:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self._read_all(kind, intake)
            except GoneError:
                if attempt == _ATTEMPTS:
                    raise
        raise AssertionError  # the loop returns or raises

    def _read_all(self, kind: Kind[T], intake: Intake[T]) -> Mapping[str, T]:
        found: dict[str, T] = {}
        count = 0
        for page in read_pages(self._connection, kind, self._page_size):
            for raw in page.objects:
                key = kind.key(raw)
                value = intake.read(key, raw)
                if value is not None:
                    found[key] = value
            count += len(page.objects)
            self._progress(kind.id, count)
        return found


def _may_fail(kind: Kind[object], error: SourceError) -> bool:
    return kind.discovered or (
        not kind.required and isinstance(error, ForbiddenError | NotFoundError)
    )
