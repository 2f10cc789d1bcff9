"""Recorded pages of dcgm-exporter, as they are read."""

from __future__ import annotations

from pathlib import Path

from gpuatlas.model.pages import DcgmPage
from gpuatlas.sources.dcgm.fields import DCGM_NAMES
from gpuatlas.sources.dcgm.parse import read_page
from gpuatlas.sources.exposition import parse_text

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "dcgm"


def dcgm_fixture(name: str) -> DcgmPage:
    body = (FIXTURES / f"{name}.prom").read_bytes()
    samples, refused = parse_text(body, wanted=DCGM_NAMES, source="dcgm", where=name)
    assert refused == []
    return read_page(samples, target="exporter", node="gpu-a", at=1000.0)
