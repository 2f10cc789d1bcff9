"""Lists of records in one object: each is judged on its own, and no list is read without end. Pure.

The limits are the API server's (facts/k8s.md 1.3 and 1.11); files that people write may hold more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeVar

from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.hami.refusals import Refusals
from gpuatlas.sources.kubernetes.shape import fields, items

T = TypeVar("T")

TOO_MANY: Final = "too-many"

MAX_DEVICES: Final = 128
MAX_TAINTS: Final = 16
MAX_REQUESTS: Final = 32
MAX_ALTERNATIVES: Final = 8
MAX_RESULTS: Final = 32
MAX_CONSUMERS: Final = 256
MAX_CONFIGS: Final = 64  # 32 of the claim and 32 of its classes


def read_records(
    value: object,
    most: int,
    what: str,
    read: Callable[[Mapping[str, object]], T],
    refusals: Refusals,
) -> Iterator[T]:
    """The readable ones of the first `most` records of a list; `what` names the list in messages.

    `read` raises nothing but `MalformedError`.
    """
    every = items(value)
    for item in every[:most]:
        try:
            yield read(fields(item))
        except MalformedError as error:
            refusals.add_error(error, field=what)
    if len(every) > most:
        refusals.add(TOO_MANY, f"{len(every)} entries, of which {most} are read", field=what)
