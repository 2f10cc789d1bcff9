"""Versions of a layer's programs, read from image tags, labels and build information. Pure."""

from __future__ import annotations

import re
from typing import Final

# A release, maybe with a pre-release; what a build adds ("-dirty", "-3-gabc1234", "-amd64",
# "+build") says nothing of the release. A tag with two numbers moves, as "latest" does.
_RELEASE: Final = re.compile(
    r"v?(\d{1,4})\.(\d{1,4})\.(\d{1,6})(-(?:alpha|beta|rc)(?:[.-]?\d{1,4})?)?(?=[-+_.]|$)",
    re.IGNORECASE,
)


def release_of(text: str) -> str:
    """The release in a version text ("2.8.1", "2.9.0-rc.1"), "" where it tells none."""
    match = _RELEASE.match(text.strip())
    return f"{match[1]}.{match[2]}.{match[3]}{(match[4] or '').lower()}" if match else ""


def release_of_image(image: str) -> str:
    """The release by an image's tag; "" without one and for tags that move."""
    name = image.partition("@")[0].rpartition("/")[2]
    return release_of(name.partition(":")[2])


def is_since(version: str, first: tuple[int, int]) -> bool:
    """Whether a version is of the release `first` (major, minor) or later; False if unknown."""
    release = release_of(version)
    if not release:
        return False
    major, minor, _ = release.split(".", 2)
    return (int(major), int(minor)) >= first
