"""The objects of one kind that are known now.

Shared between the thread that learns of changes and those that read them. No I/O.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Generic, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class View(Generic[T_co]):
    """The objects by key at one instant, never changed afterwards.

    `version` grows with every change: equal versions are equal views.
    """

    objects: Mapping[str, T_co]
    version: int


class ObjectStore(Generic[T]):
    """A thread-safe set of objects with cheap immutable views.

    An object that is put again and is equal to the one before stays the same object, so that
    readers may compare by identity. `on_change` is called after each change, in the thread that
    made it and outside the lock; it must be quick.
    """

    def __init__(self, on_change: Callable[[], None] | None = None) -> None:
        self._lock = threading.Lock()
        self._on_change = on_change
        self._objects: dict[str, T] = {}
        self._versions: dict[str, str] = {}
        self._version = 0
        self._view: View[T] | None = None

    def view(self) -> View[T]:
        """All objects. They are copied at the first call after a change, never without one."""
        with self._lock:
            if self._view is None:
                self._view = View(MappingProxyType(self._objects.copy()), self._version)
            return self._view

    def known(self, key: str, version: str) -> T | None:
        """The object of this key if it was put with this (not empty) resource version."""
        with self._lock:
            if not version or self._versions.get(key) != version:
                return None
            return self._objects.get(key)

    def replace(self, objects: Mapping[str, tuple[str, T]]) -> None:
        """Set the whole content at once: key → (resource version, object)."""
        with self._lock:
            before = self._objects
            self._objects = {
                key: _same_if_equal(before.get(key), value) for key, (_, value) in objects.items()
            }
            self._versions = {key: version for key, (version, _) in objects.items()}
            changed = len(before) != len(self._objects) or any(
                value is not before.get(key) for key, value in self._objects.items()
            )
            self._mark(changed=changed)
        self._tell(changed=changed)

    def put(self, key: str, version: str, value: T) -> None:
        """Add or replace one object."""
        with self._lock:
            before = self._objects.get(key)
            self._versions[key] = version
            changed = before is None or before != value
            if changed:
                self._objects[key] = value
            self._mark(changed=changed)
        self._tell(changed=changed)

    def remove(self, key: str) -> None:
        """Forget one object; nothing happens if it is not there."""
        with self._lock:
            changed = self._objects.pop(key, None) is not None
            self._versions.pop(key, None)
            self._mark(changed=changed)
        self._tell(changed=changed)

    def _mark(self, *, changed: bool) -> None:
        if changed:
            self._version += 1
            self._view = None

    def _tell(self, *, changed: bool) -> None:
        if changed and self._on_change is not None:
            self._on_change()


def _same_if_equal(before: T | None, now: T) -> T:
    return before if before is not None and before == now else now
