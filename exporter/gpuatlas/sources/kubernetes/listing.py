"""All kinds read once, for commands that a person runs: no threads, no watches."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from gpuatlas.sources.errors import ForbiddenError, GoneError, NotFoundError
from gpuatlas.sources.kubernetes.errors import BusyError
from gpuatlas.sources.kubernetes.intake import Intake
from gpuatlas.sources.kubernetes.kinds import Kind
from gpuatlas.sources.kubernetes.pages import Lists, read_pages

T = TypeVar("T")

_ATTEMPTS: Final = 4
# A person is waiting: no pause is longer than this, whatever the server asks for.
_MAX_PAUSE_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Objects by the kind's name and by key; `warnings` say which kinds are missing and why.

    `rejected` counts refused objects by reason.
    """

    objects: Mapping[str, Mapping[str, object]]
    warnings: tuple[str, ...]
    rejected: Mapping[str, int]


def read_once(
    connection: Lists,
    kinds: Iterable[Kind[object]],
    progress: Callable[[str, int], None],
    *,
    page_size: int = 500,
    sleep: Callable[[float], object] = time.sleep,
) -> Listing:
    """Read all objects of the kinds; `progress` is told a kind's name and how many were read.

    Raises:
        SourceError: a required kind could not be read, or any kind for another reason than 403
            and 404.
    """
    objects: dict[str, Mapping[str, object]] = {}
    warnings: list[str] = []
    rejected: Counter[str] = Counter()
    for kind in kinds:
        intake = Intake(kind, lambda reason: rejected.update((reason,)))
        try:
            objects[kind.name] = _read_kind(
                connection, kind, intake, progress, page_size=page_size, sleep=sleep
            )
        except (ForbiddenError, NotFoundError) as error:
            if kind.required:
                raise
            objects[kind.name] = {}
            warnings.append(f"without {kind.qualified}: {error}")
    return Listing(objects=objects, warnings=tuple(warnings), rejected=dict(rejected))


def _read_kind(
    connection: Lists,
    kind: Kind[T],
    intake: Intake[T],
    progress: Callable[[str, int], None],
    *,
    page_size: int,
    sleep: Callable[[float], object],
) -> Mapping[str, T]:
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return _read_all(connection, kind, intake, progress, page_size)
        except (GoneError, BusyError) as error:
            if attempt == _ATTEMPTS:
                raise
            asked = error.retry_after_s if isinstance(error, BusyError) else 0.0
            sleep(min(1.0 if asked is None else asked, _MAX_PAUSE_S))
    raise AssertionError  # the loop returns or raises


def _read_all(
    connection: Lists,
    kind: Kind[T],
    intake: Intake[T],
    progress: Callable[[str, int], None],
    page_size: int,
) -> Mapping[str, T]:
    found: dict[str, T] = {}
    count = 0
    for page in read_pages(connection, kind, page_size):
        for raw in page.objects:
            key = kind.key(raw)
            value = intake.read(key, raw)
            if value is not None:
                found[key] = value
        count += len(page.objects)
        progress(kind.name, count)
    return found
