"""Links between boards. They keep data source, cluster and time range, and set what they open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

_KEPT: Final = ("datasource", "cluster")


class BoardId(StrEnum):
    """The boards in the order in which links to them stand; the value is the file name."""

    OVERVIEW = "overview"
    CARDS = "cards"
    WORKLOADS = "workloads"
    CHECKS = "checks"
    SIZING = "sizing"

    def uid(self, suffix: str) -> str:
        """Of the board in a language; `Language.suffix`."""
        return f"gpuatlas-{self.value}{suffix}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """On a cell or a value. `title` is what the pointer shows."""

    title: str
    url: str

    def to_json(self) -> dict[str, Any]:
        return {"title": self.title, "url": self.url, "targetBlank": False}


def board_url(board: BoardId, suffix: str, *, keep: Sequence[str] = (), **variables: str) -> str:
    """The address of a board with variables set, as in `card="${__data.fields.card}"`.

    Values are Grafana's own expressions: it fills them in and encodes them. `keep` names further
    variables that the target shares with the board that the link stands on.
    """
    kept = [f"${{{name}:queryparam}}" for name in (*_KEPT, *keep)]
    chosen = [f"var-{name}={value}" for name, value in variables.items()]
    return f"/d/{board.uid(suffix)}?" + "&".join([*kept, *chosen, "${__url_time_range}"])


def column(name: str) -> str:
    """The value of another column of the row that a link stands in."""
    return f'${{__data.fields["{name}"]}}'


def label(name: str) -> str:
    """A label of the series that a link stands on."""
    return f"${{__field.labels.{name}}}"


def runbook_url(path_column: str) -> str:
    """The page of a check; the column shows its path in the repository."""
    return f'${{runbooks:raw}}${{__data.fields["{path_column}"].text}}'
