"""Boards as a person sees them: opened with the variables that Grafana would choose, and clicked.

Grafana itself is not asked: values of variables, cells of a table and where a link leads are worked
out from the JSON and from what a Prometheus answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlsplit

from gpuatlas_harness.boards import BoardFile, PanelQuery, filled, read_boards

Json = dict[str, Any]
Answer = Sequence[tuple[Mapping[str, str], float]]  # labels and value of each series
Ask = Callable[[str], Answer]  # an instant query
Row = dict[str, str]

ALL: Final = "$__all"
_EVERYTHING: Final = ".*"
_NAMED_GROUP: Final = re.compile(r"\(\?<(\w+)>")
_QUERYPARAM: Final = re.compile(r"\$\{(\w+):queryparam\}")
_FIELD: Final = re.compile(r'\$\{__data\.fields\["([^"]+)"\](?:\.text)?\}')
_RAW: Final = re.compile(r"\$\{(\w+):raw\}")
_TIME_RANGE: Final = "${__url_time_range}"


def first_choices(
    board: BoardFile, ask: Ask, given: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The value of each variable when a board is opened, for `filled`.

    `given` are those that the address sets. Of one choice it is the first option, of several all.
    """
    values: dict[str, str] = {}
    for name, variable in board.variables().items():
        if given and name in given:
            values[name] = _EVERYTHING if given[name] == ALL else given[name]
        elif variable["type"] == "query":
            values[name] = _first_choice(variable, values, ask)
        elif variable["type"] == "textbox":
            values[name] = variable["query"]
        else:
            values[name] = _EVERYTHING
    return values


def _first_choice(variable: Json, values: Mapping[str, str], ask: Ask) -> str:
    if variable["multi"] and "allValue" in variable:
        return _EVERYTHING
    options = _options(variable, values, ask)
    if variable["multi"]:
        # Without a value of its own, "All" is the list of them.
        return "|".join(value for _, value in options)
    return options[0][1] if options else ""


def _options(variable: Json, values: Mapping[str, str], ask: Ask) -> list[tuple[str, str]]:
    """Text and value of each, in Grafana's order."""
    query = filled(variable["query"]["query"], values)
    if labelled := re.fullmatch(r"label_values\((.*), (\w+)\)", query):
        selector, label = labelled.groups()
        found = [(v, v) for v in {labels.get(label, "") for labels, _ in ask(selector)} if v]
    else:
        lines = [_line(labels, value) for labels, value in ask(_of_query_result(query))]
        found = [option for line in lines if (option := _option_of(line, variable["regex"]))]
    return sorted(found, key=natural) if variable["sort"] else found


def _of_query_result(query: str) -> str:
    inner = query.removeprefix("query_result(").removesuffix(")")
    if inner == query:
        message = f"neither label_values nor query_result: {query}"
        raise ValueError(message)
    return inner


def _line(labels: Mapping[str, str], value: float) -> str:
    """What Grafana applies the regular expression of a variable to."""
    return "{" + ",".join(f'{k}="{v}"' for k, v in sorted(labels.items())) + f"}} {value:g} 0"


def _option_of(line: str, regex: str) -> tuple[str, str] | None:
    found = re.search(_NAMED_GROUP.sub(r"(?P<\1>", regex.strip("/")), line)
    if found is None:
        return None
    named = found.groupdict()
    value = named["value"] if named else found[1]
    return named.get("text", value), value


def natural(option: tuple[str, str]) -> list[tuple[int, str]]:
    """As Grafana sorts: a10g-1 before a100-1."""
    parts = re.findall(r"\d+|\D+", option[0].lower())
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBoard:
    """A board on a screen; `clicks` is how many it took from the first one."""

    board: BoardFile
    values: Mapping[str, str]
    ask: Ask
    clicks: int = 0

    def panel(self, title: str) -> Json:
        """The panel of this title. Raises ValueError where there is not exactly one."""
        (panel,) = (p for p in self.board.panels() if p["title"] == title)
        return panel

    def answers(self, title: str, ref: str = "") -> Answer:
        """What a panel's queries answer; of several queries name one."""
        queries = [q for q in self.board.queries() if q.panel == title and ref in ("", q.ref)]
        if not queries:
            message = f"{self.board} has no query {ref!r} in a panel {title!r}"
            raise ValueError(message)
        return [entry for query in queries for entry in self._answer(query)]

    def _answer(self, query: PanelQuery) -> Answer:
        return self.ask(filled(query.expr, self.values))

    def cell(self, title: str, column: str, where: Mapping[str, str]) -> str:
        """The value of a column in the row that has these values. Raises ValueError if not one."""
        found = {row[column] for row in self._rows(title) if column in row and _agrees(row, where)}
        if len(found) != 1:
            message = f"{title}: {len(found)} values of {column} where {dict(where)}"
            raise ValueError(message)
        return found.pop()

    def _rows(self, title: str) -> Iterator[Row]:
        """Labels of every series, and the rows of the matrices made of them."""
        matrices = {
            step["filter"]["options"]: step["options"]
            for step in self.panel(title).get("transformations", [])
            if step["id"] == "groupingToMatrix" and "filter" in step
        }
        for query in self.board.queries():
            if query.panel != title:
                continue
            for labels, _ in self._answer(query):
                yield dict(labels)
                if query.ref in matrices:
                    yield _of_matrix(labels, matrices[query.ref])

    def follow(self, board_title: str) -> OpenBoard:
        """A click on a link above the board."""
        (link,) = (link for link in self.board.body["links"] if link["title"] == board_title)
        given = self.values if link["includeVars"] else {}
        return self._opened(link["url"], given)

    def click(self, title: str, field: str, where: Mapping[str, str] | None = None) -> OpenBoard:
        """A click on a panel's value or cell; `field` is what its override is for."""
        panel = self.panel(title)
        links = [
            link
            for override in panel["fieldConfig"]["overrides"]
            if override["matcher"]["options"] == field
            for entry in override["properties"]
            if entry["id"] == "links"
            for link in entry["value"]
        ] or panel["fieldConfig"]["defaults"].get("links", [])
        if not links:
            message = f"{title}: nothing to click on {field}"
            raise ValueError(message)
        return self._at(self._address(links[0]["url"], title, where or {}))

    def _address(self, url: str, title: str, where: Mapping[str, str]) -> str:
        """The link with everything filled in."""
        url = url.replace(_TIME_RANGE, "from=now-24h&to=now")
        url = _QUERYPARAM.sub(lambda m: f"var-{m[1]}={quote(self._parameter(m[1]))}", url)
        url = _RAW.sub(lambda match: self.values[match[1]], url)
        return _FIELD.sub(lambda match: quote(self.cell(title, match[1], where)), url)

    def _parameter(self, name: str) -> str:
        value = self.values[name]
        return ALL if value == _EVERYTHING else value

    def _at(self, address: str) -> OpenBoard:
        given = {
            name.removeprefix("var-"): value for name, value in parse_qsl(urlsplit(address).query)
        }
        return self._opened(address, given)

    def _opened(self, address: str, given: Mapping[str, str]) -> OpenBoard:
        uid = urlsplit(address).path.removeprefix("/d/")
        return open_board(uid, self.ask, given, clicks=self.clicks + 1)


def open_board(
    uid: str, ask: Ask, given: Mapping[str, str] | None = None, *, clicks: int = 0
) -> OpenBoard:
    """A board by its uid. Raises ValueError where there is none."""
    (board,) = (board for board in read_boards() if board.body["uid"] == uid)
    values = first_choices(board, ask, given)
    return OpenBoard(board=board, values=values, ask=ask, clicks=clicks)


def _agrees(row: Row, where: Mapping[str, str]) -> bool:
    shared = row.keys() & where.keys()
    return bool(shared) and all(row[name] == where[name] for name in shared)


def _of_matrix(labels: Mapping[str, str], options: Json) -> Row:
    """One cell of it: the row's name, and the value in its column."""
    row, column = options["rowField"], options["columnField"]
    return {row: labels[row], labels[column]: labels.get(options["valueField"], "")}
