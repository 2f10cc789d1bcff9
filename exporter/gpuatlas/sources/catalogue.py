"""Reads the catalogue of the checks: the very files that Prometheus loads as alerting rules.

The wheel carries them (`tool.hatch.build.targets.wheel.force-include` in pyproject.toml); in a
source tree they lie in `alerts/`. They are part of the program: one that cannot be read is a broken
installation and no bad input.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

import yaml

import gpuatlas
from gpuatlas.model.catalogue import (
    Catalogue,
    CheckEntry,
    Layer,
    Severity,
    SignalEntry,
    XidEntry,
)

_XIDS: Final = "xid.yaml"
_SHIPPED: Final = "catalogue"
_IN_TREE: Final = "alerts"

Rule = Mapping[str, Any]


@cache
def load_catalogue() -> Catalogue:
    """The catalogue of this installation."""
    return read_catalogue(_folder())


def read_catalogue(folder: Traversable) -> Catalogue:
    """The catalogue that the files of one folder make up.

    Raises:
        FileNotFoundError: the folder or a file is not there.
        KeyError, ValueError: a file is no catalogue.
    """
    checks = [entry for layer in Layer for entry in _checks(folder, layer)]
    rows = _content(folder / _XIDS)["xids"]
    xids = {row["number"]: _xid(row) for row in rows}
    return Catalogue(checks=tuple(checks), xids=xids)


def _folder() -> Traversable:
    """Where the files are: beside the code, or in the repository that the code lies in."""
    shipped = files(gpuatlas) / _SHIPPED
    if shipped.is_dir():
        return shipped
    return Path(gpuatlas.__file__).resolve().parents[2] / _IN_TREE


def _checks(folder: Traversable, layer: Layer) -> Iterator[CheckEntry]:
    rules: dict[str, list[Rule]] = {}
    for group in _content(folder / f"{layer}.yaml")["groups"]:
        # Beside the alerts stand recording rules, whose series alerts read over time.
        for rule in (rule for rule in group["rules"] if "alert" in rule):
            rules.setdefault(rule["labels"]["check"], []).append(rule)
    for check, found in rules.items():
        first = found[0]
        yield CheckEntry(
            id=check,
            alert=first["alert"],
            layer=layer,
            title=first["annotations"]["summary"],
            signals=tuple(_signals(found)),
            runbook=first["annotations"]["runbook_url"],
        )


def _signals(rules: Iterable[Rule]) -> Iterator[SignalEntry]:
    """Rules of one signal differ in their severity; what to do about it is the same."""
    alike: dict[str, list[Rule]] = {}
    for rule in rules:
        alike.setdefault(rule["labels"].get("signal", ""), []).append(rule)
    for signal, found in alike.items():
        severities = {Severity(rule["labels"]["severity"]) for rule in found}
        texts = found[0]["annotations"]
        yield SignalEntry(
            signal=signal,
            severities=tuple(severity for severity in Severity if severity in severities),
            cause=texts["cause"],
            action=texts["action"],
        )


def _xid(row: Rule) -> XidEntry:
    return XidEntry(number=row["number"], kind=row["class"], meaning=row["meaning"])


def _content(file: Traversable) -> Any:
    return yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
