"""Reads one object as its owner wrote it. Nothing else of this package keeps an object whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from gpuatlas.sources.errors import NotFoundError


class Gets(Protocol):
    """What is needed of a `Connection`."""

    def get(self, path: str) -> dict[str, Any]:
        """One JSON object."""


def read_manifest(connection: Gets, paths: Iterable[str]) -> Mapping[str, Any]:
    """The object at the first of the paths where there is one: a path for each version of its kind.

    Raises:
        SourceError: as `Connection.get`; `NotFoundError` where none of them has it.
    """
    missing = NotFoundError("it has no address")
    for path in paths:
        try:
            return connection.get(path)
        except NotFoundError as error:
            missing = error
    raise missing
