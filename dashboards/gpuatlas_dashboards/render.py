"""Writes every board in every language, or says which files are not as they would be written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpuatlas_dashboards.board import BoardEntry
from gpuatlas_dashboards.catalogue import BOARDS, LANGUAGES
from gpuatlas_dashboards.layout import place
from gpuatlas_dashboards.links import BoardId
from gpuatlas_dashboards.normalise import normalise
from gpuatlas_dashboards.panels import grafana
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import REFRESH, SCHEMA_VERSION, TAG

Json = dict[str, Any]


def board_json(entry: BoardEntry, language: Language) -> Json:
    """One board as Grafana takes it."""
    board = entry.build(language)
    settings = {
        "title": board.title,
        "description": board.description,
        "uid": entry.id.uid(language.suffix),
        "tags": [TAG],
        "editable": False,
        "graphTooltip": 1,
        "refresh": REFRESH,
        "schemaVersion": SCHEMA_VERSION,
        "time": grafana.time_from(board.time_from),
        "timezone": "browser",
        "links": [_link(other.id, language) for other in BOARDS if other is not entry],
    }
    widgets = place(board.sections)
    return normalise(grafana.dashboard(settings, variables=board.variables, panels=widgets))


def _link(board: BoardId, language: Language) -> Any:
    return grafana.dashboard_link(
        title=language.shared.boards[board.value],
        type="link",
        uri=f"/d/{board.uid(language.suffix)}",
        icon="dashboard",
        includeVars=True,
        keepTime=True,
    )


def rendered() -> Iterator[tuple[Path, str]]:
    """Path below dashboards/generated and content of every file."""
    for language in LANGUAGES:
        for entry in BOARDS:
            content = json.dumps(
                board_json(entry, language), indent=2, sort_keys=True, ensure_ascii=False
            )
            yield Path(language.folder) / f"{entry.id.value}.json", content + "\n"


def write(folder: Path) -> None:
    """Write all of them and remove the JSON of boards that are no more."""
    files = {folder / path: content for path, content in rendered()}
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    for path in folder.rglob("*.json"):
        if path not in files:
            path.unlink()


def differing(folder: Path) -> list[Path]:
    """The files that `write` would change, add or remove."""
    files = {folder / path: content for path, content in rendered()}
    stale = [path for path in folder.rglob("*.json") if path not in files]
    changed = [
        path
        for path, content in files.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != content
    ]
    return sorted(changed + stale)
