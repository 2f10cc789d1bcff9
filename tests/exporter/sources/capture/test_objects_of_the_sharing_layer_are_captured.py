"""What runs a sharing layer, in captures: found, cut, written, and without names the same."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.layer import LayerObjects, NodeSettings, SchedulerLease
from gpuatlas.sources.capture.anonymise import anonymise
from gpuatlas.sources.capture.contents import Capture, RawObject
from gpuatlas.sources.capture.projection import Captured, project_capture
from gpuatlas.sources.capture.reader import read_capture
from gpuatlas.sources.capture.trimming import trim_capture
from gpuatlas.sources.capture.writer import write_capture

Object = dict[str, Any]
Objects = Callable[[], list[Object]]

CAPTURES = Path(__file__).parents[3] / "fixtures" / "captures"
KEY = b"a key for tests"
NOW = 1_787_307_072.0
CA_ENDS = 1_804_136_767.0  # 2027-03-04T05:06:07Z
NONE = "the capture holds none"
NO_HANDSHAKE = {"certificate": "a capture holds no TLS handshake with a webhook"}
KINDS = (
    "daemonsets.apps",
    "deployments.apps",
    "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    "services",
    "endpointslices.discovery.k8s.io",
    "leases.coordination.k8s.io",
    "configmaps",
)


def a_capture(objects: list[Object], **more: Any) -> Capture:
    return Capture(
        clock=NOW,
        objects=tuple(RawObject(body=o, where="objects/x.yaml:1") for o in objects),
        **more,
    )


def seen(capture: Capture) -> Captured:
    return project_capture(capture, now=0.0)


def layer_of(capture: Capture) -> LayerObjects:
    return seen(capture).observations.layer


def text_of(capture: Capture) -> str:
    return json.dumps([dict(raw.body) for raw in capture.objects])


def of_kind(capture: Capture, kind: str) -> Object:
    (found,) = [raw for raw in capture.objects if raw.kind == kind]
    return dict(found.body)


def test_a_capture_says_of_the_layer_what_its_objects_say(installation: Objects) -> None:
    layer = layer_of(a_capture(installation()))
    assert layer.read_at == NOW
    assert [c.object for c in layer.controllers] == [
        "DaemonSet/acme-gpu/acme-plugin",
        "Deployment/acme-gpu/acme-scheduler",
    ]
    assert [(w.configuration, w.webhook, w.ca_not_after) for w in layer.webhooks] == [
        ("acme-webhook", "vgpu.hami.io", CA_ENDS)
    ]
    assert [(e.service, e.port, e.ready, e.total, e.addresses) for e in layer.endpoints] == [
        ("acme-scheduler", 443, 1, 2, (("192.0.2.7", 8443),))
    ]
    assert [lease.name for lease in layer.leases] == ["acme-scheduler"]
    assert [(c.name, c.error, c.defaults.split_count) for c in layer.configs] == [
        ("acme-gpu-device", "", 10),
        ("acme-gpu-nodes", "", None),
    ]
    assert (layer.probes, layer.unread) == ((), NO_HANDSHAKE)


def test_each_kind_is_a_source_that_was_read(installation: Objects) -> None:
    captured = seen(a_capture(installation()))
    sources = {s.source: s.up for s in captured.statuses if s.last_success_at == NOW}
    assert sources == {f"kubernetes-{kind}": True for kind in KINDS}
    assert captured.remarks == ()


def test_objects_of_others_are_passed_over_and_told_of(
    installation: Objects, other_objects: Objects
) -> None:
    captured = seen(a_capture([*installation(), *other_objects()]))
    assert captured.observations.layer == layer_of(a_capture(installation()))
    assert captured.remarks == (
        "1 of kind ConfigMap not read",
        "1 of kind DaemonSet not read",
        "1 of kind EndpointSlice not read",
        "1 of kind Lease not read",
        "1 of kind MutatingWebhookConfiguration not read",
        "1 of kind Service not read",
    )


def test_an_object_that_cannot_be_read_costs_itself_only(installation: Objects) -> None:
    objects = installation()
    objects[5]["spec"]["renewTime"] = "yesterday"
    captured = seen(a_capture(objects))
    assert captured.observations.layer.leases == ()
    assert captured.remarks == (
        'Lease acme-gpu/acme-scheduler: left out: "yesterday" is not an RFC 3339 time',
        "1 of kind Lease not read",
    )
    (status,) = [
        s for s in captured.statuses if s.source == "kubernetes-leases.coordination.k8s.io"
    ]
    assert (status.up, status.rejected) == (None, {"bad-time": 1})


def test_of_an_object_that_comes_twice_the_first_counts(installation: Objects) -> None:
    objects = installation()
    again = {**objects[5], "spec": {"holderIdentity": "another"}}
    captured = seen(a_capture([*objects, again]))
    assert captured.observations.layer == layer_of(a_capture(objects))
    assert captured.remarks == ("1 of kind Lease not read",)
    assert len(trim_capture(a_capture([*objects, again])).objects) == len(objects)


def test_objects_without_a_namespace_are_in_default(installation: Objects) -> None:
    objects = installation()
    for found in objects:
        found["metadata"].pop("namespace", None)
    objects[4]["webhooks"][0]["clientConfig"]["service"]["namespace"] = "default"
    layer = layer_of(a_capture(objects))
    assert {c.namespace for c in layer.controllers} == {"default"}
    assert [lease.namespace for lease in layer.leases] == ["default"]
    assert [e.ready for e in layer.endpoints] == [1]


# --- What a capture does not hold.


@pytest.mark.parametrize("name", ["plain-a100", "plain-nvidia-1.36", "mig-mixed-nvidia-dcgm4.8"])
def test_where_nothing_speaks_of_a_layer_there_is_nothing_to_know(name: str) -> None:
    capture = read_capture(CAPTURES / name)
    assert layer_of(capture) == LayerObjects(read_at=seen(capture).observations.now)


@pytest.mark.parametrize("name", ["hami-a10g", "hami-nvidia-2.10", "volcano-nvidia-2026.03"])
def test_a_layer_of_which_a_capture_holds_no_object_is_not_known(name: str) -> None:
    layer = layer_of(read_capture(CAPTURES / name))
    assert layer.unread == {**dict.fromkeys(KINDS, NONE), **NO_HANDSHAKE}
    assert (layer.controllers, layer.webhooks) == ((), ())


def test_a_kind_of_which_there_is_no_object_is_not_known(installation: Objects) -> None:
    objects = [o for o in installation() if o["kind"] not in {"EndpointSlice", "Lease"}]
    layer = layer_of(a_capture(objects))
    assert layer.unread == {
        "endpointslices.discovery.k8s.io": NONE,
        "leases.coordination.k8s.io": NONE,
        **NO_HANDSHAKE,
    }
    assert layer.endpoints == ()


def test_unless_the_capture_says_that_there_is_none(installation: Objects) -> None:
    objects = [o for o in installation() if o["kind"] not in {"EndpointSlice", "Lease"}]
    absent = frozenset({"endpointslices.discovery.k8s.io", "leases.coordination.k8s.io"})
    layer = layer_of(a_capture(objects, absent=absent))
    assert layer.unread == NO_HANDSHAKE
    assert [(e.service, e.ready, e.total) for e in layer.endpoints] == [("acme-scheduler", 0, 0)]


def test_what_no_controller_names_is_not_missing(installation: Objects) -> None:
    objects = [o for o in installation() if o["kind"] not in {"ConfigMap", "Lease"}]
    for controller in objects[:2]:
        pod = controller["spec"]["template"]["spec"]
        pod["volumes"] = []
        for container in pod["containers"]:
            container["command"] = ["scheduler", "--leader-elect=false"]
    assert layer_of(a_capture(objects)).unread == NO_HANDSHAKE


# --- Trimmed and written.


def test_trimming_changes_nothing_and_leaves_what_nobody_reads(
    installation: Objects, other_objects: Objects
) -> None:
    capture = a_capture([*installation(), *other_objects()])
    trimmed = trim_capture(capture)
    assert layer_of(trimmed) == layer_of(capture)
    assert [raw.kind for raw in trimmed.objects] == [o["kind"] for o in installation()]
    text = text_of(trimmed)
    for word in ("secret", "PASSWORD", "ann", "log-agent", "mesh", "deviceSplitCount: 99"):
        assert word not in text
    assert layer_of(trim_capture(trimmed)) == layer_of(capture)


def test_a_deployment_is_a_controller_and_an_owner_in_one(installation: Objects) -> None:
    controller = {"apiVersion": "example.com/v1", "kind": "Hami", "name": "h", "uid": "u"}
    objects = installation()
    objects[1]["metadata"]["ownerReferences"] = [{**controller, "controller": True}]
    deployment = of_kind(trim_capture(a_capture(objects)), "Deployment")
    assert deployment["metadata"]["uid"] == "Deployment-acme-scheduler"
    assert deployment["metadata"]["ownerReferences"] == [{**controller, "controller": True}]
    assert deployment["metadata"]["generation"] == 3
    assert deployment["spec"]["replicas"] == 2


def test_a_written_capture_reads_the_same(installation: Objects, tmp_path: Path) -> None:
    objects = [o for o in installation() if o["kind"] != "EndpointSlice"]
    absent = frozenset({"endpointslices.discovery.k8s.io"})
    trimmed = trim_capture(a_capture(objects, absent=absent))
    files = write_capture(trimmed, tmp_path / "out", anonymised=False)
    names = {f.name for f in files if f.parent.name == "objects"}
    assert names == {f"{kind}.yaml" for kind in KINDS}
    again = read_capture(tmp_path / "out")
    assert again.absent == absent
    assert seen(again).observations == seen(trimmed).observations


def test_only_files_of_these_kinds_say_that_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    for name in ("leases.coordination.k8s.io.yaml", "pods.yaml", "notes.yaml"):
        (tmp_path / "objects" / name).write_text("# none\n")
    (tmp_path / "pages/dcgm").mkdir(parents=True)
    (tmp_path / "pages/dcgm/a.error").write_text("gone\n")
    assert read_capture(tmp_path).absent == {"leases.coordination.k8s.io"}


# --- Anonymised.

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
