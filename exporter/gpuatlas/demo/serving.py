"""What a scenario says of a server: what is asked of it, and its key-value cache."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """The key-value cache of a language model's server, on each of its cards.

    `busiest` is the share of it in use when the server is at its busiest. With `told` its size is
    an option of the server's, which its page shows; else the server took what its cards had left.
    """

    mib: int
    busiest: float
    told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What is asked of one pod of a service at its busiest, and how long it takes undisturbed.

    `tokens` are those of a question and of its answer; (0, 0) where nothing is written.
    """

    requests_per_second: float
    seconds: float
    tokens: tuple[int, int] = (0, 0)
