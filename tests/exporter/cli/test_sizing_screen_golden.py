"""The sizing screen, character by character.

After a change that is meant: PYTHONPATH=tests/harness .venv/bin/python -m \
gpuatlas_harness.sizing_screens
"""

from __future__ import annotations

import pytest

from gpuatlas.cli.screens.glyphs import ASCII, UNICODE
from gpuatlas.cli.screens.sizing import sizing_screen
from gpuatlas.cli.selection import Selection
from gpuatlas.cli.sized import SizingSelection, known_nodes, narrowed
from gpuatlas.model.sizing import SizingReport, Verdict
from gpuatlas_harness.sizing_reports import (
    a_container,
    a_proposal,
    a_report,
    a_reservation,
    of_everything,
)
from gpuatlas_harness.sizing_screens import GOLDEN, SCREENS, screen_of


def screen(report: SizingReport, width: int = 200, *, everything: bool = False) -> list[str]:
    lines = sizing_screen(report, everything=everything, width=width, glyphs=UNICODE)
    return [line.plain for line in lines]


@pytest.mark.parametrize("name", SCREENS)
def test_a_report_gives_exactly_this_screen(name: str) -> None:
    assert screen_of(name) == (GOLDEN / f"{name}.txt").read_text("utf-8")


@pytest.mark.parametrize("width", [80, 100, 129, 130, 200])
def test_it_fits(width: int) -> None:
    lines = screen(of_everything(), width, everything=True)
    assert max(map(len, lines)) <= width


def test_it_can_be_drawn_in_ascii() -> None:
    lines = sizing_screen(of_everything(), everything=True, width=80, glyphs=ASCII)
    assert all(line.plain.isascii() for line in lines)


def test_nothing_there_is_said_in_words() -> None:
    assert screen(a_report())[0] == (
        "No container was promised a part of a card in the window, or none that the filters leave."
    )


def test_all_right_is_said_in_words() -> None:
    fits = a_report(a_proposal(verdict=Verdict.FITS, proposed=None, saving=None))
    assert screen(fits) == [
        "Every container has what it needs.",
        "",
        "1 container  1 fits",
        "window: 14 days up to 2026-08-21 10:11:12 UTC",
    ]
    assert any("Deployment/llm-chat" in line for line in screen(fits, everything=True))


def test_clusters_stand_beside_their_namespaces_and_nodes() -> None:
    east, west = a_container(cluster="east"), a_container(cluster="west")
    lines = screen(a_report(a_proposal(east), a_proposal(west)))
    assert [line for line in lines if line.startswith("chat")] == ["chat · east", "chat · west"]


def test_colour_is_never_the_only_carrier() -> None:
    """The words that say what is wrong are in the text itself."""
    text = "\n".join(screen(of_everything()))
    assert all(word in text for word in ("smaller", "larger", "cannot size", "above the safe"))


def of_two() -> SizingReport:
    chat, lab = a_container(), a_container(namespace="lab", kind="StatefulSet", name="notebook")
    return a_report(
        a_proposal(chat),
        a_proposal(lab),
        nodes=of_everything().nodes,
        contended=of_everything().contended,
        priorities=of_everything().priorities,
        reservations={
            chat: a_reservation(),
            lab: a_reservation(node_names=("a100-2", "a100-10")),
        },
    )


@pytest.mark.parametrize(
    ("selection", "names", "nodes", "contended"),
    [
        (SizingSelection(places=Selection()), {"llm-chat", "notebook"}, 3, 1),
        (SizingSelection(places=Selection(namespaces=("l*",))), {"notebook"}, 3, 0),
        (SizingSelection(places=Selection(nodes=("a10g-*",))), {"llm-chat"}, 1, 1),
        (SizingSelection(places=Selection(nodes=("a100-2",))), {"notebook"}, 1, 0),
        (SizingSelection(places=Selection(), workloads=("note*",)), {"notebook"}, 3, 0),
        (SizingSelection(places=Selection(), workloads=("Deployment/*",)), {"llm-chat"}, 3, 1),
        (SizingSelection(places=Selection(), workloads=("lab/*/notebook",)), {"notebook"}, 3, 0),
        (SizingSelection(places=Selection(), workloads=("deployment/*",)), set(), 3, 0),
    ],
)
def test_only_what_is_asked_for(
    selection: SizingSelection, names: set[str], nodes: int, contended: int
) -> None:
    found = narrowed(of_two(), selection)
    assert {proposal.of.name for proposal in found.proposals} == names
    assert {of.name for of in found.reservations} == names
    assert len(found.nodes) == nodes
    assert (len(found.contended), len(found.priorities)) == (contended, contended)


def test_the_nodes_that_it_knows() -> None:
    assert known_nodes(of_two()) == {"a10g-1", "a100-2", "a100-10"}
