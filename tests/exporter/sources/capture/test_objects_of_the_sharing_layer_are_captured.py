"""What runs a sharing layer, in captures: found, cut and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuatlas.model.layer import LayerObjects
from gpuatlas.sources.capture.reader import read_capture
from gpuatlas.sources.capture.trimming import trim_capture
from gpuatlas.sources.capture.writer import write_capture
from gpuatlas_harness.anonymised import NOW, text_of
from gpuatlas_harness.layer_captures import (
    CA_ENDS,
    NO_HANDSHAKE,
    Objects,
    a_capture,
    layer_of,
    of_kind,
    seen,
)

CAPTURES = Path(__file__).parents[3] / "fixtures" / "captures"
NONE = "the capture holds none"
KINDS = (
    "daemonsets.apps",
    "deployments.apps",
    "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    "services",
    "endpointslices.discovery.k8s.io",
    "leases.coordination.k8s.io",
    "configmaps",
)


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
