"""S05: compute above the promise while others on the card are at work."""

from __future__ import annotations

import pytest

from gpuatlas.checks.compute import ineffective
from gpuatlas.model.checks import CheckResult, Finding, InputState
from gpuatlas_harness.checked_tenants import (
    CARD,
    SECOND,
    a_context,
    a_hami_node,
    a_page,
    a_tenant,
    counted,
    only,
)
from gpuatlas_harness.observed import a_container, a_node, a_pod, a_promise


def judged(
    used: float | None,
    other: float | None,
    busy: float = 0.95,
    *,
    cores: int | None = 30,
    neighbour_card: str = CARD,
) -> CheckResult:
    """A tenant promised `cores` percent, and a neighbour, on a card that is so busy."""
    one = a_tenant("one", cores=cores)
    two = a_tenant("two", cores=50, cards=(neighbour_card,))
    page = a_page(
        counted(one, utilization=used),
        counted(two, utilization=other, card=neighbour_card),
        hosts={CARD: (9000, busy), SECOND: (9000, busy)},
    )
    return ineffective(a_context([a_hami_node(cards=2)], [one, two], monitors=(page,)))


def signals(result: CheckResult) -> list[str]:
    return [f"{finding.signal} {finding.pod}" for finding in result.findings]


def test_a_tenant_above_its_share_of_a_full_card() -> None:
    assert only(judged(0.72, 0.2)) == Finding(
        check="S05",
        signal="over-promise",
        object="Pod/team-a/one",
        source="metric hami_container_device_utilization_ratio",
        record=f'hami_container_device_utilization_ratio{{container="main",device_uuid="{CARD}"}} '
        "72, promised 30",
        node="gpu-a",
        card=CARD,
        namespace="team-a",
        pod="one",
    )


# 0.3 * 1.2 + 0.05 = 0.41
@pytest.mark.parametrize(
    ("used", "other", "busy", "found"),
    [
        (0.41, 0.2, 0.95, []),
        (0.42, 0.2, 0.95, ["over-promise one"]),
        (0.9, 0.2, 0.9, []),  # the card has room
        (0.9, 0.05, 0.95, []),  # the neighbour does not work
        (0.9, None, 0.95, []),  # nor is anything known of it
        (None, 0.2, 0.95, []),
    ],
)
def test_bounds(used: float | None, other: float | None, busy: float, found: list[str]) -> None:
    assert signals(judged(used, other, busy)) == found


@pytest.mark.parametrize("cores", [None, 100])
def test_a_tenant_without_a_compute_limit_may_take_all(cores: int | None) -> None:
    assert signals(judged(0.99, 0.2, cores=cores)) == []


def test_alone_on_its_card_a_tenant_is_not_limited() -> None:
    assert signals(judged(0.99, 0.2, neighbour_card=SECOND)) == []


def test_another_container_of_the_same_pod_is_no_other_tenant() -> None:
    pod = a_pod(
        "one",
        "gpu-a",
        a_promise(CARD, 4096, 30, container="a"),
        a_promise(CARD, 4096, 30, container="b"),
        containers=(a_container("a"), a_container("b")),
    )
    page = a_page(
        counted(pod, container="a", utilization=0.7),
        counted(pod, container="b", utilization=0.25),
        hosts={CARD: (9000, 0.95)},
    )
    assert signals(ineffective(a_context([a_hami_node()], [pod], monitors=(page,)))) == []


def test_mig_instances_are_the_hardware_s_matter() -> None:
    context = a_context([a_hami_node(mode="mig")], [a_tenant()], monitors=(a_page(),))
    assert ineffective(context) == CheckResult(check="S05", state=InputState.NOT_APPLICABLE)


def test_without_the_card_s_own_use_nothing_is_known() -> None:
    pod = a_tenant()
    page = a_page(counted(pod, utilization=0.9))
    result = ineffective(a_context([a_hami_node()], [pod], monitors=(page,)))
    assert result.nodes == (("gpu-a", InputState.MISSING),)
    assert [(m.input, m.node, m.reason) for m in result.missing] == [
        (
            "utilisation of the card",
            "gpu-a",
            f"card {CARD}: no dcgm-exporter page for this node",
        )
    ]


def test_without_a_monitor_nothing_is_known() -> None:
    result = ineffective(a_context([a_hami_node()], [a_tenant(cores=None)]))
    assert result.state is InputState.MISSING
    assert [(m.input, m.node) for m in result.missing] == [("hami-monitor page", "gpu-a")]


def test_plain_cards_promise_no_compute() -> None:
    assert ineffective(a_context([a_node()], [a_pod()])) == CheckResult(
        check="S05", state=InputState.NOT_APPLICABLE
    )
