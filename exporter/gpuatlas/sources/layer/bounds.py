"""Whose controllers and Services are looked at where there are too many. Pure.

The label by which a layer's objects are found can be set by any tenant on theirs: without a bound
each of them would be series of ours. What is left out is a rejection of its source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Final, TypeVar

T = TypeVar("T")

TOO_MANY: Final = "too-many"
# An installation has two to four controllers; some have one of each pool of nodes. Ours.
MAX_CONTROLLERS: Final = 64
# Beside those that webhooks call; an installation has one (facts/hami.md 6.1). Ours.
MAX_SERVICES: Final = 32
SYSTEM: Final = "kube-system"


def in_turn(found: Iterable[T], namespace: Callable[[T], str], own: Collection[str]) -> list[T]:
    """The objects in the order in which they count until the bound.

    Those of the system's namespace and of `own`, to which webhooks lead, come first: no tenant
    makes these. Of the others the first of each namespace comes before the second of any, so that
    whoever makes many takes no other's place. Otherwise the order stays.
    """
    first = {*own, SYSTEM}
    seen: Counter[str] = Counter()
    ranked: list[tuple[bool, int, int, T]] = []
    for number, one in enumerate(found):
        home = namespace(one)
        ranked.append((home not in first, seen[home], number, one))
        seen[home] += 1
    return [one for *_, one in sorted(ranked, key=lambda rank: rank[:3])]
