"""What the board Workloads says of contention, on series written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from gpuatlas.model.contention import Grade
from gpuatlas_dashboards.boards import workloads_slowed_queries as slowed
from gpuatlas_dashboards.boards.workloads import TEXTS
from gpuatlas_dashboards.workload_variables import KEY, SUSPECT_KEY
from gpuatlas_harness.board_answers import Samples, faults
from gpuatlas_harness.workloads_board import CHAT, CHOSEN, LISTED, STATE, workloads_boards

RATIO: Final = "workload:gpuatlas_slowed_ratio:rate10m"
ON_ONE_CARD: Final = {
    f'workload:gpuatlas_card_info:group{{{CHAT}, node="n", card="GPU-a"}}': "1x5",
    'gpuatlas_card_tenants{cluster="c", node="n", card="GPU-a"}': "2x5",
}


def suspicion(metric: str, suspect: str, grade: str, *, kind: str = "Job") -> str:
    namespace = "blue" if suspect else ""
    named = f'suspect_namespace="{namespace}", suspect_kind="{kind}", suspect="{suspect}"'
    return f'{metric}{{{CHAT}, {named}, grade="{grade}"}}'


# Who is looked at and not slowed has a 0.
LOOKED_AT: Final = {suspicion(RATIO, "", "0", kind=""): "0x5"}


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        ({}, "nobody"),
        (ON_ONE_CARD, "unmeasured"),
        (ON_ONE_CARD | LOOKED_AT, "nobody"),
        (ON_ONE_CARD | {suspicion(RATIO, "ocr", "3"): "0x5"}, "nobody"),
        (
            {
                suspicion(RATIO, "ocr", "3"): "0.2x5",
                suspicion(RATIO, "etl", "3"): "0.1x5",
                suspicion(RATIO, "web", "1"): "0.9x5",
            },
            "ocr|3",
        ),
        ({suspicion(RATIO, "", "0", kind=""): "0.4x5"}, "|0"),
    ],
    ids=[
        "it has no neighbour", "nobody looks", "nobody contends", "no longer", "the best founded",
        "nobody is suspected",
    ],
)  # fmt: skip
def test_nobody_looked_is_not_nobody_slows(
    measured: dict[str, str], said: str, tmp_path: Path
) -> None:
    of_chat = f'({slowed.SLOWED_BY}) and on (workload) {STATE}{{state="working"}}'
    answer = [(f'{{{CHAT}, slowed="{said}"}}', 1.0)]

    assert faults(tmp_path, LISTED | measured, {of_chat: answer}) == ""


PAIR: Final = 'suspect_namespace="blue", suspect_kind="Job", suspect="ocr", grade="3"'
OCR: Final = f'{SUSPECT_KEY}="c/blue/Job/ocr"'


def test_a_suspect_stands_with_its_grade_its_time_and_a_link(tmp_path: Path) -> None:
    """Slowed half of the time for an hour; for ten minutes no more."""
    series = {
        suspicion(RATIO, "ocr", "3"): "0.5x59 0x10",
        suspicion(RATIO, "etl", "1"): "0x70",
    }
    name = f'{{cluster="c", {PAIR}, {slowed.PAIR}="c/blue/Job/ocr/3"'
    asked: dict[str, Samples] = {
        slowed.SUSPECTS: [(f"{name}, {OCR}}}", 1800.0)],
        slowed.SUSPECTS_NOW: [(f"{name}}}", 0.0)],
        slowed.OVER_TIME: [('{suspect_namespace="blue", suspect="ocr"}', 0.0)],
    }

    assert faults(tmp_path, series, asked, at="70m", variables=CHOSEN) == ""


def test_pairs_have_the_time_of_the_range_and_lead_to_both(tmp_path: Path) -> None:
    series = {suspicion(RATIO, "ocr", "3"): "0.5x60", suspicion(RATIO, "etl", "1"): "0x60"}
    name = f'{{{CHAT}, {PAIR}, {slowed.PAIR}="c/red/Deployment/chat/blue/Job/ocr/3"'
    asked: dict[str, Samples] = {
        slowed.PAIRS: [(f'{name}, {KEY}="c/red/Deployment/chat", {OCR}}}', 2100.0)],
        slowed.PAIRS_NOW: [(f"{name}}}", 0.5)],
    }

    # Seven samples of ten minutes each, both ends included.
    assert faults(tmp_path, series, asked, at="60m") == ""


def test_without_a_suspect_the_link_stays_where_it_is(tmp_path: Path) -> None:
    series = {suspicion(RATIO, "", "0", kind=""): "0.5x60"}
    chosen = CHOSEN | {"workload": "c/red/Deployment/chat"}
    asked = {
        f"count by ({SUSPECT_KEY}) ({slowed.SUSPECTS})": [
            (f'{{{SUSPECT_KEY}="c/red/Deployment/chat"}}', 1.0)
        ]
    }

    assert faults(tmp_path, series, asked, at="60m", variables=chosen) == ""


def test_every_grade_has_a_word() -> None:
    for texts in TEXTS.values():
        assert list(texts.grades) == list(slowed.GRADES) == [str(int(grade)) for grade in Grade]


def test_a_suspect_by_name_stands_above_who_only_was_there() -> None:
    for board in workloads_boards():
        orders = [
            [step["options"]["sort"][0] for step in steps if step["id"] == "sortBy"]
            for panel in board.panels()
            if any(target["refId"] == "pairs" for target in panel.get("targets", []))
            for steps in [panel["transformations"]]
        ]

        assert len(orders) == 2
        for *_, last in orders:
            assert last == {"field": "grade", "desc": True}
