"""From our functions through grafanalib and the normaliser to Grafana's JSON."""

from __future__ import annotations

from typing import Any, Final

from gpuatlas_dashboards.links import BoardId, Link, board_url, column
from gpuatlas_dashboards.normalise import normalise
from gpuatlas_dashboards.panels import grafana
from gpuatlas_dashboards.panels.bars import stacked_bars
from gpuatlas_dashboards.panels.fields import Cell, Field, Match, step, text_of_pattern
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.stat import Paint, stat
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.timeline import state_timeline
from gpuatlas_dashboards.panels.timeseries import time_series
from gpuatlas_dashboards.texts.shapes.words import Words
from gpuatlas_dashboards.tokens import Unit

Json = dict[str, Any]
WORDS: Final = Words(title="Power", description="What is drawn. Watts.", empty="no driver")
QUERY: Final = Query(expr="up", legend="{{node}}")
LOOK: Final = Look(unit=Unit.WATTS)
DATASOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}


def rendered(panel: Panel) -> Json:
    """The panel alone on a board, as Grafana gets it."""
    board = normalise(grafana.dashboard({"title": "t"}, variables=[], panels=[panel.at(0, 0)]))
    only: Json = board["panels"][0]
    return only


def test_a_panel_has_only_words_that_grafana_writes_today() -> None:
    panel = rendered(stat(WORDS, [QUERY], LOOK, width=6))

    assert panel == {
        "id": 1,
        "type": "stat",
        "title": "Power",
        "description": "What is drawn. Watts.",
        "datasource": DATASOURCE,
        "gridPos": {"x": 0, "y": 0, "w": 6, "h": 4},
        "targets": [
            {
                "refId": "A",
                "expr": "up",
                "legendFormat": "{{node}}",
                "format": "time_series",
                "instant": False,
                "range": True,
                "editorMode": "code",
                "datasource": DATASOURCE,
            }
        ],
        "fieldConfig": {
            "defaults": {
                "unit": "watt",
                "noValue": "no driver",
                "color": {"mode": "thresholds"},
                "custom": {},
                "thresholds": {"mode": "absolute", "steps": [{"color": "text", "value": None}]},
            },
            "overrides": [],
        },
        "options": {
            "textMode": "auto",
            "colorMode": "none",
            "graphMode": "none",
            "justifyMode": "auto",
            "orientation": "auto",
            "wideLayout": False,
            "showPercentChange": False,
            "percentChangeColorMode": "standard",
            "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
        },
    }


def test_a_table_asks_once_for_rows_and_keeps_a_dash_for_empty_cells() -> None:
    look = Look(fields=[Field(name="node", title="Node")])
    panel = rendered(table(WORDS, [Query(expr="up", table=True)], look, width=12, height=8))
    target = panel["targets"][0]

    assert (target["format"], target["instant"], target["range"]) == ("table", True, False)
    assert panel["fieldConfig"]["defaults"]["noValue"] == "no driver"
    assert panel["fieldConfig"]["overrides"] == [
        {
            "matcher": {"id": "byRegexp", "options": "/.*/"},
            "properties": [{"id": "noValue", "value": "–"}],
        },
        {
            "matcher": {"id": "byName", "options": "node"},
            "properties": [{"id": "displayName", "value": "Node"}],
        },
    ]


def test_each_kind_of_panel_keeps_the_unit_and_says_why_it_is_empty() -> None:
    panels = {
        "timeseries": time_series(WORDS, [QUERY], LOOK, width=12),
        "state-timeline": state_timeline(WORDS, [QUERY], LOOK, width=12, height=4),
        "barchart": stacked_bars(WORDS, [QUERY], LOOK, width=12, height=4),
    }
    for kind, panel in panels.items():
        body = rendered(panel)
        assert body["type"] == kind
        assert body["fieldConfig"]["defaults"]["unit"] == "watt"
        assert body["fieldConfig"]["defaults"]["noValue"] == "no driver"


def test_a_painted_tile_without_steps_is_not_painted() -> None:
    panel = rendered(stat(WORDS, [QUERY], LOOK, width=6, paint=Paint.BACKGROUND))

    steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
    assert steps == [{"color": "transparent", "value": None}]


def test_queries_are_lettered_unless_they_are_named() -> None:
    queries = [QUERY, Query(expr="up", ref="limit"), QUERY]
    panel = rendered(time_series(WORDS, queries, LOOK, width=12))

    assert [target["refId"] for target in panel["targets"]] == ["A", "limit", "C"]


def test_a_field_writes_only_what_it_was_told() -> None:
    field = Field(
        name="/^gpu/",
        match=Match.REGEX,
        unit=Unit.BYTES,
        low=0,
        cell=Cell.BACKGROUND,
        cell_options={"mode": "basic"},
        thresholds=[step("green"), step("red", 2)],
        links=[Link(title="open", url="/d/x")],
        mappings=[text_of_pattern("/^a/", "b", "red")],
    )

    assert field.to_json()["matcher"] == {"id": "byRegexp", "options": "/^gpu/"}
    assert {p["id"]: p["value"] for p in field.to_json()["properties"]} == {
        "unit": "bytes",
        "min": 0,
        "custom.cellOptions": {"type": "color-background", "mode": "basic"},
        "thresholds": {
            "mode": "absolute",
            "steps": [{"color": "green", "value": None}, {"color": "red", "value": 2}],
        },
        "links": [{"title": "open", "url": "/d/x", "targetBlank": False}],
        "mappings": [
            {
                "type": "regex",
                "options": {"pattern": "/^a/", "result": {"index": 0, "text": "b", "color": "red"}},
            }
        ],
    }


def test_a_hidden_field_is_hidden_in_grafana_11_and_in_12() -> None:
    names = {p["id"] for p in Field(name="card", hidden=True).to_json()["properties"]}

    assert names == {"custom.hidden", "custom.hideFrom"}


def test_a_link_keeps_data_source_cluster_and_time() -> None:
    url = board_url(BoardId.CARDS, "-ja", keep=("node",), card=column("card"))

    assert url == (
        "/d/gpuatlas-cards-ja?${datasource:queryparam}&${cluster:queryparam}&${node:queryparam}"
        '&var-card=${__data.fields["card"]}&${__url_time_range}'
    )
