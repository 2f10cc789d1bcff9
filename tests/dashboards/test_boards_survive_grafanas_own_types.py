"""Grafana's typed SDK reads every board and writes it again: what it drops, no Grafana has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from gpuatlas_harness.boards import BoardFile, read_boards
from gpuatlas_harness.foundation_sdk import written_again

BOARDS: Final = read_boards()
# A table's first columns stay in sight: newer than the SDK.
UNKNOWN_TO_IT: Final = "options/frozenColumns"


def lost(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """What is gone or another; what the SDK fills in is not of interest."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            if key in after:
                yield from lost(value, after[key], f"{path}/{key}")
            else:
                yield f"{path}/{key} is gone"
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from lost(old, new, f"{path}/{number}")
    elif before != after:
        yield f"{path}: {before!r} became {after!r}"


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_nothing_is_lost(board: BoardFile) -> None:
    faults = lost(board.body, written_again(board.body))

    assert [fault for fault in faults if UNKNOWN_TO_IT not in fault] == []


def test_what_it_does_not_know_is_on_a_board() -> None:
    faults = [fault for board in BOARDS for fault in lost(board.body, written_again(board.body))]

    assert any(UNKNOWN_TO_IT in fault for fault in faults)


def test_a_word_that_is_not_grafanas_is_lost() -> None:
    board = next(board for board in BOARDS if board.name == "overview").body
    first, *others = board["panels"]
    panel = {**first, "options": {**first["options"], "colourMode": "value"}}
    misspelt = {**board, "panels": [panel, *others]}

    assert list(lost(misspelt, written_again(misspelt))) == ["/panels/0/options/colourMode is gone"]
