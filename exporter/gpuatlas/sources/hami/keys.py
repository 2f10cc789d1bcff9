"""Tells from an annotation key or a card id which device family it belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from gpuatlas.sources.hami.families import FAMILIES, Derivation, Family


class FamilyKey(NamedTuple):
    """A family and the CommonWord that an annotation key names."""

    family: Family
    word: str


class _Keys:
    """Finds the family whose annotation key, possibly with a `{word}` in it, is the one given."""

    def __init__(self, keys: Iterable[tuple[str, Family]]) -> None:
        self._exact: dict[str, FamilyKey] = {}
        self._patterns: list[tuple[re.Pattern[str], Family]] = []
        for key, family in keys:
            if "{word}" in key:
                head, tail = (re.escape(part) for part in key.split("{word}"))
                pattern = re.compile(f"{head}(?P<word>{family.word}){tail}")
                self._patterns.append((pattern, family))
            elif key:
                self._exact[key] = FamilyKey(family, family.word)

    def find(self, key: str) -> FamilyKey | None:
        exact = self._exact.get(key)
        if exact is not None:
            return exact
        for pattern, family in self._patterns:
            match = pattern.fullmatch(key)
            if match:
                return FamilyKey(family, match["word"])
        return None


_REGISTER_KEYS: Final = _Keys((family.register, family) for family in FAMILIES)
_ALLOCATED_KEYS: Final = _Keys((family.allocated, family) for family in FAMILIES)
# What HAMi's keys look like for vendors that have no row here yet (facts/hami.md 3.3).
_ANY_REGISTER: Final = re.compile(r"hami\.io/node-(?:register-[^/]+|[^/]+-register)")
_ANY_ALLOCATED: Final = re.compile(r"hami\.io/[^/]+-allocated")


def registered_family(key: str) -> FamilyKey | None:
    """The family whose cards the node annotation `key` registers."""
    return _REGISTER_KEYS.find(key)


def promised_family(key: str) -> FamilyKey | None:
    """The family whose shares the pod annotation `key` promises."""
    return _ALLOCATED_KEYS.find(key)


def is_register_key(key: str) -> bool:
    """Whether a node annotation looks like a registration of some family, known or not."""
    return _ANY_REGISTER.fullmatch(key) is not None


def is_allocated_key(key: str) -> bool:
    """Whether a pod annotation looks like promises of some family, known or not."""
    return _ANY_ALLOCATED.fullmatch(key) is not None


def _made_up(derivations: Iterable[Derivation]) -> re.Pattern[str]:
    forms = (re.escape(d.card.removeprefix("{node}").removesuffix("{index}")) for d in derivations)
    return re.compile(f".+(?:{'|'.join(forms)})[0-9]+")


_NO_MEMORY: Final = _made_up(
    f.derivation for f in FAMILIES if f.derivation and not f.derivation.memory
)
_CORE_MASK: Final = _made_up(f.derivation for f in FAMILIES if f.derivation and f.cores_are_mask)


def has_placeholder_memory(card: str) -> bool:
    """Whether HAMi made the card up with a memory figure that says nothing of it."""
    return _NO_MEMORY.fullmatch(card) is not None


def has_core_mask(card: str) -> bool:
    """Whether HAMi made the card up and counts its cores as bits of a mask."""
    return _CORE_MASK.fullmatch(card) is not None
