"""What `collect_objects` takes of a sharing layer: what the exporter's reader asks for, cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from gpuatlas.sources.capture.collector import collect_objects
from gpuatlas.sources.capture.contents import Capture, RawObject
from gpuatlas.sources.capture.projection import project_capture
from gpuatlas.sources.capture.trimming import trim_capture
from gpuatlas.sources.errors import ForbiddenError, NotFoundError
from gpuatlas_harness.discovery import aggregated

Object = dict[str, Any]
Objects = Callable[[], list[Object]]

PATHS = {
    "DaemonSet": "/apis/apps/v1/daemonsets",
    "Deployment": "/apis/apps/v1/deployments",
    "Service": "/api/v1/services",
    "EndpointSlice": "/apis/discovery.k8s.io/v1/endpointslices",
    "MutatingWebhookConfiguration": (
        "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
    ),
}
NAMED = {
    "Lease": "/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}",
    "ConfigMap": "/api/v1/namespaces/{namespace}/configmaps/{name}",
}
KINDS = {
    "daemonsets.apps",
    "deployments.apps",
    "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    "services",
    "endpointslices.discovery.k8s.io",
    "leases.coordination.k8s.io",
    "configmaps",
}
TENANT: Object = {
    "metadata": {"name": "llm-0", "namespace": "team-a", "uid": "pod-1"},
    "spec": {"containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]},
    "status": {"phase": "Running"},
}


class Cluster:
    """Answers with the objects of a cluster, whatever labels are asked for. See `Lists`."""

    address = "https://cluster.example"

    def __init__(self, objects: list[Object], *pods: Object, forbidden: str = "") -> None:
        self.asked: list[str] = []
        self._forbidden = forbidden
        self._answers: dict[str, Object] = {
            "/apis": aggregated(()),
            "/api/v1/nodes": {"items": []},
            "/api/v1/pods": {"items": list(pods)},
            "/apis/apps/v1/replicasets": {"items": []},
            "/apis/batch/v1/jobs": {"items": None},
            **{path: {"items": []} for path in PATHS.values()},
        }
        for found in objects:
            kind, metadata = found["kind"], found["metadata"]
            if kind in PATHS:
                item = {k: v for k, v in found.items() if k not in {"kind", "apiVersion"}}
                self._answers[PATHS[kind]]["items"].append(item)
            else:
                path = NAMED[kind].format(namespace=metadata["namespace"], name=metadata["name"])
                self._answers[path] = found

    def get(
        self, path: str, query: Mapping[str, str] | None = None, *, accept: str = ""
    ) -> dict[str, object]:
        self.asked.append(path)
        if self._forbidden and self._forbidden in path:
            message = f"may not read {path}"
            raise ForbiddenError(message)
        if path not in self._answers:
            message = f"no {path}"
            raise NotFoundError(message)
        return self._answers[path]


def take(cluster: Cluster) -> tuple[Capture, tuple[str, ...]]:
    capture, _, warnings = collect_objects(cluster, lambda *_: None)
    return capture, warnings


def plain(objects: list[Object]) -> Capture:
    return Capture(objects=tuple(RawObject(body=body, where="") for body in objects))


def layer_of(capture: Capture) -> Any:
    return project_capture(capture, now=0.0).observations.layer


def test_the_capture_of_a_cluster_says_what_its_objects_say(
    installation: Objects, other_objects: Objects
) -> None:
    capture, warnings = take(Cluster([*installation(), *other_objects()], TENANT))
    assert layer_of(capture) == layer_of(plain(installation()))
    assert warnings == ()
    assert capture.absent == frozenset()
    assert sorted(raw.kind for raw in capture.objects) == sorted(
        ["Pod", *(found["kind"] for found in installation())]
    )
    assert "secret" not in str([raw.body for raw in capture.objects])
    assert layer_of(trim_capture(capture)) == layer_of(capture)


def test_what_there_is_none_of_is_said(installation: Objects) -> None:
    gone = {"MutatingWebhookConfiguration", "EndpointSlice"}
    capture, warnings = take(Cluster([o for o in installation() if o["kind"] not in gone]))
    assert capture.absent == {
        "mutatingwebhookconfigurations.admissionregistration.k8s.io",
        "endpointslices.discovery.k8s.io",
    }
    assert warnings == ()
    assert set(layer_of(capture).unread) == {"certificate"}


def test_what_may_not_be_read_is_a_warning_and_stays_unknown(installation: Objects) -> None:
    capture, warnings = take(Cluster(installation(), forbidden="webhookconfigurations"))
    kind = "mutatingwebhookconfigurations.admissionregistration.k8s.io"
    path = PATHS["MutatingWebhookConfiguration"]
    assert warnings == (f"without {kind}: may not read {path}",)
    assert capture.absent == frozenset()
    assert layer_of(capture).unread[kind] == "the capture holds none"


def test_kinds_that_fail_for_one_reason_are_one_warning(installation: Objects) -> None:
    class Closed(Cluster):
        def get(self, path: str, *args: Any, **more: Any) -> dict[str, object]:
            if path in PATHS.values():
                raise ForbiddenError("no rights")
            return super().get(path, *args, **more)

    plugin = {
        "metadata": {"name": "p", "labels": {"app.kubernetes.io/component": "hami-scheduler"}}
    }
    capture, warnings = take(Closed(installation(), plugin))
    assert warnings == (
        "without daemonsets.apps, deployments.apps, "
        "mutatingwebhookconfigurations.admissionregistration.k8s.io, services: no rights",
    )
    assert capture.absent == frozenset()
    assert set(layer_of(capture).unread) == {*KINDS, "certificate"}


@pytest.mark.parametrize("forbidden", ["", "/apis/apps/v1/da"])
def test_of_a_cluster_without_a_layer_nothing_is_said(forbidden: str) -> None:
    capture, warnings = take(Cluster([], TENANT, forbidden=forbidden))
    assert (capture.absent, warnings) == (frozenset(), ())
    assert layer_of(capture).unread == {}


def test_a_deployment_is_taken_once_although_it_is_an_owner_too(installation: Objects) -> None:
    objects = installation()
    capture, _ = take(Cluster(objects))
    (deployment,) = [raw for raw in capture.objects if raw.kind == "Deployment"]
    assert deployment.body["metadata"]["uid"] == objects[1]["metadata"]["uid"]
    assert deployment.body["spec"]["replicas"] == 2
