"""S09: pods that nobody will place, that keep the webhook out or see all cards."""

from __future__ import annotations

import pytest

from gpuatlas.checks.tenants import bypassed
from gpuatlas.model.checks import CheckResult, InputState
from gpuatlas.model.pod_spec import PodAccess
from gpuatlas_harness.checked_admission import IGNORED, asking, judged_admission, waiting
from gpuatlas_harness.checked_tenants import a_context, a_tenant, a_volcano_node, lines, only
from gpuatlas_harness.observed import a_container, a_node, a_pod


def test_a_share_that_nobody_can_place() -> None:
    assert lines(judged_admission(waiting())) == [
        (
            "pending",
            "app-0",
            "pod spec.schedulerName and limits",
            "schedulerName: default-scheduler, nvidia.com/gpumem: 4096",
        )
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"scheduler": "hami-scheduler"},
        {"phase": "Failed"},
        {"containers": (a_container(),)},  # a whole card, which a plain node may have
        {"containers": (a_container(limits={"hygon.com/dcumem": 1}),)},  # no such card with HAMi
    ],
)
def test_pods_that_wait_rightly(changes: dict[str, object]) -> None:
    assert judged_admission(waiting(**changes)).findings == ()


def test_the_label_that_keeps_the_webhook_out() -> None:
    found = judged_admission(
        a_tenant(labels=IGNORED), waiting(labels=IGNORED, scheduler="hami-scheduler")
    )
    assert lines(found) == [
        ("ignore-label", "app-0", "pod label hami.io/webhook", "hami.io/webhook: ignore"),
        ("ignore-label", "chat-0", "pod label hami.io/webhook", "hami.io/webhook: ignore"),
    ]


def test_hami_s_own_pods_carry_the_label_and_ask_for_nothing() -> None:
    labels = {"app.kubernetes.io/component": "hami-scheduler", **IGNORED}
    pod = a_pod("hami-scheduler-0", "gpu-a", containers=(a_container(limits={}),), labels=labels)
    assert judged_admission(pod).findings == ()


def test_other_values_of_the_label_keep_nothing_out() -> None:
    assert judged_admission(a_tenant(labels={"hami.io/webhook": "audit"})).findings == ()


def test_a_privileged_container_that_asks_itself() -> None:
    pod = a_tenant(access=PodAccess(privileged=("main",)))
    assert lines(judged_admission(pod)) == [
        (
            "privileged",
            "chat-0",
            "securityContext and limits of container main",
            "privileged: true, nvidia.com/gpu: 1",
        )
    ]


def test_a_privileged_helper_beside_the_tenant_sees_no_share() -> None:
    pod = a_tenant(
        containers=(a_container(), a_container("mount", limits={})),
        access=PodAccess(privileged=("mount", "gone")),
    )
    assert judged_admission(pod).findings == ()


def test_a_privileged_init_container_has_ended() -> None:
    pod = a_tenant(
        containers=(a_container("init", kind="init"), a_container()),
        access=PodAccess(privileged=("init",)),
    )
    assert judged_admission(pod).findings == ()


def test_a_share_of_volcano_waits_for_the_wrong_scheduler() -> None:
    pod = waiting(containers=(a_container(limits={"volcano.sh/vgpu-memory": 1024}),))
    assert only(judged_admission(pod, node=a_volcano_node())).signal == "pending"


def test_a_cluster_without_the_layers() -> None:
    result = bypassed(a_context([a_node()], [asking(), waiting(uid="w", name="w")]))
    assert result == CheckResult(check="S09", state=InputState.NOT_APPLICABLE)
