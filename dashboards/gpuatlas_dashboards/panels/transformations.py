"""What Grafana does with answers before it shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Json = dict[str, Any]


def _of_ref(ref: str) -> Json:
    return {"filter": {"id": "byRefId", "options": ref}} if ref else {}


def merge() -> Json:
    """Rows of several queries become one row where all their labels agree."""
    return {"id": "merge", "options": {}}


def join_by(field: str, *, inner: bool = False) -> Json:
    """Frames side by side on one field."""
    mode = "inner" if inner else "outer"
    return {"id": "joinByField", "options": {"byField": field, "mode": mode}}


def join_rows(field: str, refs: str = "", *, inner: bool = False) -> Json:
    """The same for tables in which a value may stand in several rows; `refs` as in "a|b"."""
    mode = "inner" if inner else "outerTabular"
    options = {"byField": field, "mode": mode}
    return {"id": "joinByField", **_of_ref(f"/^({refs})$/" if refs else ""), "options": options}


def group(by: Sequence[str], listed: str, ref: str = "") -> list[Json]:
    """A row for each combination of some fields; the values of another one as a list in a cell."""
    values = f"{listed} (uniqueValues)"
    text = {"targetField": values, "destinationType": "string", "joinWith": ", "}
    return [
        _group_by(by, listed, "uniqueValues", ref),
        {"id": "convertFieldType", **_of_ref(ref), "options": {"conversions": [text]}},
    ]


def highest(by: Sequence[str], number: str, ref: str = "") -> Json:
    """A row for each combination of some fields with the highest number, named "NUMBER (max)".

    A query without an answer leaves no frame; `join_rows` fails where none has its field.
    """
    return _group_by(by, number, "max", ref)


def _group_by(by: Sequence[str], field: str, reducer: str, ref: str) -> Json:
    fields: Json = {name: {"aggregations": [], "operation": "groupby"} for name in by}
    fields[field] = {"aggregations": [reducer], "operation": "aggregate"}
    return {"id": "groupBy", **_of_ref(ref), "options": {"fields": fields}}


def matrix(*, row: str, column: str, value: str, ref: str = "", empty: str = "empty") -> Json:
    """A row for each value of one field, a column for each of another; needs a single frame."""
    options = {"rowField": row, "columnField": column, "valueField": value, "emptyValue": empty}
    return {"id": "groupingToMatrix", **_of_ref(ref), "options": options}


def sort_by(field: str, *, descending: bool = False, ref: str = "") -> Json:
    sort = [{"field": field, "desc": descending}]
    return {"id": "sortBy", **_of_ref(ref), "options": {"fields": {}, "sort": sort}}


def convert(field: str, to: str, *, ref: str = "") -> Json:
    """Read a field as another type, as in `convert("index", "number")`."""
    conversions = [{"targetField": field, "destinationType": to}]
    return {"id": "convertFieldType", **_of_ref(ref), "options": {"conversions": conversions}}


def organise(
    *,
    first: Sequence[str] = (),
    rename: Mapping[str, str] | None = None,
    drop: Sequence[str] = (),
) -> Json:
    """Fields in front, new names, and fields that go; the others stay as they are."""
    options = {
        "excludeByName": dict.fromkeys(drop, True),
        "includeByName": {},
        "indexByName": {name: place for place, name in enumerate(first)},
        "renameByName": dict(rename or {}),
    }
    return {"id": "organize", "options": options}


def columns(order: Sequence[str], rename: Mapping[str, str] | None = None) -> list[Json]:
    """Only these fields, in this order."""
    return [
        {"id": "filterFieldsByName", "options": {"include": {"names": list(order)}}},
        {
            "id": "organize",
            "options": {
                "excludeByName": {},
                "includeByName": {},
                "indexByName": {name: place for place, name in enumerate(order)},
                "renameByName": dict(rename or {}),
            },
        },
    ]


def rows_of_fields() -> Json:
    """One row turned into a row for each of its fields: its name and its value."""
    return {"id": "reduce", "options": {"mode": "seriesToRows", "reducers": ["lastNotNull"]}}


def series_to_sparkline(ref: str) -> list[Json]:
    """A row for each series of one query, the last, with its course in a column `Trend #<ref>`.

    Grafana takes every frame for a course whose times rise, so also a table of a single row; the
    other queries lose their times.
    """
    others = {"filter": {"id": "byRefId", "options": f"/^(?!{ref}$)/"}}
    timeless = {"options": {"exclude": {"names": ["Time"]}}}
    return [
        {"id": "filterFieldsByName", **others, **timeless},
        {"id": "timeSeriesTable", "options": {}},
    ]
