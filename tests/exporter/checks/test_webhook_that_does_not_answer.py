"""S07: pods do not reach HAMi's admission webhook."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from gpuatlas.checks.webhook import down
from gpuatlas.model.checks import CheckResult, Finding, InputState
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.objects import Pod
from gpuatlas_harness.checked_layers import (
    COMPONENT,
    a_checked_cluster,
    a_daemon_set,
    a_plugin_pod,
    a_probe,
    a_scheduler_deployment,
    a_shared_node,
    a_webhook,
    installed,
    signals,
    some_endpoints,
    the_finding,
)
from gpuatlas_harness.observed import a_container, a_node, a_pod

WEBHOOKS = "mutatingwebhookconfigurations.admissionregistration.k8s.io"
ENDPOINTS = "endpointslices.discovery.k8s.io"
KAI = a_webhook(configuration="kai", webhook="kai.example", service=("kai-scheduler", "binder"))


def a_scheduler_pod(role: str = "") -> Pod:
    labels = {COMPONENT: "hami-scheduler"}
    return a_pod(
        f"hami-scheduler-{role}",
        "cpu-1",
        namespace="kube-system",
        labels=labels | ({"hami.io/scheduler-role": role} if role else {}),
        containers=(a_container("vgpu-scheduler-extender", limits={}),),
    )


def judged(
    layer: LayerObjects, pods: Iterable[Pod] = (), silent: dict[tuple[str, str], str] | None = None
) -> CheckResult:
    cluster = a_checked_cluster(
        [a_shared_node()], [a_plugin_pod(), *pods], layer=layer, silent=silent or {}
    )
    return down(cluster)


def inputs(result: CheckResult) -> list[tuple[str, str]]:
    return [(lack.input, lack.reason) for lack in result.missing]


def test_a_webhook_that_answers_is_no_finding() -> None:
    result = judged(installed())
    assert (result.state, result.findings, result.missing) == (InputState.OK, (), ())
    assert result.nodes == ()


def test_a_webhook_that_does_not_exist() -> None:
    assert judged(installed(webhooks=(KAI,), probes=())).findings == (
        Finding(
            check="S07",
            signal="absent",
            object="Deployment/kube-system/hami-scheduler",
            source=WEBHOOKS,
            record="none points to the Service of Deployment/kube-system/hami-scheduler",
            namespace="kube-system",
        ),
    )


def test_a_webhook_that_points_elsewhere_is_absent() -> None:
    elsewhere = a_webhook(service=("old", "hami-scheduler"))
    result = judged(installed(webhooks=(elsewhere,)))
    assert signals(result) == ["absent", "no-endpoints"]
    assert result.findings[1].object == "Service/old/hami-scheduler"


def test_two_installations_of_one_namespace_need_a_webhook_each() -> None:
    second = a_scheduler_deployment(name="new-hami-scheduler")
    layer = installed(controllers=(a_scheduler_deployment(), second))
    assert the_finding(judged(layer)).object == "Deployment/kube-system/new-hami-scheduler"
    renamed = a_webhook(service=("kube-system", "renamed"))
    covered = installed(
        controllers=(a_scheduler_deployment(), second),
        webhooks=(renamed,),
        endpoints=(some_endpoints(service="renamed"),),
    )
    assert judged(covered).findings == ()


def test_an_old_installation_beside_a_new_one_is_judged_by_itself() -> None:
    old = a_scheduler_deployment(namespace="hami-old")
    layer = installed(controllers=(a_scheduler_deployment(), old))
    cluster = a_checked_cluster(
        [a_shared_node(), a_shared_node("gpu-b")],
        [a_plugin_pod(), a_plugin_pod("gpu-b", namespace="hami-old")],
        layer=layer,
    )
    assert the_finding(down(cluster)).namespace == "hami-old"


def test_a_webhook_that_admits_no_pods() -> None:
    assert the_finding(judged(installed(webhooks=(a_webhook(admits_pods=False),)))) == Finding(
        check="S07",
        signal="not-covering",
        object="MutatingWebhookConfiguration/hami-webhook",
        source="MutatingWebhookConfiguration/hami-webhook webhook vgpu.hami.io rules",
        record="webhook vgpu.hami.io: no rule covers the creation of pods",
        namespace="kube-system",
    )


def test_one_of_several_webhooks_is_enough() -> None:
    second = a_webhook(webhook="nodes.hami.io", admits_pods=False)
    probes = (a_probe(), a_probe(webhook="nodes.hami.io"))
    assert judged(installed(webhooks=(a_webhook(), second), probes=probes)).findings == ()


def test_a_service_without_a_ready_endpoint() -> None:
    layer = installed(endpoints=(some_endpoints(ready=0, total=2, addresses=()),), probes=())
    result = judged(layer)
    assert result.findings == (
        Finding(
            check="S07",
            signal="no-endpoints",
            object="Service/kube-system/hami-scheduler",
            source=ENDPOINTS,
            record=(
                "Service kube-system/hami-scheduler port 443: 0 of 2 endpoints ready; "
                "failurePolicy: Ignore"
            ),
            namespace="kube-system",
        ),
    )
    assert result.state is InputState.OK


@pytest.mark.parametrize("endpoints", [(), (some_endpoints(port=31993),)])
def test_a_service_without_the_port_has_no_endpoints(endpoints: tuple[object, ...]) -> None:
    finding = the_finding(judged(installed(endpoints=endpoints)))
    assert finding.record == (
        "Service kube-system/hami-scheduler port 443: no such endpoints; failurePolicy: Ignore"
    )


def test_schedulers_without_a_leader_explain_it() -> None:
    layer = installed(endpoints=(some_endpoints(ready=0),))
    doubt = "no scheduler pod has hami.io/scheduler-role=leader"
    assert doubt in the_finding(judged(layer, [a_scheduler_pod("follower")])).record
    for pods in ([a_scheduler_pod()], [a_scheduler_pod("follower"), a_scheduler_pod("leader")]):
        assert doubt not in the_finding(judged(layer, pods)).record
    blind = {("kubernetes-pods", ""): "403"}
    assert doubt not in the_finding(judged(layer, [a_scheduler_pod("follower")], blind)).record


def test_an_endpoint_that_is_ready_and_does_not_answer() -> None:
    probes = (
        a_probe(),
        a_probe(
            address="10.0.0.8:443", reached=False, verified=None, not_after=None, error="timed out"
        ),
    )
    assert the_finding(judged(installed(probes=probes))) == Finding(
        check="S07",
        signal="unreachable",
        object="Service/kube-system/hami-scheduler",
        source="TLS handshake with 10.0.0.8:443",
        record="timed out; 1 of 2 endpoints; failurePolicy: Ignore",
        namespace="kube-system",
    )


def test_endpoints_that_are_not_ready_owe_no_answer() -> None:
    layer = installed(
        endpoints=(some_endpoints(ready=0),), probes=(a_probe(reached=False, verified=None),)
    )
    assert signals(judged(layer)) == ["no-endpoints"]


def test_a_webhook_with_a_url_needs_no_service() -> None:
    outside = a_webhook(service=None, url="https://hami.example:8443/webhook", port=8443)
    good = installed(webhooks=(outside,), endpoints=(), probes=(a_probe(address="hami.example"),))
    assert judged(good).findings == ()
    bad = installed(
        webhooks=(outside,), endpoints=(), probes=(a_probe(reached=False, verified=None, error=""),)
    )
    finding = the_finding(judged(bad))
    assert finding.object == "MutatingWebhookConfiguration/hami-webhook"
    assert finding.record == "no answer; 1 of 1 endpoints; failurePolicy: Ignore"
    assert finding.namespace == ""


def test_failing_open_is_no_fault_by_itself() -> None:
    for policy in ("Ignore", "Fail"):
        assert judged(installed(webhooks=(a_webhook(failure_policy=policy),))).findings == ()


def test_webhooks_that_cannot_be_read_are_a_missing_input() -> None:
    result = judged(installed(webhooks=(), probes=(), unread={WEBHOOKS: "403 Forbidden"}))
    assert (result.findings, inputs(result)) == ((), [(WEBHOOKS, "403 Forbidden")])
    assert result.state is InputState.MISSING


def test_endpoints_that_cannot_be_read_are_a_missing_input() -> None:
    layer = installed(endpoints=(), probes=(), unread={ENDPOINTS: "403", "certificate": "no probe"})
    result = judged(layer)
    assert (result.findings, inputs(result)) == ((), [(ENDPOINTS, "403")])
    failing = installed(
        endpoints=(), probes=(a_probe(reached=False, verified=None),), unread={ENDPOINTS: "403"}
    )
    assert signals(judged(failing)) == ["unreachable"]


def test_a_probe_that_was_not_made_is_a_missing_input() -> None:
    assert inputs(judged(installed(probes=()))) == [
        ("certificate", "no TLS handshake with the webhook vgpu.hami.io was tried")
    ]
    told = installed(probes=(), unread={"certificate": "not from a laptop"})
    assert inputs(judged(told)) == [("certificate", "not from a laptop")]


def test_schedulers_that_nobody_finds_are_a_missing_input() -> None:
    layer = installed(controllers=(a_daemon_set(),), webhooks=(), probes=())
    result = judged(layer)
    assert result.findings == ()
    assert inputs(result) == [
        (
            "deployments.apps",
            "no Deployment has the label app.kubernetes.io/component=hami-scheduler: add it to "
            "HAMi's scheduler",
        )
    ]
    refused = installed(
        controllers=(a_daemon_set(),), webhooks=(), probes=(), unread={"deployments.apps": "403"}
    )
    assert inputs(judged(refused)) == [("deployments.apps", "403")]


def test_before_the_first_look_nothing_is_ok() -> None:
    result = judged(LayerObjects())
    assert result.state is InputState.MISSING
    assert [name for name, _ in inputs(result)] == ["layer objects"]


def test_it_does_not_apply_without_hami() -> None:
    cluster = a_checked_cluster([a_node()], layer=installed(webhooks=()))
    assert down(cluster).state is InputState.NOT_APPLICABLE
