"""What a pod asks of KAI's cards, read from its own labels and annotations. Pure.

Nothing here raises: a figure that cannot be used is a `Rejection` of the source "kai", and the pod
still counts as a sharer of its card.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeVar

from gpuatlas.model.claims import Fraction
from gpuatlas.model.objects import Pod
from gpuatlas.model.rejections import MalformedError, Rejection
from gpuatlas.model.units import MAX_CARD_BYTES, MAX_CARDS_PER_NODE, MIB, clean_text
from gpuatlas.sources.hami.refusals import Refusals, quote
from gpuatlas.sources.kai import marks

T = TypeVar("T")

SOURCE: Final = "kai"
CONTRADICTION: Final = "contradiction"
NOT_A_NUMBER: Final = "not-a-number"
OUT_OF_RANGE: Final = "out-of-range"
BAD_TEXT: Final = "bad-text"
TOO_MANY: Final = "too-many"
UNKNOWN_CONTAINER: Final = "unknown-container"

MAX_LABEL: Final = 63  # the API server's limit of a label's value
_PORTION: Final = re.compile(
    r"\+?(?:[0-9]{1,6}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE]-?[0-9]{1,2})?"
)
_WHOLE: Final = re.compile(r"[0-9]{1,12}")


def read_fraction(pod: Pod) -> tuple[Fraction | None, tuple[Rejection, ...]]:
    """The pod's fraction, or None where it asks for none, and what could not be used of it.

    KAI's admission refuses a fraction beside a limit of whole cards; a pod that has both came past
    it and is served by the device plugin.
    """
    if not {marks.FRACTION, marks.MEMORY} & pod.annotations.keys():
        return None, ()
    refusals = Refusals(SOURCE, clean_text(f"pod {pod.namespace}/{pod.name}"))
    if any(marks.COUNT_RESOURCE in container.limits for container in pod.containers):
        message = f"it asks for {marks.COUNT_RESOURCE} as well; the fraction is not counted"
        refusals.add(CONTRADICTION, message, field=f"annotation {_asked(pod)}")
        return None, refusals.result()
    reader = _Reader(pod, refusals)
    devices = reader.annotation(marks.DEVICES, _devices)
    portion, memory = _amounts(reader)
    fraction = Fraction(
        portion=portion,
        memory_bytes=memory,
        devices=1 if devices is None else devices,
        container=reader.container(),
        mps=pod.annotations.get(marks.MPS) == "true",
        groups=reader.groups(1 if devices is None else devices),
        received=_received(pod),
    )
    return fraction, refusals.result()


def _asked(pod: Pod) -> str:
    return marks.FRACTION if marks.FRACTION in pod.annotations else marks.MEMORY


def _received(pod: Pod) -> str:
    word = pod.annotations.get(marks.RECEIVED, "")
    return word if word in marks.RECEIVED_TYPES else ""


class _Reader:
    """Reads the marks of one pod and keeps the books of what it refuses."""

    def __init__(self, pod: Pod, refusals: Refusals) -> None:
        self.pod = pod
        self.refusals = refusals

    def annotation(self, key: str, parse: Callable[[str], T]) -> T | None:
        """The annotation's value; None where it is absent or refused."""
        written = self.pod.annotations.get(key)
        if written is None:
            return None
        try:
            return parse(written)
        except MalformedError as error:
            self.refusals.add_error(error, field=f"annotation {key}")
            return None

    def container(self) -> str:
        """The container that gets the cards: the named one, by default the first main one."""
        named = self.pod.annotations.get(marks.CONTAINER)
        names = (c.name for c in self.pod.containers if c.kind == "main" or named is not None)
        if named is None:
            return next(names, "")
        if named in names:
            return named
        message = f"the pod has no container {quote(named)}"
        self.refusals.add(UNKNOWN_CONTAINER, message, field=f"annotation {marks.CONTAINER}")
        return ""

    def groups(self, most: int) -> tuple[str, ...]:
        """The pod's groups in order; none where they are more than the cards it asks for.

        KAI sets exactly one per card. What is beyond that somebody else wrote, and nothing tells
        which.
        """
        found = sorted({group for key, group in self.pod.labels.items() if self._is_group(key)})
        if len(found) > most:
            message = f"{len(found)} groups for {most} cards; none is believed"
            self.refusals.add(TOO_MANY, message, field=f"label {marks.GROUP}")
            return ()
        return tuple(found)

    def _is_group(self, key: str) -> bool:
        value = self.pod.labels[key]
        if key != marks.GROUP and not key.startswith(marks.GROUP_START):
            return False
        fits = key == marks.GROUP or key.removeprefix(marks.GROUP_START) == value
        if fits and 0 < len(value) <= MAX_LABEL and value.isprintable():
            return True
        message = f"{quote(value)} is not the group of its label"
        self.refusals.add(BAD_TEXT, message, field=f"label {clean_text(key, limit=MAX_LABEL)}")
        return False


def _amounts(reader: _Reader) -> tuple[float | None, int | None]:
    """(portion, memory in bytes) of each card: one of them, or neither."""
    if marks.FRACTION in reader.pod.annotations and marks.MEMORY in reader.pod.annotations:
        message = f"both {marks.FRACTION} and {marks.MEMORY}; KAI takes one of them"
        reader.refusals.add(CONTRADICTION, message, field=f"annotation {marks.FRACTION}")
        return None, None
    portion = reader.annotation(marks.FRACTION, _portion)
    return portion, reader.annotation(marks.MEMORY, _memory)


def _portion(written: str) -> float:
    """A share of a card: above 0, at most 1."""
    if not _PORTION.fullmatch(written):
        raise MalformedError(NOT_A_NUMBER, f"{quote(written)} is no share of a card")
    portion = float(written)
    if not 0 < portion <= 1:
        raise MalformedError(OUT_OF_RANGE, f"{quote(written)} is not above 0 and at most 1")
    return portion


def _memory(written: str) -> int:
    """Bytes of an amount in MiB."""
    return _number(written, most=MAX_CARD_BYTES // MIB) * MIB


def _devices(written: str) -> int:
    return _number(written, most=MAX_CARDS_PER_NODE)


def _number(written: str, *, most: int) -> int:
    if not _WHOLE.fullmatch(written):
        raise MalformedError(NOT_A_NUMBER, f"{quote(written)} is no whole number")
    number = int(written)
    if not 0 < number <= most:
        raise MalformedError(OUT_OF_RANGE, f"{quote(written)} is not between 1 and {most}")
    return number
