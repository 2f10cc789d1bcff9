"""Single values and tiles of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from gpuatlas_dashboards.panels import grafana
from gpuatlas_dashboards.panels.fields import step
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look, settings
from gpuatlas_dashboards.texts.shapes.words import Words
from gpuatlas_dashboards.tokens import Colour


class Paint(StrEnum):
    """What the colour of a value is given to."""

    NOTHING = "none"
    VALUE = "value"
    BACKGROUND = "background_solid"


class Say(StrEnum):
    """What stands in a tile; `AUTO` adds the name where there are several."""

    AUTO = "auto"
    VALUE = "value"
    NAME = "name"
    BOTH = "value_and_name"


def stat(
    words: Words,
    queries: Sequence[Query],
    look: Look,
    *,
    width: int,
    height: int = 4,
    paint: Paint = Paint.NOTHING,
    say: Say = Say.AUTO,
    graph: bool = False,
    rows: bool = False,
    field: str = "",
    text_size: int | None = None,
) -> Panel:
    """The last value of each series.

    `graph`: Its course behind it; the queries must not be instant.
    `rows`: Every row of a table is a value, not each series' last.
    `field`: A regular expression of the fields to show, as in "/^node$/"; else numbers.
    `text_size`: Of the value in pixels; else as large as fits.
    """
    options = {
        "textMode": say.value,
        "colorMode": paint.value,
        "graphMode": "area" if graph else "none",
        "justifyMode": "auto",
        "orientation": "auto",
        "wideLayout": False,
        "showPercentChange": False,
        "percentChangeColorMode": "standard",
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": field, "values": rows},
        **({"text": {"valueSize": text_size}} if text_size else {}),
    }
    if paint is Paint.BACKGROUND and not look.thresholds:
        look = replace(look, thresholds=[step(Colour.PLAIN)])
    widget = grafana.stat(**settings(words, queries, look, options=options))
    return Panel(widget=widget, width=width, height=height)


def state_tile(
    words: Words,
    query: Query,
    codes: dict[str, Any],
    *,
    width: int,
    height: int,
    say: Say = Say.AUTO,
    text_size: int | None = None,
) -> Panel:
    """A state in its word, on its colour; `codes` is the mapping of its values."""
    return stat(
        words,
        [query],
        Look(mappings=[codes]),
        width=width,
        height=height,
        paint=Paint.BACKGROUND,
        say=say,
        text_size=text_size,
    )
