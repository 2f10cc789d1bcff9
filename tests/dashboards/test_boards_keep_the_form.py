"""The bar of grafana/dashboard-linter and Grafana's own form, on every generated board.

Two of its rules are left out: `job` and `instance` matchers (recording rules have chosen already),
and rate around counters (what is a counter the recording rules know).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from gpuatlas_harness.boards import BoardFile, read_boards, walk

BOARDS: Final = read_boards()
DATASOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
# Panels of Grafana itself, 11.6 to 13.
TYPES: Final = {
    "row", "stat", "timeseries", "table", "barchart", "bargauge", "state-timeline", "text",
}  # fmt: skip
# Ids in Grafana's list of units, those that we use.
UNITS: Final = {
    "bytes", "percentunit", "s", "dtdurations", "dateTimeAsIso", "dateTimeFromNow", "celsius",
    "watt", "hertz", "joule", "short", "none", "string", "Bps",
}  # fmt: skip
# What Grafana 11.6 writes; anything else is a word of an older one.
PANEL_KEYS: Final = {
    "collapsed", "datasource", "description", "fieldConfig", "gridPos", "id", "links", "options",
    "panels", "targets", "title", "transformations", "transparent", "type",
}  # fmt: skip
TARGET_KEYS: Final = {
    "datasource", "editorMode", "expr", "format", "instant", "interval", "legendFormat", "range",
    "refId",
}  # fmt: skip

Fault = Callable[[BoardFile], Iterator[str]]


def heading(board: BoardFile) -> Iterator[str]:
    body = board.body
    if not re.fullmatch(r"gpuatlas-[a-z]+(-ja)?", body["uid"]) or len(body["uid"]) > 40:
        yield f"the uid is {body['uid']}"
    if not body.get("title") or not body.get("description"):
        yield "no title or no description"
    if body["editable"] is not False:
        yield "it can be edited"
    if body["schemaVersion"] not in range(39, 42):
        yield f"schemaVersion {body['schemaVersion']}"
    if body["tags"] != ["gpuatlas"]:
        yield f"tags {body['tags']}"
    if "id" in body:
        yield "an id, which is an installation's own"


def datasources(board: BoardFile) -> Iterator[str]:
    chosen = [v for v in board.body["templating"]["list"] if v["type"] == "datasource"]
    if [variable["name"] for variable in chosen] != ["datasource"]:
        yield "not exactly one variable `datasource`"
    elif chosen[0]["query"] != "prometheus" or not chosen[0]["label"]:
        yield "the variable `datasource` is no Prometheus or has no label"
    for panel in board.panels():
        if panel["type"] == "text":
            continue
        if panel["datasource"] != DATASOURCE:
            yield f"{panel['title']}: data source {panel['datasource']}"
        for target in panel["targets"]:
            if target["datasource"] != DATASOURCE:
                yield f"{panel['title']} {target['refId']}: data source {target['datasource']}"


def panels(board: BoardFile) -> Iterator[str]:
    for panel in board.panels(rows=True):
        if panel["type"] not in TYPES:
            yield f"{panel['title']}: a panel of type {panel['type']}"
        if panel["type"] == "row":
            continue
        if panel["type"] != "text" and not panel["title"]:
            yield f"panel {panel['id']} has no title"
        if len(panel.get("description", "")) < 20:
            yield f"{panel['title']}: no description"
        if panel["type"] != "text" and not panel["targets"]:
            yield f"{panel['title']}: no query"


def units(board: BoardFile) -> Iterator[str]:
    for panel in board.panels():
        config = panel.get("fieldConfig", {"defaults": {"unit": "none"}, "overrides": []})
        used = [config["defaults"].get("unit")]
        for override in config["overrides"]:
            used += [p["value"] for p in override["properties"] if p["id"] == "unit"]
        yield from (f"{panel['title']}: unit {unit}" for unit in used if unit not in UNITS)


def empty_states(board: BoardFile) -> Iterator[str]:
    """Whoever sees nothing must be told why."""
    for panel in board.panels():
        if panel["type"] == "text":
            continue
        if len(panel["fieldConfig"]["defaults"].get("noValue", "")) < 5:
            yield f"{panel['title']}: nothing says why it may be empty"


def variables(board: BoardFile) -> Iterator[str]:
    for variable in board.body["templating"]["list"]:
        if not variable.get("label"):
            yield f"{variable['name']} has no label"
        if variable["type"] != "query":
            continue
        if variable["refresh"] != 2:
            yield f"{variable['name']} is not refreshed with the time range"
        if variable["datasource"] != DATASOURCE:
            yield f"{variable['name']}: data source {variable['datasource']}"
        # "All" of a hidden one is the list of its values.
        matched = variable["hide"] != 2 and variable["includeAll"]
        if matched and variable["allValue"] != ".*":
            yield f"{variable['name']}: All is {variable.get('allValue')}"


def ids(board: BoardFile) -> Iterator[str]:
    numbers = [panel["id"] for panel in board.panels(rows=True)]
    if sorted(numbers) != list(range(1, len(numbers) + 1)):
        yield f"ids {numbers}"
    for panel in board.panels():
        refs = [target["refId"] for target in panel.get("targets", [])]
        if len(refs) != len(set(refs)):
            yield f"{panel['title']}: queries {refs}"


def legacy(board: BoardFile) -> Iterator[str]:
    for panel in board.panels(rows=True):
        for key in sorted(panel.keys() - PANEL_KEYS):
            yield f"{panel['title']}: the key {key}"
        for target in panel.get("targets", []):
            for key in sorted(target.keys() - TARGET_KEYS):
                yield f"{panel['title']} {target['refId']}: the key {key}"
        steps = panel.get("fieldConfig", {}).get("defaults", {}).get("thresholds", {})
        if steps and steps["steps"][0]["value"] is not None:
            yield f"{panel['title']}: the first threshold has a value"
    for key, value in walk(board.body):
        # The base step of thresholds alone is null.
        if value is None and key != "value":
            yield f"{key} is null"


def places(board: BoardFile) -> Iterator[str]:
    taken: dict[tuple[int, int], str] = {}
    for panel in board.body["panels"]:
        yield from _overlaps(panel, taken)
        inner: dict[tuple[int, int], str] = {}
        for hidden in panel.get("panels", []):
            yield from _overlaps(hidden, inner)


def _overlaps(panel: dict[str, Any], taken: dict[tuple[int, int], str]) -> Iterator[str]:
    place = panel["gridPos"]
    if place["x"] + place["w"] > 24 or min(place["x"], place["y"]) < 0:
        yield f"{panel['title']} leaves the grid: {place}"
    for x in range(place["x"], place["x"] + place["w"]):
        for y in range(place["y"], place["y"] + place["h"]):
            if (x, y) in taken:
                yield f"{panel['title']} covers {taken[x, y]}"
                return
            taken[x, y] = panel["title"]


@pytest.mark.parametrize("board", BOARDS, ids=str)
@pytest.mark.parametrize(
    "fault",
    [heading, datasources, panels, units, empty_states, variables, ids, legacy, places],
    ids=lambda fault: fault.__name__,
)
def test_board_keeps_the_form(board: BoardFile, fault: Fault) -> None:
    assert list(fault(board)) == []


def test_uids_are_unique() -> None:
    uids = [board.body["uid"] for board in BOARDS]

    assert sorted(set(uids)) == sorted(uids)
    assert uids
