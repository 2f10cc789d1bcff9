"""Objects of the whole cluster, sorted by namespace. Pure, but for remembering what it sorted.

The part of a namespace is the very same mapping as last time until one of its own objects changes,
so that who reads it can tell by identity whether anything is new.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Generic, Protocol, TypeVar


class Namespaced(Protocol):
    """Any object that lives in a namespace."""

    @property
    def namespace(self) -> str:
        """Its namespace, "" for cluster scope."""


N = TypeVar("N", bound=Namespaced)
K = TypeVar("K")
V = TypeVar("V")


class ByNamespace(Generic[N]):
    """Sorts one kind of objects, mappings from uid to object, one after the other."""

    def __init__(self) -> None:
        self._whole: Mapping[str, N] = {}
        self._parts: dict[str, Mapping[str, N]] = {}

    def split(self, objects: Mapping[str, N]) -> Mapping[str, Mapping[str, N]]:
        """Namespace → its objects by uid. Namespaces without objects are left out."""
        if objects is not self._whole:
            self._whole, self._parts = objects, self._sort(objects)
        return self._parts

    def _sort(self, objects: Mapping[str, N]) -> dict[str, Mapping[str, N]]:
        parts: dict[str, dict[str, N]] = defaultdict(dict)
        for uid, item in objects.items():
            parts[item.namespace][uid] = item
        return {
            name: before
            if (before := self._parts.get(name)) is not None and same_mapping(before, part)
            else part
            for name, part in parts.items()
        }


def same_mapping(old: Mapping[K, V], new: Mapping[K, V]) -> bool:
    """Whether both have the very same objects under the same keys.

    Identity, not equality: cheap, and never wrong the unsafe way.
    """
    if len(old) != len(new):
        return False
    return all(key in old and old[key] is value for key, value in new.items())
