"""Figures as the texts of proposals write them. Pure."""

from __future__ import annotations

from gpuatlas.sizing.margins import GIB


def gib(amount: float) -> str:
    """Bytes: "4.75 GiB", "12 GiB"."""
    return f"{_plain(amount / GIB)} GiB"


def percent(share: float) -> str:
    """A share: "35 %"."""
    return f"{share * 100:.0f} %"


def days(number: float) -> str:
    """A number of days: "1 day", "3.2 days"."""
    text = _plain(round(number, 1))
    return "1 day" if text == "1" else f"{text} days"


def count(number: int, noun: str) -> str:
    """A number of things: "1 card", "4 cards"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _plain(number: float) -> str:
    """At most two decimals, and none that are zero."""
    return f"{number:,.2f}".rstrip("0").rstrip(".")
