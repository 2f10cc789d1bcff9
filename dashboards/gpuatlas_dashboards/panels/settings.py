"""What every panel has: title, description, data source, fields and transformations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gpuatlas_dashboards.links import Link
from gpuatlas_dashboards.panels.fields import Field, step
from gpuatlas_dashboards.panels.grafana import targets
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.texts.shapes.words import Words
from gpuatlas_dashboards.tokens import Unit
from gpuatlas_dashboards.variables import DATASOURCE

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How the fields of a panel are shown unless a `Field` says otherwise.

    Attributes:
        unit: Of the values.
        colour: One colour for all values; "" leaves it to thresholds.
        palette: A colour for each series instead.
        thresholds: Steps as `fields.step` makes them; none colours nothing.
        mappings: From values to texts and colours.
        fields: What differs from field to field.
        transformations: What is done with the answers before they are shown.
        links: On every value.
        transparent: Without the panel's own background.
    """

    unit: Unit = Unit.COUNT
    decimals: int | None = None
    low: float | None = None
    high: float | None = None
    colour: str = ""
    palette: bool = False
    thresholds: Sequence[Json] = ()
    mappings: Sequence[Json] = ()
    fields: Sequence[Field] = ()
    transformations: Sequence[Json] = ()
    links: Sequence[Link] = ()
    transparent: bool = False
    custom: Json = field(default_factory=dict)


def settings(words: Words, queries: Sequence[Query], look: Look, *, options: Json) -> Json:
    """The arguments that grafanalib's panels have in common; `options` are Grafana's own."""
    return {
        "title": words.title,
        "description": words.description,
        "dataSource": DATASOURCE,
        "targets": targets(queries),
        "transformations": list(look.transformations),
        "transparent": look.transparent,
        "extraJson": {"fieldConfig": _field_config(words, look), "options": options},
    }


def _field_config(words: Words, look: Look) -> Json:
    steps = list(look.thresholds) or [step("text")]
    return {
        "defaults": {
            "unit": look.unit.value,
            "decimals": look.decimals,
            "min": look.low,
            "max": look.high,
            "noValue": words.empty,
            "color": _colour(look),
            "mappings": list(look.mappings),
            "thresholds": {"mode": "absolute", "steps": steps},
            "links": [link.to_json() for link in look.links],
            "custom": look.custom,
        },
        "overrides": [entry.to_json() for entry in look.fields],
    }


def _colour(look: Look) -> Json:
    if look.colour:
        return {"mode": "fixed", "fixedColor": look.colour}
    return {"mode": "palette-classic" if look.palette else "thresholds"}
