"""S03: what tenants hold beyond their promise or limit, and memory that nobody counts."""

from __future__ import annotations

import pytest

from gpuatlas.checks.limits import breached
from gpuatlas.model.checks import CheckResult, Finding, InputState
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.pages import MonitorPage, Tenant
from gpuatlas.model.units import MIB
from gpuatlas_harness.checked_tenants import (
    CARD,
    a_context,
    a_hami_node,
    a_page,
    a_tenant,
    a_volcano_node,
    counted,
    only,
)
from gpuatlas_harness.observed import a_container, a_dcgm_page, a_node, a_pod, a_reading, uuid


def judged(
    *pods: Pod, page: MonitorPage, node: Node | None = None, **changes: object
) -> CheckResult:
    return breached(a_context([node or a_hami_node()], pods, monitors=(page,), **changes))


def signals(result: CheckResult) -> list[str]:
    return [finding.signal for finding in result.findings]


def driven(resident_mib: float, **changes: object) -> CheckResult:
    """A tenant promised 8192 MiB of which the driver sees so much."""
    pod = a_tenant(**changes)  # type: ignore[arg-type]
    tenant = Tenant("team-a", "chat-0", "main")
    reading = a_reading(
        1,
        fields={"DEV_FB_USED": resident_mib, "DEV_FB_TOTAL": 23_028.0},
        tenant_fields={tenant: {"DEV_FB_USED": resident_mib}},
    )
    page = a_page(counted(pod, used_mib=8000))
    return judged(pod, page=page, dcgm=(a_dcgm_page(reading),))


# 8192 MiB * 1.05 + 512 MiB = 9113.6 MiB
@pytest.mark.parametrize(("mib", "found"), [(9113, []), (9114, ["over-promise"])])
def test_contexts_and_the_driver_take_some_of_their_own(mib: float, found: list[str]) -> None:
    assert signals(driven(mib)) == found


def test_a_tenant_beyond_its_promise_by_the_driver_s_view() -> None:
    assert only(driven(10_000)) == Finding(
        check="S03",
        signal="over-promise",
        object="Pod/team-a/chat-0",
        source="metric DCGM_FI_DEV_FB_USED",
        record=f'DCGM_FI_DEV_FB_USED{{UUID="{CARD}"}} 10000, promised bytes 8589934592',
        node="gpu-a",
        card=CARD,
        namespace="team-a",
        pod="chat-0",
    )


def test_without_a_promised_amount_nothing_is_beyond_it() -> None:
    assert signals(driven(10_000, mib=None)) == []


def counting(used_mib: int | None, limit_mib: int | None) -> CheckResult:
    pod = a_tenant()
    return judged(
        pod, page=a_page(counted(pod, used_mib, limit_mib), hosts={CARD: (used_mib or 0, 0.5)})
    )


@pytest.mark.parametrize(
    ("used", "limit", "found"),
    [
        (8192, 8192, []),
        (10_200, 10_000, []),
        (10_201, 10_000, ["over-limit"]),
        (20_000, 0, []),
        (20_000, None, []),
        (None, 8192, []),
    ],
)
def test_a_tenant_counted_beyond_its_limit(
    used: int | None, limit: int | None, found: list[str]
) -> None:
    assert signals(counting(used, limit)) == found


def test_the_counter_is_quoted_with_the_limit() -> None:
    found = only(counting(9000, 8192))
    assert found.source == "metric hami_vgpu_memory_used_bytes"
    assert found.record == (
        f'hami_vgpu_memory_used_bytes{{container="main",device_uuid="{CARD}"}} {9000 * MIB}, '
        f"limit {8192 * MIB}"
    )


def beside(resident_mib: int, counted_mib: int | None, *pods: Pod) -> CheckResult:
    readings = [counted(pod, counted_mib, None) for pod in pods]
    return judged(*pods, page=a_page(*readings, hosts={CARD: (resident_mib, 0.5)}))


# 2 GiB and 600 MiB for each tenant
@pytest.mark.parametrize(("mib", "found"), [(2648, []), (2649, ["uncounted"])])
def test_memory_that_nobody_counts(mib: int, found: list[str]) -> None:
    assert signals(beside(1000 + mib, 1000, a_tenant())) == found


def test_every_tenant_has_contexts_that_are_not_counted() -> None:
    pods = [a_tenant(f"chat-{n}", mib=4096) for n in range(3)]
    assert signals(beside(3000 + 2048 + 1800, 1000, *pods)) == []
    assert signals(beside(3000 + 2048 + 1801, 1000, *pods)) == ["uncounted"]


def test_a_card_is_its_node_s_to_mend() -> None:
    assert only(beside(9000, 1000, a_tenant())) == Finding(
        check="S03",
        signal="uncounted",
        object="Node/gpu-a",
        source="metric hami_host_gpu_memory_used_bytes",
        record=f'hami_host_gpu_memory_used_bytes{{device_uuid="{CARD}"}} {9000 * MIB}, '
        f"counted bytes {1000 * MIB}",
        node="gpu-a",
        card=CARD,
    )


def test_a_card_without_a_tenant_must_be_empty() -> None:
    """A process of the host, or of a container beside Kubernetes."""
    assert signals(judged(page=a_page(hosts={CARD: (2049, 0.0)}))) == ["uncounted"]
    assert signals(judged(page=a_page(hosts={CARD: (2048, 0.0)}))) == []


def test_more_counted_than_resident_is_no_breach() -> None:
    assert signals(beside(1000, 8000, a_tenant())) == []


def test_a_counter_that_lies_leaves_the_card_unknown() -> None:
    result = beside(9000, None, a_tenant())
    assert (result.state, signals(result)) == (InputState.MISSING, [])
    assert [(m.input, m.node, m.reason) for m in result.missing] == [
        (
            "hami_vgpu_memory_used_bytes",
            "gpu-a",
            f"card {CARD}: one container's counter is not plausible",
        )
    ]


def test_a_tenant_that_nobody_can_place_leaves_the_card_unknown() -> None:
    loose = a_pod("loose", "gpu-a")  # asks for a card and carries no annotation
    result = beside(9000, 1000, a_tenant(), loose)
    assert (result.state, signals(result)) == (InputState.MISSING, [])
    assert [(m.input, m.node) for m in result.missing] == [("tenants of the card", "gpu-a")]


def test_without_the_driver_s_view_nothing_is_known() -> None:
    pod = a_tenant()
    result = judged(pod, page=a_page(counted(pod)))
    assert (result.state, signals(result)) == (InputState.MISSING, [])
    assert [(m.input, m.node) for m in result.missing] == [("memory in use by the driver", "gpu-a")]


def test_without_a_page_nothing_is_counted() -> None:
    reading = a_reading(1, DEV_FB_USED=20_000.0, DEV_FB_TOTAL=23_028.0)
    result = breached(a_context([a_hami_node()], [a_tenant()], dcgm=(a_dcgm_page(reading),)))
    assert (result.state, signals(result)) == (InputState.MISSING, [])
    assert [(m.input, m.node) for m in result.missing] == [("hami-monitor page", "gpu-a")]


def test_plain_cards_are_nobody_s_promise() -> None:
    reading = a_reading(1, DEV_FB_USED=20_000.0, DEV_FB_TOTAL=23_028.0)
    result = breached(a_context([a_node()], [a_pod()], dcgm=(a_dcgm_page(reading),)))
    assert result == CheckResult(check="S03", state=InputState.NOT_APPLICABLE)


def test_volcano_keeps_the_old_names() -> None:
    card = uuid(5)
    pod = a_tenant(
        node="gpu-v",
        cards=(card,),
        layer="volcano",
        containers=(a_container(limits={"volcano.sh/vgpu-number": 1}),),
    )
    page = a_page(
        counted(pod, 9000, 8192, card=card), node="gpu-v", hosts={card: (9000, 0.5)}, version=""
    )
    found = only(judged(pod, page=page, node=a_volcano_node()))
    assert (found.signal, found.source) == (
        "over-limit",
        "metric vGPU_device_memory_usage_in_bytes",
    )
