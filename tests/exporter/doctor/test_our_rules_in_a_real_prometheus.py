"""The rules of this repository, loaded into a real Prometheus: all of them are found."""

from __future__ import annotations

from pathlib import Path

from gpuatlas.doctor.recordings import GROUPS
from gpuatlas.doctor.results import Area, State
from gpuatlas.doctor.rules import examine_rules
from gpuatlas.sources.catalogue import load_catalogue
from gpuatlas.sources.promapi.installation import read_installation
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.alert_rules import ROOT
from gpuatlas_harness.prometheus import PrometheusServer

LAYERS = ("hardware", "sharing", "operations", "meta")


def test_every_group_and_every_alert_is_found(tmp_path: Path) -> None:
    files = [*(ROOT / "recording_rules").glob("*.yaml")]
    files += [ROOT / "alerts" / f"{layer}.yaml" for layer in LAYERS]
    with PrometheusServer([], work_dir=tmp_path, rule_files=files) as server:
        found = read_installation(PrometheusSettings(url=server.url), GROUPS.values(), now=1e9)
    results = [*examine_rules(found, load_catalogue())]

    assert {result.area for result in results} == {Area.RULES}
    assert [(r.word, r.state) for r in results] == [
        ("recordings", State.OK),
        ("alerts", State.OK),
        ("evaluation", State.OK),
        ("alertmanager", State.OPTIONAL),
    ]
    assert results[0].text == f"all {len(GROUPS)} groups of recording rules are loaded"
