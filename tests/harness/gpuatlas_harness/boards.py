"""The generated dashboards read back: panels, queries and links, for the tests of the boards."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import promql_parser

from gpuatlas_harness.alert_rules import ROOT

GENERATED: Final = ROOT / "dashboards" / "generated"

# What Grafana puts in: a duration, a number, or the value of a variable.
_BUILT_IN: Final = {
    "__rate_interval": "4m",
    "__interval": "1m",
    "__range": "24h",
    "__range_s": "86400",
    "__interval_ms": "60000",
}
_VARIABLE: Final = re.compile(r"\$(?:\{([a-z_]\w*)(?::(\w+))?\}|([a-z_]\w*))")

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PanelQuery:
    """One query of a panel."""

    board: str
    panel: str
    number: int
    ref: str
    expr: str
    instant: bool

    def __str__(self) -> str:
        return f"{self.board}: {self.panel or '(untitled)'} #{self.number} {self.ref}"


@dataclass(frozen=True, slots=True)
class BoardFile:
    """A generated file; `name` is its path without the suffix, as in `ja/cards`."""

    path: Path
    body: Json

    @property
    def name(self) -> str:
        return str(self.path.relative_to(GENERATED).with_suffix(""))

    def __str__(self) -> str:
        return self.name

    def panels(self, *, rows: bool = False) -> Iterator[Json]:
        """Every panel, those of collapsed rows too."""
        for panel in self.body["panels"]:
            if panel["type"] != "row" or rows:
                yield panel
            yield from panel.get("panels", [])

    def queries(self) -> Iterator[PanelQuery]:
        for panel in self.panels():
            for target in panel.get("targets", []):
                yield PanelQuery(
                    board=self.name,
                    panel=panel["title"],
                    number=panel["id"],
                    ref=target["refId"],
                    expr=target["expr"],
                    instant=target["instant"],
                )

    def variables(self) -> dict[str, Json]:
        """By name."""
        return {variable["name"]: variable for variable in self.body["templating"]["list"]}

    def addresses(self) -> Iterator[str]:
        """Every address that a click leads to."""
        yield from (str(value) for key, value in walk(self.body) if key == "url")


def read_boards() -> list[BoardFile]:
    """Every generated board."""
    return [
        BoardFile(path=path, body=json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(GENERATED.rglob("*.json"))
    ]


def walk(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key with its value, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key, inner
            yield from walk(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner)


def variables_in(text: str) -> set[str]:
    """The names of Grafana's variables in a text, built-in ones too."""
    return {match[1] or match[3] for match in _VARIABLE.finditer(text)}


def filled(expr: str, values: Mapping[str, str] | None = None) -> str:
    """PromQL as Prometheus gets it; a variable without a value is `.*`, "All"."""
    chosen = {**_BUILT_IN, **(values or {})}
    return _VARIABLE.sub(lambda match: chosen.get(match[1] or match[3], ".*"), expr)


def tree_of(expr: str) -> promql_parser.Expr:
    """The syntax tree. Raises ValueError with the parser's words."""
    tree: promql_parser.Expr = promql_parser.parse(filled(expr))
    return tree
