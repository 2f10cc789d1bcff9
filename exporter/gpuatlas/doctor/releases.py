"""Releases in texts and image tags, and the ranges that are supported (docs/support.md). Pure."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_RELEASE: Final = re.compile(r"v?(\d{1,4})\.(\d{1,4})(?:\.\d{1,6})?")


class Range(NamedTuple):
    """The first and the last release that are supported, as (major, minor)."""

    first: tuple[int, int]
    last: tuple[int, int]

    def __str__(self) -> str:
        return f"{shown(self.first)} to {shown(self.last)}"


KUBERNETES: Final = Range((1, 27), (1, 37))
HAMI: Final = Range((2, 4), (2, 10))
DCGM_EXPORTER: Final = Range((3, 0), (4, 8))
PROMETHEUS: Final = Range((2, 42), (3, 99))


def shown(release: tuple[int, int]) -> str:
    """(1, 27) → "1.27"."""
    return f"{release[0]}.{release[1]}"


def release_of(text: str) -> tuple[int, int] | None:
    """The first release in a version, None where it begins with none."""
    match = _RELEASE.match(text)
    return (int(match[1]), int(match[2])) if match else None


def tag_of(image: str) -> str:
    """The tag of an image, "" without one."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[2]


def dcgm_exporter_of(image: str) -> tuple[int, int] | None:
    """The exporter's release: its tags are DCGM-EXPORTER-SYSTEM, as in 4.5.3-4.8.2-ubuntu22.04."""
    found = [release for part in tag_of(image).split("-") if (release := release_of(part))]
    return found[1] if len(found) > 1 else next(iter(found), None)
