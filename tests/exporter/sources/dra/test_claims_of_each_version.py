"""Claims as each version of a driver has them allocated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpuatlas.model.claims import AllocatedDevice, Claim, ClaimRequest, Consumer
from gpuatlas.model.units import MIB
from gpuatlas.sources.dra.project import project_claim

Load = Callable[[str, str], dict[str, Any]]
NVIDIA = "gpu.nvidia.com"
HAMI = "hami-core-gpu.project-hami.io"
EXPECTED = {
    "nvidia-v25.3.2": Claim(
        uid="20000000-0000-4000-8000-000000000101",
        namespace="team-a",
        name="train-0-mig-8fkqz",
        requests=(
            ClaimRequest(name="big", device_class="mig.nvidia.com"),
            ClaimRequest(name="small", device_class="mig.nvidia.com"),
        ),
        results=(
            AllocatedDevice(
                request="big",
                driver=NVIDIA,
                vendor="nvidia",
                pool="mig-a",
                device="gpu-0-mig-9-0-4",
            ),
            AllocatedDevice(
                request="small",
                driver=NVIDIA,
                vendor="nvidia",
                pool="mig-a",
                device="gpu-0-mig-19-4-1",
            ),
        ),
        reserved_for=(Consumer("pods", "train-0", "20000000-0000-4000-8000-0000000000f1"),),
    ),
    "monitoring": Claim(
        uid="20000000-0000-4000-8000-000000000102",
        namespace="monitoring",
        name="watcher",
        requests=(ClaimRequest(name="all", device_class=NVIDIA, count=None, admin=True),),
        results=(
            AllocatedDevice(
                request="all",
                driver=NVIDIA,
                vendor="nvidia",
                pool="mig-a",
                device="gpu-0",
                admin=True,
            ),
        ),
        reserved_for=(Consumer("pods", "watcher-0", "20000000-0000-4000-8000-0000000000f2"),),
    ),
    "nvidia-v25.8.1": Claim(
        uid="30000000-0000-4000-8000-000000000101",
        namespace="team-a",
        name="shared-mps",
        requests=(ClaimRequest(name="mps-gpu", device_class=NVIDIA),),
        results=(
            AllocatedDevice(
                request="mps-gpu",
                driver=NVIDIA,
                vendor="nvidia",
                pool="plain-a",
                device="gpu-0",
                sharing="mps",
            ),
        ),
        reserved_for=(
            Consumer("pods", "serve-0", "30000000-0000-4000-8000-0000000000f1"),
            Consumer("pods", "serve-1", "30000000-0000-4000-8000-0000000000f2"),
        ),
    ),
    # The claim's own configuration stands over the class's; nobody holds it now.
    "mixed": Claim(
        uid="30000000-0000-4000-8000-000000000102",
        namespace="team-b",
        name="mixed",
        requests=(
            ClaimRequest(name="main/two", device_class=NVIDIA, count=2),
            ClaimRequest(name="main/one", device_class=NVIDIA),
            ClaimRequest(name="rest", device_class=NVIDIA, count=None),
        ),
        results=(
            AllocatedDevice(
                request="main/one",
                driver=NVIDIA,
                vendor="nvidia",
                pool="plain-a",
                device="gpu-0",
                sharing="mps",
            ),
            AllocatedDevice(
                request="rest",
                driver=NVIDIA,
                vendor="nvidia",
                pool="plain-a",
                device="gpu-1",
                sharing="time-slicing",
            ),
        ),
    ),
    "pending": Claim(
        uid="30000000-0000-4000-8000-000000000103",
        namespace="team-b",
        name="pending",
        requests=(ClaimRequest(name="gpus", device_class=NVIDIA, count=8),),
    ),
    # Of two configurations without requests, the one for MIG devices counts.
    "nvidia-v25.12.0": Claim(
        uid="40000000-0000-4000-8000-000000000101",
        namespace="team-c",
        name="infer-0-mig-k2v9p",
        requests=(ClaimRequest(name="mig", device_class="mig.nvidia.com"),),
        results=(
            AllocatedDevice(
                request="mig",
                driver=NVIDIA,
                vendor="nvidia",
                pool="dynmig-a",
                device="gpu-0-mig-1g10gb-19-0",
                sharing="time-slicing",
            ),
        ),
        reserved_for=(Consumer("pods", "infer-0", "40000000-0000-4000-8000-0000000000f1"),),
    ),
    "extended": Claim(
        uid="50000000-0000-4000-8000-000000000101",
        namespace="team-d",
        name="legacy-0-extended-resources-5k642",
        requests=(ClaimRequest(name="container-0-request-0", device_class=NVIDIA),),
        results=(
            AllocatedDevice(
                request="container-0-request-0",
                driver=NVIDIA,
                vendor="nvidia",
                pool="new-a",
                device="gpu-0",
                share_id="50000000-0000-4000-8000-00000000a001",
            ),
        ),
        reserved_for=(Consumer("pods", "legacy-0", "50000000-0000-4000-8000-0000000000f1"),),
        extended_resource=True,
    ),
    # The network card of the same claim is no card of ours.
    "gang": Claim(
        uid="50000000-0000-4000-8000-000000000102",
        namespace="team-d",
        name="gang",
        requests=(
            ClaimRequest(name="gpu", device_class=NVIDIA),
            ClaimRequest(name="nic", device_class="dranet.example.com"),
        ),
        results=(
            AllocatedDevice(
                request="gpu",
                driver=NVIDIA,
                vendor="nvidia",
                pool="new-a",
                device="gpu-0",
                share_id="50000000-0000-4000-8000-00000000a002",
                memory_bytes=20480 * MIB,
            ),
        ),
        reserved_for=(Consumer("podgroups", "gang-1", "50000000-0000-4000-8000-0000000000f2"),),
    ),
    "hami": Claim(
        uid="60000000-0000-4000-8000-000000000101",
        namespace="team-e",
        name="team-e-chat-0-main",
        requests=(ClaimRequest(name="main", device_class=HAMI),),
        results=(
            AllocatedDevice(
                request="main",
                driver=HAMI,
                vendor="nvidia",
                pool="hami-a",
                device="hami-gpu-0",
                share_id="60000000-0000-4000-8000-00000000a001",
                memory_bytes=8000 * MIB,
                cores=30,
            ),
        ),
        reserved_for=(Consumer("pods", "chat-0", "60000000-0000-4000-8000-0000000000f1"),),
    ),
    # 0 cores limit nothing.
    "hami-idle": Claim(
        uid="60000000-0000-4000-8000-000000000102",
        namespace="team-e",
        name="team-e-embed-0-main",
        requests=(ClaimRequest(name="main", device_class=HAMI),),
        results=(
            AllocatedDevice(
                request="main",
                driver=HAMI,
                vendor="nvidia",
                pool="hami-a",
                device="hami-gpu-0",
                share_id="60000000-0000-4000-8000-00000000a002",
                memory_bytes=1024 * MIB,
            ),
        ),
    ),
}
FOLDERS = {
    "monitoring": "nvidia-v25.3.2",
    "mixed": "nvidia-v25.8.1",
    "pending": "nvidia-v25.8.1",
    "extended": "nvidia-2026-08",
    "gang": "nvidia-2026-08",
    "hami": "hami-v0.1.0",
    "hami-idle": "hami-v0.1.0",
}


@pytest.mark.parametrize("case", EXPECTED)
def test_claims_are_read_in_every_version(dra: Load, case: str) -> None:
    expected = EXPECTED[case]
    assert project_claim(dra(FOLDERS.get(case, case), expected.name)) == expected


@pytest.mark.parametrize("name", ["nic", "empty"])
def test_claims_without_cards_are_left_out(dra: Load, name: str) -> None:
    assert project_claim(dra("others", name)) is None


def test_a_claim_has_one_way_of_sharing_or_none() -> None:
    assert EXPECTED["nvidia-v25.8.1"].sharing == "mps"
    assert EXPECTED["nvidia-v25.12.0"].sharing == "time-slicing"
    assert EXPECTED["mixed"].sharing == ""
    assert EXPECTED["hami"].sharing == ""
    assert EXPECTED["monitoring"].sharing == ""


def test_looking_on_is_told_by_the_request_where_the_result_does_not(dra: Load) -> None:
    raw = dra("nvidia-v25.3.2", "watcher")
    del raw["status"]["allocation"]["devices"]["results"][0]["adminAccess"]
    claim = project_claim(raw)
    assert claim is not None
    assert claim.results[0].admin is True
