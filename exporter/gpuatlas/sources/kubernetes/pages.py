"""A list read page by page. The position in it is the server's, kept in its continue token."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from gpuatlas.sources.errors import BadAnswerError, TooLargeError
from gpuatlas.sources.kubernetes.kind import Kind
from gpuatlas.sources.kubernetes.metadata import read_version
from gpuatlas.sources.kubernetes.shape import fields, text

# A page that was too large is asked for again with this fraction of its objects.
_SHRINK: Final = 10


class Lists(Protocol):
    """What lists need of a connection."""

    @property
    def address(self) -> str:
        """The server's URL, for messages."""

    def get(
        self, path: str, query: Mapping[str, str] | None = None, *, accept: str = ...
    ) -> dict[str, object]:
        """One JSON object, or a `SourceError`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some objects of a list. `version` is the whole list's resourceVersion, the same on all pages.

    `remaining` is how many objects follow, as the server estimates; None where it does not say.
    """

    objects: Sequence[object]
    version: str
    remaining: int | None


def read_pages(connection: Lists, kind: Kind[object], page_size: int) -> Iterator[Page]:
    """The pages of a list of all objects of a kind, in order.

    Without `resourceVersion`, so that the answer is the newest and pages are honoured at all: some
    servers ignore the limit for lists "of any age" (facts/k8s.md 6.2).

    Raises:
        GoneError: the list took longer than the server keeps its state; start again.
        SourceError: as `Connection.get`.
    """
    token, limit = "", page_size
    while True:
        query = {"limit": str(limit), **({"continue": token} if token else {})}
        try:
            answer = connection.get(kind.path, query, accept=kind.list_accept)
        except TooLargeError:
            if limit == 1:
                raise
            limit = max(1, limit // _SHRINK)
            continue
        objects = answer.get("items")
        if objects is None:
            objects = []  # Go writes an empty list that was never filled as null
        if not isinstance(objects, list):
            message = f"{connection.address}{kind.path}: the answer is not a list"
            raise BadAnswerError(message)
        metadata = fields(answer.get("metadata"))
        yield Page(objects=objects, version=read_version(answer), remaining=_remaining(metadata))
        token = text(metadata.get("continue"))
        if not token:
            return


def _remaining(metadata: Mapping[str, object]) -> int | None:
    count = metadata.get("remainingItemCount")
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None
