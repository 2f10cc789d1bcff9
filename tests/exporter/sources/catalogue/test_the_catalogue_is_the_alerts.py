"""The catalogue that the program reads is what Prometheus loads, in the tree and in the wheel."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gpuatlas.model.catalogue import CheckEntry, Layer, Severity, SignalEntry
from gpuatlas.sources.catalogue import load_catalogue, read_catalogue
from gpuatlas_harness.alert_rules import ALERTS, ROOT, alert_rules, by_check


def test_every_check_of_the_rules_is_there_in_their_order() -> None:
    rules = by_check(alert_rules())
    assert [entry.id for entry in load_catalogue().checks] == list(rules)
    for entry in load_catalogue().checks:
        found = rules[entry.id]
        assert {(entry.alert, entry.layer)} == {(r.name, r.labels["layer"]) for r in found}
        assert {
            (signal.signal, severity) for signal in entry.signals for severity in signal.severities
        } == {(rule.labels.get("signal", ""), rule.labels["severity"]) for rule in found}


def test_there_are_29_checks() -> None:
    found = load_catalogue().of_layer(Layer.HARDWARE, Layer.SHARING)
    hardware = [f"H{number:02}" for number in range(1, 13)]
    assert [entry.id for entry in found] == hardware + [f"S{number:02}" for number in range(1, 18)]


def test_rules_of_one_signal_say_the_same_whatever_their_severity() -> None:
    """The catalogue keeps one text for each signal."""
    texts: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for rule in alert_rules():
        key = (rule.check, rule.labels.get("signal", ""))
        texts.setdefault(key, set()).add((rule.annotations["cause"], rule.annotations["action"]))
    assert {key for key, found in texts.items() if len(found) > 1} == set()


def test_an_entry() -> None:
    entry = load_catalogue().check("H10")
    assert entry is not None
    assert (entry.alert, entry.layer) == ("GpuPcieLinkDegraded", "hardware")
    assert entry.title == "The PCIe link of a card is narrower or slower than it can be"
    assert entry.runbook == "docs/runbooks/h10.md"
    assert [signal.signal for signal in entry.signals] == ["width", "generation"]
    assert entry.signal("width") == SignalEntry(
        signal="width",
        severities=(Severity.WARNING,),
        cause=(
            "Lanes were lost or the link came up at a lower generation: seating, slot, riser or "
            "BIOS."
        ),
        action=(
            "Reseat the card or use another slot; check BIOS and firmware. Drain only where "
            "transfers matter."
        ),
    )
    assert entry.signal("speed") is None
    assert load_catalogue().check("H99") is None


def test_severities_are_told_the_gravest_first() -> None:
    entry = load_catalogue().check("H05")
    assert entry is not None
    margin = entry.signal("margin")
    assert margin is not None
    assert margin.severities == (Severity.CRITICAL, Severity.WARNING)


def test_xids_have_their_class() -> None:
    xids = load_catalogue().xids
    assert sorted(xids) == list(range(1, 174))
    assert (xids[79].kind, xids[79].meaning) == ("critical", "GPU has fallen off the bus")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `make build` makes it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_carries_the_catalogue(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = (
        "import gpuatlas\n"
        f"assert gpuatlas.__file__.startswith({str(tmp_path)!r}), gpuatlas.__file__\n"
        "from gpuatlas.sources.catalogue import load_catalogue\n"
        "print(load_catalogue())\n"
    )
    answer = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert answer.stdout == f"{read_catalogue(ALERTS)}\n"


def test_a_folder_that_is_no_catalogue(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_catalogue(tmp_path)


def test_entries_can_be_told_apart() -> None:
    checks: tuple[CheckEntry, ...] = load_catalogue().checks
    assert len({entry.id for entry in checks}) == len(checks)
