"""Image references without registry, tag and digest: images are often mirrored. Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from gpuatlas.sources.runtimes.table import ROWS, Row

_MAX_IMAGE = 1024  # the registry API ends names at 255 characters


class ImageName(NamedTuple):
    """`words` is "-<last folder>-<name>-" with every separator as "-"."""

    folders: frozenset[str]
    name: str
    words: str


@lru_cache(maxsize=4096)
def read_image(image: str) -> ImageName:
    """The parts of an image reference that say what is in it."""
    path = image[:_MAX_IMAGE].lower().partition("@")[0].split("/")
    if len(path) > 1 and (path[0] == "localhost" or any(c in path[0] for c in ".:")):
        path = path[1:]
    name = path[-1].partition(":")[0]
    near = "-".join([*path[-2:-1], name])
    return ImageName(
        folders=frozenset(path[:-1]),
        name=name,
        words=f"-{near.replace('.', '-').replace('_', '-')}-",
    )


def image_mark(row: Row, image: ImageName) -> str:
    """The mark of a row that an image bears, "" when it bears none."""
    if image.name in row.image_names:
        return image.name
    for word in row.images:
        if f"-{word}-" in image.words:
            return word
    return next((f"{folder}/" for folder in row.folders if folder in image.folders), "")


@lru_cache(maxsize=4096)
def rows_of(image: str) -> tuple[tuple[Row, str], ...]:
    """All rows that an image speaks for, in order of precedence, with their marks."""
    name = read_image(image)
    return tuple((row, mark) for row in ROWS if (mark := image_mark(row, name)))
