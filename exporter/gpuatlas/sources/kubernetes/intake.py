"""The guard at the door: objects are projected one by one, and a bad one costs itself only."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import clean_text
from gpuatlas.sources.kubernetes.kind import Kind

T = TypeVar("T")

_log = logging.getLogger(__name__)
# How many refused objects are remembered, so that each is logged once and not at every event.
_MAX_REMEMBERED: Final = 1000
READER_FAILED: Final = "reader-failed"


class Intake(Generic[T]):
    """Projects the objects of one kind; `reject` is told the reason of each refusal."""

    def __init__(self, kind: Kind[T], reject: Callable[[str], None]) -> None:
        self._kind = kind
        self._reject = reject
        self._refused: dict[str, str] = {}

    def read(self, key: str, raw: object) -> T | None:
        """The model's value, or None for an object without use or that was refused."""
        try:
            value = self._kind.project(raw)
        except MalformedError as error:
            self._refuse(key, error.reason, str(error))
            return None
        except Exception:
            # A mistake in a reader must not stop all other objects of the kind from being read:
            # anybody who can write an annotation could set it off.
            if self._refuse(key, READER_FAILED, "a mistake in our reader"):
                _log.exception("reading %s %s failed", self._kind.id, key)
            return None
        self._refused.pop(key, None)
        return value

    def _refuse(self, key: str, reason: str, message: str) -> bool:
        self._reject(reason)
        if self._refused.get(key) == reason or len(self._refused) >= _MAX_REMEMBERED:
            return False
        self._refused[key] = reason
        _log.warning("%s %s is left out: %s", self._kind.id, clean_text(key), message)
        return True
