"""Objects that a tenant labelled as HAMi's neither raise findings nor hide any."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.evaluate import evaluate
from gpuatlas.model.layer import LayerController, LayerObjects, SchedulerLease
from gpuatlas.model.objects import Pod
from gpuatlas_harness.checked_layers import (
    COMPONENT,
    a_checked_cluster,
    a_config,
    a_daemon_set,
    a_plugin_pod,
    a_scheduler_deployment,
    a_shared_node,
    a_webhook,
    installed,
)
from gpuatlas_harness.observed import NOW, a_pod

TENANT = "team-a"
SCHEDULER = a_scheduler_deployment(namespace=TENANT, flags={"scheduler-name": "mine"})
LEADER = {COMPONENT: "hami-scheduler", "hami.io/scheduler-role": "leader"}
LEASE = SchedulerLease(
    namespace=TENANT, name="x", holder="", renewed_at=NOW - 9000.0, duration_seconds=15.0
)


def judged(layer: LayerObjects, *pods: Pod) -> set[tuple[str, str, str]]:
    context = a_checked_cluster([a_shared_node()], [a_plugin_pod(), *pods], layer=layer)
    report = evaluate(context.observations, context.snapshot)
    return {(f.check, f.signal, f.object) for f in report.findings}


def beside(*controllers: LayerController, **changes: object) -> LayerObjects:
    own = installed()
    return replace(own, controllers=(*own.controllers, *controllers), **changes)  # type: ignore[arg-type]


CLEAN = judged(installed())


@pytest.mark.parametrize(
    ("layer", "pods"),
    [
        pytest.param(beside(SCHEDULER), (), id="a scheduler without a webhook"),
        pytest.param(beside(SCHEDULER, leases=(LEASE,)), (), id="a Lease that nobody renews"),
        pytest.param(
            beside(SCHEDULER),
            tuple(a_pod(f"s-{i}", "cpu-1", namespace=TENANT, labels=LEADER) for i in (1, 2)),
            id="two leaders",
        ),
        pytest.param(
            beside(
                a_daemon_set(namespace=TENANT),
                configs=(replace(a_config(), namespace=TENANT, error="line 1: no mapping"),),
            ),
            (a_plugin_pod("cpu-1", namespace=TENANT, uid="imitation"),),
            id="a configuration that nobody can read",
        ),
    ],
)
def test_a_tenants_labels_raise_nothing(layer: LayerObjects, pods: tuple[Pod, ...]) -> None:
    assert judged(layer, *pods) == CLEAN


def test_a_second_installation_is_believed_for_its_webhook() -> None:
    second = a_scheduler_deployment(namespace="hami-2")
    hook = a_webhook(
        configuration="hami-2", service=("hami-2", "hami-scheduler"), admits_pods=False
    )
    found = judged(beside(second, webhooks=(a_webhook(), hook)))
    assert ("S07", "not-covering", "MutatingWebhookConfiguration/hami-2") in found


def test_a_second_installation_is_believed_for_the_nodes_that_it_serves() -> None:
    second = a_scheduler_deployment(namespace="hami-2")
    context = a_checked_cluster(
        [a_shared_node(), a_shared_node("gpu-b")],
        [a_plugin_pod(), a_plugin_pod("gpu-b", namespace="hami-2")],
        layer=beside(second),
    )
    report = evaluate(context.observations, context.snapshot)
    absent = {f.object for f in report.findings if f.signal == "absent"}
    assert absent == {"Deployment/hami-2/hami-scheduler"}
