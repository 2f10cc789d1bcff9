"""Every board is what the types of Grafana 11.6, 12 and 13 allow, down to the options of panels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import pytest

from gpuatlas_harness.boards import BoardFile, read_boards
from gpuatlas_harness.grafana_schemas import grafana_schemas, part, partial, schema_faults

Json = dict[str, Any]

BOARDS: Final = read_boards()
# Of panels that have no settings of their own for fields.
NOTHING: Final = {"type": "object", "maxProperties": 0}
# What a release leaves aside without harm and another one needs, in tables.
FORGIVEN: Final[Mapping[str, Mapping[str, str]]] = {
    "11": {
        "frozenColumns": "columns stay in sight from 12 on",
        "hideFrom": "how 12 hides a column",
        "wrapText": "how 12 breaks lines",
    },
    "12": {
        "hidden": "how 11 hides a column",
        "cellOptions.wrapText": "how 11 breaks lines",
    },
    "13": {
        "hidden": "how 11 hides a column",
        "cellOptions.wrapText": "how 11 breaks lines",
    },
}


@pytest.fixture(scope="module")
def schemas() -> dict[str, Json]:
    return grafana_schemas()


def board_faults(schemas: dict[str, Json], grafana: str, board: Json) -> Iterator[str]:
    yield from schema_faults(schemas[grafana]["dashboard"], board)
    for panel in _panels(board):
        for schema, value in of_panel(schemas[grafana], panel):
            kept = without(value, FORGIVEN[grafana])
            yield from (f"{panel['title']}: {fault}" for fault in schema_faults(schema, kept))


def _panels(board: Json) -> Iterator[Json]:
    for panel in board["panels"]:
        if panel["type"] != "row":
            yield panel
        yield from panel.get("panels", [])


def of_panel(schema: Json, panel: Json) -> Iterator[tuple[Json, Json]]:
    """What the schema of the dashboard leaves open: options, and settings of single fields."""
    kind = schema["panels"][panel["type"]]
    custom_schema = partial(kind["custom"]) if "custom" in kind else NOTHING
    yield partial(kind["options"]), panel["options"]
    config = panel.get("fieldConfig", {"defaults": {"custom": {}}, "overrides": []})
    yield custom_schema, config["defaults"]["custom"]
    for override in config["overrides"]:
        values = {entry["id"]: entry["value"] for entry in override["properties"]}
        custom = {name: value for name, value in values.items() if name.startswith("custom.")}
        standard = {name: value for name, value in values.items() if name not in custom}
        yield part(schema["dashboard"], "FieldConfig"), standard
        yield custom_schema, {name.removeprefix("custom."): v for name, v in custom.items()}


def without(value: Json, names: Iterable[str]) -> Json:
    """The same without these keys; a dot leads one level down."""
    kept = {key: inner for key, inner in value.items() if key not in names}
    for name in names:
        outer, _, inner = name.partition(".")
        if inner and outer in kept:
            kept[outer] = {k: v for k, v in kept[outer].items() if k != inner}
    return kept


@pytest.mark.parametrize("grafana", FORGIVEN)
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_a_board_is_as_grafana_has_it(
    schemas: dict[str, Json], board: BoardFile, grafana: str
) -> None:
    assert sorted(set(board_faults(schemas, grafana, board.body))) == []


@pytest.mark.parametrize(
    ("grafana", "name"), [(grafana, name) for grafana, names in FORGIVEN.items() for name in names]
)
def test_what_is_forgiven_is_on_a_board_and_unknown_to_that_grafana(
    schemas: dict[str, Json], grafana: str, name: str
) -> None:
    found = [
        fault
        for board in BOARDS
        for panel in _panels(board.body)
        for schema, value in of_panel(schemas[grafana], panel)
        if value != without(value, [name])
        for fault in schema_faults(schema, without(value, FORGIVEN[grafana].keys() - {name}))
    ]

    assert found


def test_a_board_that_is_not_as_grafana_has_it_is_found(schemas: dict[str, Json]) -> None:
    board = next(board for board in BOARDS if board.name == "overview").body
    stat = next(panel for panel in _panels(board) if panel["type"] == "stat")
    wrong = {**stat, "options": {**stat["options"], "colorMode": "loud"}}
    misspelt = {**board, "panels": [wrong], "refersh": "1m"}
    faults = list(board_faults(schemas, "13", misspelt))

    assert len(faults) == 2
    assert "refersh" in faults[0]
    assert faults[1].startswith(f"{stat['title']}: colorMode: 'loud'")
