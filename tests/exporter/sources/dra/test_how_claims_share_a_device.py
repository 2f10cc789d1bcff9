"""Which of several configurations says how a device is shared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpuatlas.sources.dra.project import project_claim

Load = Callable[[str, str], dict[str, Any]]
NVIDIA = "gpu.nvidia.com"
HAMI = "hami-core-gpu.project-hami.io"


def config(strategy: str, source: str = "FromClaim", **more: Any) -> dict[str, Any]:
    parameters = {"kind": "GpuConfig", "sharing": {"strategy": strategy}}
    opaque = {"driver": NVIDIA, "parameters": parameters}
    return {"source": source, "opaque": opaque, **more}


@pytest.mark.parametrize(
    ("configs", "sharing"),
    [
        pytest.param([], "", id="none"),
        pytest.param([config("MPS")], "mps", id="for all"),
        pytest.param([config("MPS", requests=[])], "mps", id="for all, written out"),
        pytest.param([config("MPS", requests=["mps-gpu"])], "mps", id="for this request"),
        pytest.param([config("MPS", requests=["other"])], "", id="for another request"),
        pytest.param([config("MPS"), config("TimeSlicing")], "time-slicing", id="the last stands"),
        pytest.param(
            [config("MPS"), config("TimeSlicing", "FromClass")], "mps", id="the claim's stands"
        ),
        pytest.param([config("MPS"), config("Magic")], "", id="a strategy that we do not know"),
        pytest.param(
            [config("MPS"), {"opaque": {"driver": NVIDIA, "parameters": {"kind": "GpuConfig"}}}],
            "",
            id="a later one without sharing",
        ),
        pytest.param(
            [{"opaque": {"driver": HAMI, "parameters": {"sharing": {"strategy": "MPS"}}}}],
            "",
            id="for another driver",
        ),
        pytest.param(
            [
                {
                    "opaque": {
                        "driver": NVIDIA,
                        "parameters": {"kind": "MigDeviceConfig", "sharing": {"strategy": "MPS"}},
                    }
                }
            ],
            "",
            id="for MIG devices only",
        ),
        pytest.param([None, 7, {"opaque": "text"}], "", id="junk"),
    ],
)
def test_the_last_configuration_that_fits_a_device_stands(
    dra: Load, configs: list[Any], sharing: str
) -> None:
    raw = dra("nvidia-v25.8.1", "shared-mps")
    raw["status"]["allocation"]["devices"]["config"] = configs
    claim = project_claim(raw)
    assert claim is not None
    assert claim.results[0].sharing == sharing
    assert claim.rejections == ()


def test_a_configuration_of_the_main_request_is_for_its_alternatives(dra: Load) -> None:
    raw = dra("nvidia-v25.8.1", "mixed")
    devices = raw["status"]["allocation"]["devices"]
    for requests, sharing in ((["main"], "mps"), (["main/one"], "mps"), (["main/two"], "")):
        devices["config"] = [config("MPS", requests=requests)]
        claim = project_claim(raw)
        assert claim is not None
        assert claim.results[0].sharing == sharing
