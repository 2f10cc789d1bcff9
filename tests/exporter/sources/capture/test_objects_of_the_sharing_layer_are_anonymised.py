"""What runs a sharing layer, in captures without names: the same."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.layer import NodeSettings, SchedulerLease
from gpuatlas.sources.capture.anonymise import anonymise
from gpuatlas.sources.capture.projection import Captured
from gpuatlas_harness.anonymised import KEY, text_of
from gpuatlas_harness.layer_captures import CA_ENDS, Objects, a_capture, layer_of, of_kind, seen

NAMES = ("acme", "ann", "192.0.2.7", "192.0.2.8", "GPU-0000000a-00aa")


def test_no_name_is_left(installation: Objects) -> None:
    text = text_of(anonymise(a_capture(installation()), key=KEY))
    bundle = of_kind(anonymise(a_capture(installation()), key=KEY), "MutatingWebhookConfiguration")
    decoded = base64.b64decode(bundle["webhooks"][0]["clientConfig"]["caBundle"])
    assert [name for name in NAMES if name in text] == []
    assert b"acme" not in base64.b64decode(b"".join(decoded.splitlines()[1:-1]))


def test_an_anonymised_capture_says_the_same_of_the_layer(installation: Objects) -> None:
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "acme-node-1", "labels": {"gpu": "on"}},
        "status": {"capacity": {"nvidia.com/gpu": "10"}},
    }
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "acme-scheduler-5d9-7", "namespace": "acme-gpu", "uid": "p"},
        "spec": {
            "schedulerName": "acme-scheduler",
            "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "1"}}}],
        },
        "status": {"podIP": "192.0.2.7"},
    }
    capture = a_capture([node, pod, *installation()])
    hidden = anonymise(capture, key=KEY)
    found, plain = seen(hidden), layer_of(capture)
    layer, (known,) = found.observations.layer, found.observations.nodes
    (shown,) = found.observations.pods.values()
    plugin, scheduler = layer.controllers

    assert [replaced(c) for c in layer.controllers] == [replaced(c) for c in plain.controllers]
    assert plugin.main_image.endswith(":v2.8.1")
    assert scheduler.main_image.endswith(":v2.9.0")
    assert plugin.node_selector["gpu"] == "on"
    assert scheduler.flags["scheduler-name"] == shown.scheduler
    (webhook,), (before,) = layer.webhooks, plain.webhooks
    assert (webhook.webhook, webhook.path, webhook.failure_policy) == (
        "vgpu.hami.io",
        "/webhook",
        "Ignore",
    )
    assert (webhook.admits_pods, webhook.ca_not_after, webhook.ca_error) == (True, CA_ENDS, "")
    assert webhook.ca_bundle != before.ca_bundle
    (endpoints,) = layer.endpoints
    assert (endpoints.namespace, endpoints.service) == webhook.service
    assert (endpoints.ready, endpoints.total) == (1, 2)
    assert endpoints.addresses == ((shown.ip, 8443),)
    (lease,) = layer.leases
    assert lease == replace(
        plain.leases[0], namespace=scheduler.namespace, name=lease.name, holder=lease.holder
    )
    assert isinstance(lease, SchedulerLease)
    assert lease.name == scheduler.flags["leader-elect-resource-name"]
    assert lease.holder.startswith(f"{shown.name}_")
    defaults, nodes = layer.configs
    assert (defaults.error, defaults.changed_at) == ("", plain.configs[0].changed_at)
    assert defaults.defaults == plain.configs[0].defaults
    first, second = nodes.nodes
    assert first.name == known
    assert replace(first, name="", hidden=()) == NodeSettings(
        name="", mode="hami-core", split_count=4
    )
    assert [len(first.hidden), first.hidden[1]] == [2, "1"]
    assert (second.memory_scaling, second.name == known) == (2, False)
    assert layer.unread == plain.unread


def replaced(controller: Any) -> Any:
    """All of a controller that no name is."""
    return replace(
        controller,
        namespace="",
        name="",
        node_selector=len(controller.node_selector),
        images=len(controller.images),
        flags=sorted(controller.flags),
    )


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("device-config.yaml", "nvidia: [acme"),
        ("device-config.yaml", "nvidia: acme"),
        ("device-config.yaml", "nvidia: {deviceSplitCount: acme}"),
        ("config.json", "acme"),
        ("config.json", '{"nodeconfig": {"name": "acme"}}'),
        ("config.json", '{"nodeconfig": [{"name": "acme", "devicesplitcount": "acme"}]}'),
    ],
)
def test_a_text_with_a_fault_keeps_a_fault_and_no_name(
    key: str, text: str, installation: Objects
) -> None:
    objects = installation()
    config = objects[6] if key == "device-config.yaml" else objects[7]
    config["data"][key] = text
    hidden = anonymise(a_capture(objects), key=KEY)
    assert "acme" not in text_of(hidden)
    errors = {c.key: bool(c.error) for c in layer_of(hidden).configs}
    assert errors == {"device-config.yaml": False, "config.json": False} | {key: True}


@pytest.mark.parametrize("bundle", ["", "acme!", base64.b64encode(b"acme").decode()])
def test_a_bundle_that_nobody_can_read_stays_such_a_one(bundle: str, installation: Objects) -> None:
    objects = installation()
    objects[4]["webhooks"][0]["clientConfig"]["caBundle"] = bundle
    plain = layer_of(a_capture(objects)).webhooks[0]
    (webhook,) = layer_of(anonymise(a_capture(objects), key=KEY)).webhooks
    assert (webhook.ca_not_after, webhook.ca_error) == (None, plain.ca_error)
    assert b"acme" not in webhook.ca_bundle


def test_a_scheduler_of_the_usual_name_keeps_it(installation: Objects) -> None:
    objects = json.loads(json.dumps(installation()).replace("acme-scheduler", "hami-scheduler"))
    layer = layer_of(anonymise(a_capture(objects), key=KEY))
    assert [lease.name for lease in layer.leases] == ["hami-scheduler"]
    assert [e.ready for e in layer.endpoints] == [1]
    assert [w.service is not None for w in layer.webhooks] == [True]


# Names that are also words of the systems, numbers, or replacements.
WORDS = st.lists(
    st.sampled_from(
        [
            *("gpu", "default", "main", "0", "123", "a", "nvidia", "true", "hami-scheduler"),
            *("node-1", "pod-1", "service-1", "lease-1", "deployment-1", "hami-core", "mig"),
            *("hami-system", "kube-system", "configmap-1", "webhook", "v1", "a.b.example"),
        ]
    ),
    min_size=6,
    max_size=6,
    unique=True,
)
PLACEHOLDERS = (
    "acme-scheduler",
    "acme-plugin",
    "acme-gpu",
    "acme-node-1",
    "acme-webhook",
    "acme-https",
)


def shape(captured: Captured) -> object:
    """All of the layer's part but names, with the relations between these."""
    layer, nodes = captured.observations.layer, captured.observations.nodes
    services = {(e.namespace, e.service, e.port): e for e in layer.endpoints}
    (lease,), (scheduler,) = layer.leases, [c for c in layer.controllers if c.kind == "Deployment"]
    return (
        [
            (c.kind, c.component, c.version, c.desired, c.ready, c.settled)
            for c in layer.controllers
        ],
        [c.main_image.rpartition(":")[2] for c in layer.controllers],
        [(w.webhook, w.ca_not_after, w.admits_pods) for w in layer.webhooks],
        [services[*w.service, w.port].ready if w.service else "no service" for w in layer.webhooks],
        [(e.namespace == scheduler.namespace, e.total) for e in layer.endpoints],
        (lease.renewed_at, lease.name == scheduler.flags["scheduler-name"]),
        [(c.error, c.changed_at, c.defaults) for c in layer.configs],
        [[(n.mode, n.name in nodes, len(n.hidden)) for n in c.nodes] for c in layer.configs],
        layer.unread,
    )


@settings(deadline=None, max_examples=60)
@given(words=WORDS)
def test_whatever_the_names_are_the_layer_stays(words: list[str], installation: Objects) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "acme-node-1"}}
    node["status"] = {"capacity": {"nvidia.com/gpu": "10"}}
    text = json.dumps([node, *installation()])
    for placeholder, word in zip(PLACEHOLDERS, words, strict=True):
        text = text.replace(placeholder, word)
    capture = a_capture(json.loads(text))
    assert shape(seen(anonymise(capture, key=KEY))) == shape(seen(capture))
