"""What a board consists of; `render.py` makes JSON of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpuatlas_dashboards.layout import Section
from gpuatlas_dashboards.links import BoardId
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import TIME_FROM
from gpuatlas_dashboards.variables import Variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """One board in one language.

    Attributes:
        title: What the tab of the browser says.
        description: Which question it answers.
        variables: In the order in which they stand above it, `datasource` first.
        sections: From top to bottom.
        time_from: The start of the time range at first; it ends now.
    """

    title: str
    description: str
    variables: Sequence[Variable]
    sections: Sequence[Section]
    time_from: str = TIME_FROM


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardEntry:
    """A board in the catalogue."""

    id: BoardId
    build: Callable[[Language], Board]
