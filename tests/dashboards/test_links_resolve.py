"""Every link leads to a board that there is, and keeps data source, cluster and time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import pytest

from gpuatlas_harness.boards import BoardFile, read_boards, walk

BOARDS: Final = read_boards()
BY_UID: Final = {board.body["uid"]: board for board in BOARDS}
KEPT: Final = ("${datasource:queryparam}", "${cluster:queryparam}", "${__url_time_range}")


def dashboard_links(board: BoardFile) -> Iterator[str]:
    """Those above the board: Grafana adds variables and time itself."""
    for link in board.body["links"]:
        if not (link["keepTime"] and link["includeVars"]) or link["targetBlank"]:
            yield f"{link['title']} drops the time or the variables"
        if link["url"].removeprefix("/d/") not in BY_UID:
            yield f"{link['title']} leads to {link['url']}"


def data_links(board: BoardFile) -> Iterator[str]:
    """Those on values and cells."""
    above = {link["url"] for link in board.body["links"]}
    for address in board.addresses():
        if address in above or not address.startswith("/"):
            continue
        path = urlsplit(address).path
        target = BY_UID.get(path.removeprefix("/d/"))
        if target is None:
            yield f"{address} leads to no board"
            continue
        yield from (f"{address} drops {part}" for part in KEPT if part not in address)
        for name, _ in parse_qsl(urlsplit(address).query):
            if name.removeprefix("var-") not in target.variables():
                yield f"{address} sets {name}, which {target.name} has not"


def language(board: BoardFile) -> Iterator[str]:
    """A reader stays in the language."""
    is_japanese = board.body["uid"].endswith("-ja")
    for address in board.addresses():
        if address.startswith("/d/") and urlsplit(address).path.endswith("-ja") != is_japanese:
            yield f"{address} changes the language"


def titles(board: BoardFile) -> Iterator[str]:
    for panel in board.panels():
        for key, value in walk(panel):
            links = value if key == "links" and isinstance(value, list) else []
            yield from (f"{panel['title']}: a link without title" for x in links if not x["title"])


@pytest.mark.parametrize("board", BOARDS, ids=str)
@pytest.mark.parametrize(
    "fault", [dashboard_links, data_links, language, titles], ids=lambda fault: fault.__name__
)
def test_links_hold(board: BoardFile, fault: object) -> None:
    assert callable(fault)
    assert list(fault(board)) == []


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_every_board_leads_to_every_other_one_of_its_language(board: BoardFile) -> None:
    others = {
        other.body["uid"]
        for other in BOARDS
        if other.path.parent == board.path.parent and other is not board
    }

    assert {link["url"].removeprefix("/d/") for link in board.body["links"]} == others
