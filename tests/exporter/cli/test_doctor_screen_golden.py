"""The doctor's screens, character by character.

After a change that is meant: PYTHONPATH=tests/harness python -m gpuatlas_harness.doctored
"""

from __future__ import annotations

import re

import pytest

from gpuatlas.cli.documents.doctor import doctor_document
from gpuatlas.cli.screens.doctor import doctor_screen
from gpuatlas.cli.screens.glyphs import ASCII
from gpuatlas.doctor.results import Act, Area, Remedy, Result, State, exit_code
from gpuatlas_harness.doctored import GOLDEN, WIDTHS, results, screen_of

RESULTS = results()
CODES = {"healthy": 0, "alone": 0, "troubled": 1, "blind": 3, "unmatched": 1}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", RESULTS)
def test_the_screen_is_exactly_this(name: str, width: int) -> None:
    golden = (GOLDEN / f"doctor-{name}-{width}.txt").read_text("utf-8")
    assert screen_of(RESULTS[name], width) == golden


@pytest.mark.parametrize("width", [60, *WIDTHS])
@pytest.mark.parametrize("name", RESULTS)
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    assert max(map(len, screen_of(RESULTS[name], width).splitlines())) <= width


@pytest.mark.parametrize("name", RESULTS)
def test_its_exit_code(name: str) -> None:
    assert exit_code(RESULTS[name]) == CODES[name]


@pytest.mark.parametrize("name", RESULTS)
def test_what_is_to_do_is_numbered_in_the_order_of_the_areas(name: str) -> None:
    numbers = re.findall(r" (\d+)\. ", screen_of(RESULTS[name], 200))
    wanted = sum(r.state in {State.TODO, State.FAILED} for r in RESULTS[name])
    assert numbers == [str(number) for number in range(1, wanted + 1)]
    areas = [result.area for result in RESULTS[name]]
    assert areas == sorted(areas, key=list(Area).index)


@pytest.mark.parametrize("name", RESULTS)
def test_what_is_to_do_says_how(name: str) -> None:
    needy = {State.TODO, State.FAILED, State.OPTIONAL}
    assert [r for r in RESULTS[name] if r.state in needy and r.remedy is None] == []


def test_a_long_command_can_be_copied() -> None:
    remedy = Remedy(Act.RUN, " ".join(["kubectl", *["get"] * 30]))
    result = Result(area=Area.SOURCES, word="x", state=State.TODO, text="cause", remedy=remedy)
    _, _, *lines = [line.plain for line in doctor_screen([result], width=60, glyphs=ASCII)]
    commands = [line for line in lines if "get" in line]
    joined = "\n".join(commands).replace("\\\n", " ").replace("run:", "")
    assert joined.split() == remedy.text.split()
    assert all(line.endswith("\\") for line in commands[:-1])


def test_failures_outweigh_and_unknown_counts_for_nothing() -> None:
    def of(*states: State) -> int:
        return exit_code(
            Result(area=Area.RULES, word="x", state=state, text="t") for state in states
        )

    assert of() == 0
    assert of(State.OK, State.UNKNOWN, State.OPTIONAL, State.NOT_APPLICABLE) == 0
    assert of(State.UNKNOWN, State.TODO) == 1
    assert of(State.TODO, State.FAILED) == 3


def test_the_document() -> None:
    document = doctor_document(RESULTS["troubled"], 1, at=1_800_000_000.0)
    assert (document["kind"], document["at"], document["exit_code"]) == (
        "Doctor",
        "2027-01-15T08:00:00Z",
        1,
    )
    states = document["summary"]["states"]
    assert sum(states.values()) == len(document["results"])
    assert (states["todo"], states["failed"]) == (10, 0)
    watch = document["results"][3]
    assert (watch["area"], watch["word"], watch["state"]) == ("Rights", "missing", "todo")
    rule = '- {apiGroups: [""], resources: [pods], verbs: [watch]}'
    assert (watch["act"], watch["remedy"]) == ("add", rule)
    assert (document["results"][0]["act"], document["results"][0]["remedy"]) == ("", "")


@pytest.mark.parametrize("width", [60, 80])
def test_no_word_of_a_command_is_broken(width: int) -> None:
    """`\\` and a line break inside of a word, or of quotes, would give another command."""
    words = [
        "custom-columns=NODE:.metadata.name,OFFERS:.status.allocatable",
        f"'{'two words ' * 8}'",
    ]
    remedy = Remedy(Act.RUN, " ".join(["kubectl", *words]))
    result = Result(area=Area.SOURCES, word="x", state=State.TODO, text="cause", remedy=remedy)
    _, _, *lines = [line.plain for line in doctor_screen([result], width=width, glyphs=ASCII)]
    assert [word for word in words if not any(word in line for line in lines)] == []
