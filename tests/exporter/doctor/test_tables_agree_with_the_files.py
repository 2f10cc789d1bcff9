"""The doctor's tables against the files that they stand for."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from gpuatlas.doctor.recordings import GROUPS, STATES
from gpuatlas.doctor.releases import dcgm_exporter_of, release_of, tag_of
from gpuatlas.doctor.rules import examine_rules
from gpuatlas.sources.catalogue import load_catalogue
from gpuatlas_harness.doctored import healthy_prometheus

ROOT = Path(__file__).parents[3]


def test_every_group_of_recording_rules_is_in_the_table_with_one_of_its_series() -> None:
    recorded = {
        group["name"]: {rule["record"] for rule in group["rules"]}
        for file in (ROOT / "recording_rules").glob("*.yaml")
        for group in yaml.safe_load(file.read_text("utf-8"))["groups"]
    }
    assert GROUPS.keys() == recorded.keys()
    assert [group for group, series in GROUPS.items() if series not in recorded[group]] == []
    assert STATES in recorded["check-states"]


def test_the_files_that_a_plain_prometheus_is_told_to_load_are_files_of_rules() -> None:
    """One that is not ends the start, or the reload, of the whole Prometheus."""
    unloaded = replace(healthy_prometheus(), rules=(), recorded=frozenset())
    first, *_ = examine_rules(unloaded, load_catalogue())
    assert first.remedy is not None
    globs = re.findall(r"\S+\*\.yaml", first.remedy.text)
    files = {glob: sorted(ROOT.glob(glob)) for glob in globs}

    folders = {file.parent.name for found in files.values() for file in found}
    assert folders == {"recording_rules", "alerts"}
    tops = {key for found in files.values() for f in found for key in yaml.safe_load(f.read_text())}
    assert tops == {"groups"}


@pytest.mark.parametrize(
    ("image", "release"),
    [
        ("nvcr.io/nvidia/k8s/dcgm-exporter:3.3.9-3.6.1-ubuntu22.04", (3, 6)),
        ("nvcr.io/nvidia/k8s/dcgm-exporter:4.5.3-4.8.2-distroless", (4, 8)),
        ("registry:5000/dcgm-exporter:v3.1.0@sha256:00ff", (3, 1)),
        ("registry:5000/dcgm-exporter", None),
        ("dcgm-exporter:latest", None),
        ("dcgm-exporter@sha256:00ff", None),
    ],
)
def test_releases_of_dcgm_exporter(image: str, release: tuple[int, int] | None) -> None:
    assert dcgm_exporter_of(image) == release


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("v1.34.2-gke.1", (1, 34)),
        ("v1.27+", (1, 27)),
        ("3.5.0", (3, 5)),
        ("main", None),
        ("", None),
    ],
)
def test_releases_of_versions(text: str, release: tuple[int, int] | None) -> None:
    assert release_of(text) == release


def test_tags_are_not_ports() -> None:
    assert tag_of("registry:5000/hami") == ""
    assert tag_of("registry:5000/hami:v2.9.0") == "v2.9.0"
