"""S06 to S08 and S10 to S13 say something true of whatever the sources hand over."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.checks import certificates, monitor, plugin, registration, stuck, webhook
from gpuatlas.checks.plugin_pods import monitor_state, plugin_state
from gpuatlas.model.checks import InputState
from gpuatlas.model.devices import Handshake
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.objects import Node, Pod
from gpuatlas_harness.checked_layers import (
    COMPONENT,
    HANDSHAKE,
    REGISTER,
    a_checked_cluster,
    a_config,
    a_daemon_set,
    a_plugin_pod,
    a_probe,
    a_scheduler_deployment,
    a_shared_pod,
    a_webhook,
    some_endpoints,
)
from gpuatlas_harness.observed import (
    NOW,
    a_dcgm_page,
    a_device,
    a_monitor_page,
    a_node,
    a_reading,
    a_registration,
)

CHECKS = (
    monitor.silent,
    webhook.down,
    certificates.certificate,
    plugin.down,
    plugin.label_missing,
    registration.registration_stale,
    stuck.allocations,
)
NAMES = st.sampled_from(["gpu-a", "gpu-b", ""])
TEXT = st.text(max_size=12)
INSTANTS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [NOW, NOW - 61, NOW - 4000, NOW + 4000]
)
MAYBE = st.none() | INSTANTS
LABELS = st.dictionaries(
    st.sampled_from(["gpu", "ascend", "example.org/x", COMPONENT, "name"]),
    st.sampled_from(["on", "off", "hami-device-plugin", "volcano-device-plugin"]),
    max_size=3,
)
RESOURCES = st.dictionaries(
    st.sampled_from(["nvidia.com/gpu", "volcano.sh/vgpu-number", "huawei.com/Ascend910B3", "x/y"]),
    st.integers(0, 10),
)
ANNOTATIONS = st.dictionaries(
    st.sampled_from(
        [
            REGISTER,
            HANDSHAKE,
            "hami.io/mutex.lock",
            "volcano.sh/mutex.lock",
            "hami.io/bind-phase",
            "hami.io/bind-time",
            "hami-vnpu-core",
            "volcano.sh/node-vgpu-register",
        ]
    ),
    TEXT
    | st.sampled_from(
        ["allocating", "failed", "true", "[]", "2027-01-15T07:00:00Z,team-a,chat-0", "1799999000"]
    ),
)
SHAKES = st.none() | st.builds(
    Handshake,
    state=st.sampled_from(["reported", "requesting", "deleted", "unknown"]),
    at=MAYBE,
    zoned=st.booleans(),
)
PHASES = st.sampled_from(["Pending", "Running", "Succeeded", "Failed", "Unknown"])
REASONS = st.sampled_from(["", "UnexpectedAdmissionError", "OutOfnvidia.com/gpu", "Evicted"])


@st.composite
def nodes(draw: st.DrawFn) -> Node:
    source, layer, vendor = draw(
        st.sampled_from(
            [
                (REGISTER, "hami", "nvidia"),
                ("volcano.sh/node-vgpu-register", "volcano", "nvidia"),
                ("nvidia.com/gpu", "hami", "nvidia"),
                ("hami.io/node-register-Ascend910B3", "hami", "ascend"),
            ]
        )
    )
    devices = [
        a_device(number, healthy=draw(st.booleans())) for number in draw(st.sets(st.integers(1, 4)))
    ]
    registration = a_registration(
        *devices, layer=layer, vendor=vendor, source=source, handshake=draw(SHAKES)
    )
    node = a_node(
        draw(st.sampled_from(["gpu-a", "gpu-b"])),
        *([registration] if draw(st.booleans()) else []),
        labels=draw(LABELS),
        capacity=draw(RESOURCES),
        allocatable=draw(RESOURCES),
        ready=draw(st.booleans()),
    )
    return replace(node, annotations=draw(ANNOTATIONS))


@st.composite
def pods(draw: st.DrawFn) -> Pod:
    number = draw(st.integers(0, 5))
    status: dict[str, Any] = {
        "uid": f"u-{number}",
        "node": draw(NAMES),
        "phase": draw(PHASES),
        "reason": draw(REASONS),
        "message": draw(TEXT),
        "ready": draw(st.booleans()),
        "deleting": draw(st.booleans()),
        "deleting_at": draw(MAYBE),
        "started_at": draw(MAYBE),
        "annotations": draw(ANNOTATIONS),
    }
    if draw(st.booleans()):
        return a_shared_pod(f"chat-{number}", **status)
    labels = draw(LABELS)
    return replace(a_plugin_pod(**status), labels=labels, name=f"plugin-{number}")


@st.composite
def layers(draw: st.DrawFn) -> LayerObjects:
    unread = st.sampled_from(
        [
            "daemonsets.apps",
            "deployments.apps",
            "configmaps",
            "certificate",
            "endpointslices.discovery.k8s.io",
            "mutatingwebhookconfigurations.admissionregistration.k8s.io",
        ]
    )
    services = st.sampled_from([None, ("kube-system", "hami-scheduler"), ("other", "x")])
    controllers = st.sampled_from(
        [
            a_daemon_set(),
            a_daemon_set(node_selector={"example.org/x": "on"}, desired=5),
            a_daemon_set(node_selector={}, settled=False),
            a_scheduler_deployment(),
        ]
    )
    return LayerObjects(
        read_at=draw(st.none() | st.just(NOW)),
        controllers=tuple(draw(st.lists(controllers, max_size=3))),
        webhooks=tuple(
            a_webhook(
                service=draw(services),
                ca_bundle=draw(st.sampled_from([b"", b"x"])),
                ca_not_after=draw(MAYBE),
                ca_error=draw(TEXT),
                admits_pods=draw(st.booleans()),
            )
            for _ in range(draw(st.integers(0, 2)))
        ),
        endpoints=tuple(
            some_endpoints(ready=draw(st.integers(0, 2)), total=2)
            for _ in range(draw(st.integers(0, 1)))
        ),
        probes=tuple(
            a_probe(
                reached=draw(st.booleans()),
                verified=draw(st.none() | st.booleans()),
                not_after=draw(MAYBE),
                error=draw(TEXT),
                verify_error=draw(TEXT),
            )
            for _ in range(draw(st.integers(0, 2)))
        ),
        configs=(a_config("1"),) if draw(st.booleans()) else (),
        unread=draw(st.dictionaries(unread, st.just("403"))),
    )


SILENCES = st.dictionaries(
    st.tuples(st.sampled_from(["dcgm", "hami-monitor", "kubernetes-pods"]), NAMES),
    st.just("connection refused"),
)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(nodes(), max_size=2),
    st.lists(pods(), max_size=5),
    layers(),
    SILENCES,
    st.sets(st.integers(1, 4)),
    NAMES,
    st.booleans(),
)
def test_findings_are_whole_and_states_fit_what_is_missing(
    some_nodes: list[Node],
    some_pods: list[Pod],
    layer: LayerObjects,
    silent: dict[tuple[str, str], str],
    listed: set[int],
    where: str,
    watched: bool,  # noqa: FBT001
) -> None:
    context = a_checked_cluster(
        some_nodes,
        some_pods,
        layer=layer,
        silent=silent,
        dcgm=(a_dcgm_page(*map(a_reading, listed), node=where),),
        monitors=(a_monitor_page({}, node=where),) if watched else (),
    )
    for check in CHECKS:
        result = check(context)
        for finding in result.findings:
            assert finding.check == result.check
            assert finding.signal
            assert finding.object.count("/") in {1, 2}
            assert finding.source.strip()
            assert finding.record.strip()
            assert finding.count >= 1
        assert all(lack.check == result.check and lack.reason for lack in result.missing)
        if result.state is not InputState.NOT_APPLICABLE:
            assert (result.state is InputState.MISSING) == bool(result.missing)
        assert {name for name, _ in result.nodes} <= {*context.layers, *context.nodes}
    for node in context.nodes:
        assert plugin_state(context, node) in {True, False, None}
        assert monitor_state(context, node) in {True, False, None}
