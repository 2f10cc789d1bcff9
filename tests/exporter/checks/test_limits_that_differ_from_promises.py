"""S02: the limit in force, as the monitor publishes it, against the promise."""

from __future__ import annotations

import pytest

from gpuatlas.checks.limits import KAI_STEPS_PER_CARD, TOLERANCE_BYTES, mismatch
from gpuatlas.model.checks import CheckResult, Finding, InputState
from gpuatlas.model.claims import Fraction, Reservation
from gpuatlas.model.layer import LayerConfig, LayerObjects, NodeSettings
from gpuatlas.model.objects import Node, Pod
from gpuatlas.model.pages import ContainerReading, MonitorPage, Tenant
from gpuatlas.model.units import MIB
from gpuatlas_harness.checked_tenants import (
    CARD,
    SECOND,
    a_context,
    a_hami_node,
    a_page,
    a_tenant,
    a_volcano_node,
    counted,
    lines,
    only,
)
from gpuatlas_harness.observed import (
    NOW,
    a_container,
    a_dcgm_page,
    a_node,
    a_pod,
    a_promise,
    a_reading,
    uuid,
)


def judged(
    *pods: Pod, page: MonitorPage, node: Node | None = None, **changes: object
) -> CheckResult:
    return mismatch(a_context([node or a_hami_node()], pods, monitors=(page,), **changes))


def limited(limit: int, *, pod: Pod | None = None) -> CheckResult:
    """A tenant promised 8192 MiB with a limit of so many bytes."""
    pod = pod or a_tenant()
    reading = ContainerReading(used_bytes=0, limit_bytes=limit, utilization=None, idle_seconds=None)
    return judged(pod, page=a_page({(Tenant("team-a", "chat-0", "main"), CARD): reading}))


PROMISED = 8192 * MIB


def test_a_limit_above_the_promise() -> None:
    assert only(limited(12_288 * MIB)) == Finding(
        check="S02",
        signal="limit-above",
        object="Pod/team-a/chat-0",
        source="metric hami_vgpu_memory_limit_bytes",
        record=f'hami_vgpu_memory_limit_bytes{{container="main",device_uuid="{CARD}"}} '
        "12884901888, promised 8589934592",
        node="gpu-a",
        card=CARD,
        namespace="team-a",
        pod="chat-0",
    )


def test_a_limit_below_the_promise() -> None:
    found = only(limited(4096 * MIB))
    assert (found.signal, found.record.partition("} ")[2]) == (
        "limit-below",
        "4294967296, promised 8589934592",
    )


@pytest.mark.parametrize(
    ("limit", "signals"),
    [
        (PROMISED, []),
        (PROMISED + TOLERANCE_BYTES, []),
        (PROMISED - TOLERANCE_BYTES, []),
        (PROMISED + TOLERANCE_BYTES + 1, ["limit-above"]),
        (PROMISED - TOLERANCE_BYTES - 1, ["limit-below"]),
    ],
)
def test_a_mebibyte_is_no_difference(limit: int, signals: list[str]) -> None:
    assert [f.signal for f in limited(limit).findings] == signals


def test_no_limit_at_all_is_another_check_s_matter() -> None:
    assert limited(0).findings == ()


def test_no_published_limit_is_no_difference() -> None:
    pod = a_tenant()
    result = judged(pod, page=a_page(counted(pod, limit_mib=None)))
    assert (result.state, result.findings) == (InputState.OK, ())


def test_a_container_that_has_not_opened_its_card_has_no_limit_yet() -> None:
    result = judged(a_tenant(), page=a_page())
    assert (result.state, result.findings) == (InputState.OK, ())


def test_without_a_promised_amount_any_limit_is_right() -> None:
    assert limited(4096 * MIB, pod=a_tenant(mib=None)).findings == ()


def test_each_card_of_a_container_has_its_own_limit() -> None:
    pod = a_tenant(cards=(CARD, SECOND))
    page = a_page(counted(pod), counted(pod, limit_mib=16_384, card=SECOND))
    found = only(judged(pod, page=page, node=a_hami_node(cards=2)))
    assert (found.signal, found.card) == ("limit-above", SECOND)


def test_containers_of_a_pod_have_limits_of_their_own() -> None:
    pod = a_pod(
        "chat-0",
        "gpu-a",
        a_promise(CARD, 4096, container="one"),
        a_promise(CARD, 8192, container="two"),
        containers=(a_container("one"), a_container("two")),
    )
    page = a_page(
        counted(pod, limit_mib=4096, container="one"),
        counted(pod, limit_mib=4096, container="two"),
    )
    found = only(judged(pod, page=page))
    assert (found.signal, 'container="two"' in found.record) == ("limit-below", True)


def test_a_promise_that_names_no_container_is_the_sum_of_the_pod_s() -> None:
    pod = a_pod(
        "chat-0",
        "gpu-a",
        a_promise(CARD, 8192, container=""),
        containers=(a_container("one"), a_container("two")),
    )
    halves = [counted(pod, limit_mib=4096, container=name) for name in ("one", "two")]
    assert judged(pod, page=a_page(*halves)).findings == ()
    assert [f.signal for f in judged(pod, page=a_page(halves[0])).findings] == ["limit-below"]


def test_finished_pods_have_no_limit() -> None:
    pod = a_tenant(phase="Succeeded")
    assert judged(pod, page=a_page(counted(pod, limit_mib=4096))).findings == ()


def test_a_page_says_nothing_of_another_node_s_pods() -> None:
    pod = a_tenant()
    page = a_page(counted(pod, limit_mib=4096), node="gpu-b")
    other = a_hami_node("gpu-b", first=2)
    result = mismatch(a_context([a_hami_node(), other], [pod], monitors=(page,)))
    assert result.findings == ()
    assert result.nodes == (("gpu-a", InputState.MISSING), ("gpu-b", InputState.OK))


def a_kai_cluster(limit_mib: int, *, with_size: bool = True) -> CheckResult:
    """Half of an A10G (11,514 MiB) by KAI with its isolator's monitor."""
    reserved = a_pod(
        "gpu-reservation-gpu-a-abcde",
        "gpu-a",
        namespace="kai-resource-reservation",
        reservation=Reservation(
            namespace="kai-resource-reservation",
            pod="gpu-reservation-gpu-a-abcde",
            node="gpu-a",
            group="g1",
            card=CARD,
        ),
    )
    pod = a_pod(
        "chat-0",
        "gpu-a",
        containers=(a_container(limits={}),),
        fraction=Fraction(
            portion=None if not with_size else 0.5,
            memory_bytes=None if with_size else 11_514 * MIB,
            devices=1,
            container="main",
            mps=False,
            groups=("g1",),
            received="Fraction",
        ),
    )
    fields = (
        {"DEV_FB_TOTAL": 23_028.0, "DEV_FB_USED": 100.0} if with_size else {"DEV_SM_CLOCK": 1.0}
    )
    return judged(
        reserved,
        pod,
        node=a_node(),
        page=a_page(counted(pod, limit_mib=limit_mib)),
        dcgm=(a_dcgm_page(a_reading(1, fields=fields)),),
    )


@pytest.mark.parametrize(
    ("limit_mib", "signals"),
    [
        (11_514, []),
        (11_514 + 230, []),  # one hundredth of 23,028 MiB
        (11_514 - 230, []),
        (11_514 + 231, ["limit-above"]),
        (11_514 - 231, ["limit-below"]),
    ],
)
def test_kai_rounds_to_hundredths_of_the_card(limit_mib: int, signals: list[str]) -> None:
    assert KAI_STEPS_PER_CARD == 100
    assert [f.signal for f in a_kai_cluster(limit_mib).findings] == signals


def test_kai_has_the_new_names_whatever_its_version() -> None:
    found = only(a_kai_cluster(20_000))
    assert found.source == "metric hami_vgpu_memory_limit_bytes"


def test_without_the_card_s_size_kai_s_rounding_is_not_known() -> None:
    result = a_kai_cluster(20_000, with_size=False)
    assert (result.state, result.findings) == (InputState.MISSING, ())
    assert [(m.input, m.node) for m in result.missing] == [("size of the card", "gpu-a")]
    assert result.missing[0].reason.startswith(f"card {CARD}: no driver total")


def test_without_a_page_nothing_is_known() -> None:
    pod = a_tenant()
    result = mismatch(a_context([a_hami_node()], [pod]))
    assert result.state is InputState.MISSING
    assert [(m.input, m.node) for m in result.missing] == [("hami-monitor page", "gpu-a")]
    assert lines(result) == []


def test_mig_nodes_have_no_limit_to_compare() -> None:
    pod = a_tenant()
    page = a_page(counted(pod, limit_mib=1))
    result = judged(pod, page=page, node=a_hami_node(mode="mig"))
    assert result == CheckResult(check="S02", state=InputState.NOT_APPLICABLE)


def test_volcano_promises_units_of_its_memory_factor() -> None:
    card = uuid(5)
    pod = a_tenant(
        mib=819,
        node="gpu-v",
        cards=(card,),
        layer="volcano",
        containers=(a_container(limits={"volcano.sh/vgpu-number": 1}),),
    )
    config = LayerConfig(
        namespace="kube-system",
        name="volcano-vgpu-device-config",
        key="device-config.yaml",
        component="volcano-device-plugin",
        defaults=NodeSettings(name="", memory_factor=10),
    )
    result = judged(
        pod,
        page=a_page(counted(pod, limit_mib=8190, card=card), node="gpu-v"),
        node=a_volcano_node(),
        layer=LayerObjects(read_at=NOW, configs=(config,)),
    )
    assert result.findings == ()
