"""grafanalib's JSON brought to the form that Grafana 11.6 and newer write themselves.

The only place that knows the age of grafanalib: it drops what older Grafanas wanted, nulls and
repeated defaults. Everything that is kept is named here, so that nothing slips in unseen.
"""

from __future__ import annotations

from typing import Any, Final

Json = dict[str, Any]

_BOARD_KEYS: Final = (
    "annotations", "description", "editable", "graphTooltip", "links", "panels", "refresh",
    "schemaVersion", "tags", "templating", "time", "timepicker", "timezone", "title", "uid",
)  # fmt: skip
_PANEL_KEYS: Final = (
    "datasource", "description", "fieldConfig", "gridPos", "id", "interval", "links", "options",
    "repeat", "repeatDirection", "targets", "timeFrom", "title", "transformations", "transparent",
    "type",
)  # fmt: skip
_ROW_KEYS: Final = ("collapsed", "gridPos", "id", "panels", "repeat", "title", "type")
_TARGET_KEYS: Final = (
    "datasource", "expr", "format", "instant", "interval", "legendFormat", "refId",
)  # fmt: skip
# Of grafanalib's own defaults of a table, a bar chart …, beside those that `panels` set.
_STALE_CUSTOM: Final = ("displayMode", "axisPlacement", "axisColorMode", "axisCenteredZero")
# Of a bar gauge: Grafana would read its settings from here and not from fieldConfig.
_STALE_OPTIONS: Final = ("fieldOptions", "showThresholdLabels", "showThresholdMarkers")
_WITHOUT_QUERY: Final = ("text", "row")


def normalise(board: Json) -> Json:
    """The same board in today's form."""
    kept = _only(board, _BOARD_KEYS)
    kept["panels"] = [_panel(panel) for panel in board["panels"]]
    kept["templating"] = {"list": [_variable(v) for v in board["templating"]["list"]]}
    kept["timepicker"] = {}
    kept["annotations"] = {"list": []}
    return kept


def _variable(variable: Json) -> Json:
    """Without the second copy of its query, and without a choice where none is made."""
    kept = {name: value for name, value in variable.items() if name != "definition"}
    if not kept["current"]:
        del kept["current"]
    return kept


def _panel(panel: Json) -> Json:
    if panel["type"] == "row":
        row = _only(panel, _ROW_KEYS)
        row["panels"] = [_panel(inner) for inner in panel["panels"]]
        return row
    kept = _only(_without_nulls(panel), _PANEL_KEYS)
    for name in ("links", "transformations", "transparent"):
        if not kept.get(name):
            kept.pop(name, None)
    if panel["type"] in _WITHOUT_QUERY:
        for name in ("datasource", "targets", "fieldConfig"):
            kept.pop(name, None)
        return kept
    kept["targets"] = [_target(target) for target in panel["targets"]]
    kept["options"] = {k: v for k, v in kept["options"].items() if k not in _STALE_OPTIONS}
    kept["fieldConfig"] = _field_config(panel["fieldConfig"])
    return kept


def _target(target: Json) -> Json:
    kept = _only(target, _TARGET_KEYS)
    kept["range"] = not target["instant"]
    kept["editorMode"] = "code"
    if not kept["interval"]:
        del kept["interval"]
    return kept


def _field_config(config: Json) -> Json:
    defaults = _without_nulls(config["defaults"])
    defaults["custom"] = {
        name: value for name, value in defaults["custom"].items() if name not in _STALE_CUSTOM
    }
    # The base step of thresholds is the one null that Grafana wants.
    defaults["thresholds"] = config["defaults"]["thresholds"]
    for name in ("links", "mappings", "noValue"):
        if not defaults.get(name):
            defaults.pop(name, None)
    return {"defaults": defaults, "overrides": config["overrides"]}


def _only(source: Json, names: tuple[str, ...]) -> Json:
    return {name: source[name] for name in names if source.get(name) is not None}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value
