"""The checks screen, character by character, and what its parts are for.

After a change that is meant: PYTHONPATH=tests/harness python -m gpuatlas_harness.checks_screens
"""

from __future__ import annotations

from functools import cache

import pytest

from gpuatlas.cli.judged import (
    Evidence,
    JudgedCheck,
    JudgedCluster,
    Occurrence,
    Verdict,
)
from gpuatlas.cli.screens.checks import checks_screen
from gpuatlas.cli.screens.glyphs import ASCII, UNICODE
from gpuatlas.model.catalogue import Severity
from gpuatlas.model.checks import CheckState, MissingInput
from gpuatlas.sources.catalogue import load_catalogue
from gpuatlas_harness.checks_screens import GOLDEN, STATES, WIDTHS, screen_of, verdict_on

NOW = 1_800_000_000.0
OK, UNKNOWN, ELSEWHERE = CheckState.OK, CheckState.UNKNOWN, CheckState.NOT_APPLICABLE


@cache
def simulated(state: str) -> Verdict:
    return verdict_on(*STATES[state])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("state", STATES)
def test_the_simulated_cluster_gives_exactly_this_screen(state: str, width: int) -> None:
    golden = (GOLDEN / f"checks-{state}-{width}.txt").read_text("utf-8")
    assert screen_of(simulated(state), width) == golden


def a_check(name: str, *occurrences: Occurrence, **changes: object) -> JudgedCheck:
    entry = load_catalogue().check(name)
    assert entry is not None
    values: dict[str, object] = {"sight": OK, "occurrences": occurrences}
    return JudgedCheck(entry=entry, **(values | changes))  # type: ignore[arg-type]


def an_occurrence(number: int = 0, **changes: object) -> Occurrence:
    values: dict[str, object] = {
        "signal": "remap-pending",
        "severity": Severity.WARNING,
        "node": "gpu-a",
        "card": f"GPU-{number}",
        "evidence": (Evidence("metric X", "X 1"),),
        "action": "Reset it.",
    }
    return Occurrence(**(values | changes))  # type: ignore[arg-type]


def a_verdict(*checks: JudgedCheck, name: str = "", address: str = "") -> Verdict:
    clusters = (JudgedCluster(name=name, checks=checks),)
    return Verdict(at=NOW, clusters=clusters, nodes=frozenset({"gpu-a"}), address=address)


def lines(verdict: Verdict, width: int = 80, *, everything: bool = False) -> list[str]:
    return screen_of(verdict, width, everything=everything).splitlines()


def test_the_first_line_sums_up() -> None:
    verdict = a_verdict(
        a_check("H01", an_occurrence(severity=Severity.CRITICAL), an_occurrence()),
        a_check("H04", an_occurrence()),
        a_check("H05"),
        a_check("H06", sight=UNKNOWN),
        a_check("S01", sight=ELSEWHERE),
        # Beside the 29: it counts where it fires.
        a_check("exporter-down", an_occurrence(severity=Severity.CRITICAL)),
        a_check("gang-waiting", an_occurrence(pending=True)),
    )
    assert (
        lines(verdict)[0]
        == (
            "2 critical, 1 warning; 1 ok, 1 unknown, 1 not applicable  2027-01-15 08:00:00 UTC"[:56]
        )
    )
    assert lines(verdict, 200)[0] == (
        "2 critical, 1 warning; 1 ok, 1 unknown, 1 not applicable  2027-01-15 08:00:00 UTC"
    )
    assert lines(verdict)[1] == "2027-01-15 08:00:00 UTC"


def test_where_nothing_fires_it_says_so() -> None:
    assert lines(a_verdict(a_check("H05")))[0] == "nothing fires; 1 ok  2027-01-15 08:00:00 UTC"


def test_what_does_not_apply_is_one_line_unless_all_is_asked_for() -> None:
    verdict = a_verdict(
        *(a_check(name, sight=ELSEWHERE) for name in ("S01", "S02")), a_check("S03")
    )
    folded = lines(verdict)
    assert "     – not applicable: S01, S02" in folded
    assert [line for line in folded if line.startswith("S0")] == [
        "S03  ✓ ok   Memory beyond the promises is in use on a shared card"
    ]
    unfolded = [line[:21] for line in lines(verdict, everything=True) if line.startswith("S0")]
    assert unfolded == ["S01  – not applicable", "S02  – not applicable", f"{'S03  ✓ ok':21}"]


def test_many_findings_are_cut_unless_all_is_asked_for() -> None:
    verdict = a_verdict(a_check("H04", *(an_occurrence(number) for number in range(9))))
    assert "       and 5 more: --all" in lines(verdict)
    assert sum("card GPU-" in line for line in lines(verdict)) == 4
    assert sum("card GPU-" in line for line in lines(verdict, everything=True)) == 9
    assert lines(verdict).count("       do: Reset it.") == 1


def test_actions_that_differ_stand_below_their_own_finding() -> None:
    verdict = a_verdict(
        a_check("S13", an_occurrence(1, action="Delete a."), an_occurrence(2, action="Delete b."))
    )
    told = [line.strip() for line in lines(verdict) if "GPU-" in line or "do:" in line]
    assert told == [
        "node gpu-a · card GPU-1",
        "do: Delete a.",
        "node gpu-a · card GPU-2",
        "do: Delete b.",
    ]


def test_what_is_lacking_is_told_by_reason() -> None:
    missing = tuple(
        MissingInput(check="S01", input="page", node=f"gpu-{number}", reason="it is silent")
        for number in range(30)
    )
    other = (MissingInput(check="S02", input="pods", reason="403"),)
    verdict = a_verdict(
        a_check("S01", sight=UNKNOWN, missing=missing),
        a_check("S02", sight=UNKNOWN, missing=missing),
        a_check("S03", sight=UNKNOWN, missing=other),
    )
    told = [line.strip() for line in lines(verdict) if "lacks" in line]
    assert told == [
        "lacks page on gpu-0, gpu-1, gpu-2, gpu-3, gpu-4, gpu-5 +24: it is silent",
        "lacks the same as S01",
        "lacks pods: 403",
    ]


def test_reasons_without_end_are_cut() -> None:
    missing = tuple(
        MissingInput(check="S01", input="page", node=f"gpu-{number}", reason=f"HTTP {number}")
        for number in range(9)
    )
    verdict = a_verdict(a_check("S01", sight=UNKNOWN, missing=missing))
    assert "     and 6 more: --all" in lines(verdict)
    assert sum("lacks" in line for line in lines(verdict, everything=True)) == 9


def test_a_check_that_can_look_names_what_more_it_could_see_only_if_all_is_asked_for() -> None:
    missing = (MissingInput(check="H03", input="X", reason="not exported"),)
    verdict = a_verdict(a_check("H03", missing=missing, unseen=("lifetime", "remapped")))
    assert not any("lacks" in line or "instant does" in line for line in lines(verdict))
    told = lines(verdict, everything=True)
    assert "     lacks X: not exported" in told
    assert "     an instant does not show: lifetime, remapped" in told


def test_alerts_have_an_age_and_may_be_pending() -> None:
    verdict = a_verdict(
        a_check("H04", an_occurrence(since=NOW - 7_500), an_occurrence(1, since=NOW - 60)),
        a_check("H05", an_occurrence(pending=True, since=NOW - 30)),
        address="http://prometheus:9090",
    )
    rows = [line for line in lines(verdict) if line.startswith("H0")]
    assert rows[0].endswith("  2   2h5m")
    assert rows[1].startswith("H05  ◔ ok, pending ")
    assert rows[1].endswith("  1    30s")
    assert "       node gpu-a · card GPU-0 · for 2h5m" in lines(verdict)
    assert any(line.startswith("     remap-pending, warning, pending") for line in lines(verdict))
    assert not any("One look" in line for line in lines(verdict))


def test_a_place_says_all_that_is_known() -> None:
    found = an_occurrence(
        index="3",
        namespace="lab",
        pod="note-0",
        object="StatefulSet/lab/note",
        count=12,
        pods=("lab/a", "lab/b"),
    )
    told = " ".join(" ".join(lines(a_verdict(a_check("S13", found)))).split())
    assert (
        "node gpu-a · card 3 GPU-0 · pod lab/note-0 · StatefulSet/lab/note · and 11 more like it "
        "· pods lab/a, lab/b"
    ) in told


def test_a_finding_without_a_place_is_the_clusters() -> None:
    found = an_occurrence(node="", card="")
    assert "       the cluster" in lines(a_verdict(a_check("S07", found)))


def test_clusters_stand_below_each_other() -> None:
    clusters = tuple(
        JudgedCluster(name=name, checks=(a_check("H05"),)) for name in ("east", "west")
    )
    verdict = Verdict(at=NOW, clusters=clusters, nodes=frozenset(), address="http://p")
    told = lines(verdict)
    assert [line for line in told if line.startswith("cluster")] == ["cluster east", "cluster west"]
    assert sum(line.startswith("nothing fires") for line in told) == 2


def test_the_longer_ids_of_operations_do_not_push_the_29_aside() -> None:
    verdict = a_verdict(a_check("H05"), a_check("overcommit-memory", an_occurrence()))
    told = lines(verdict)
    assert told[told.index("hardware") + 1].startswith("H05  ✓ ok")
    assert told[told.index("operations") + 1].startswith("overcommit-memory  ▲ firing warning")


def test_plain_ascii_will_do() -> None:
    verdict = a_verdict(
        a_check("H04", an_occurrence(severity=Severity.CRITICAL)),
        a_check("H05"),
        a_check("H06", sight=UNKNOWN),
        a_check("S01", sight=ELSEWHERE),
        a_check("S02", an_occurrence(severity=Severity.INFO)),
        a_check("S03", an_occurrence(pending=True)),
    )
    text = "\n".join(
        line.plain for line in checks_screen(verdict, everything=True, width=80, glyphs=ASCII)
    )
    assert text.isascii()
    for said in ("X firing critical", "+ ok", "? unknown", "- not", "i firing info", ". ok, pend"):
        assert said in text


def test_every_state_has_a_sign_of_its_own() -> None:
    for glyphs in (UNICODE, ASCII):
        signs = [*glyphs.checks.values(), glyphs.pending]
        assert len(set(signs)) == len(signs) == 7
