"""The reader against a real kube-apiserver: selectors, names, and rights that lack."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from gpuatlas.model.layer import LayerObjects
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.rbac import rules
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.layer.asks import ASKS, CONFIG_MAPS, DAEMON_SETS, LEASES
from gpuatlas.sources.layer.parse import parse_layer
from gpuatlas.sources.layer.reader import LayerReader
from gpuatlas.sources.layer.settings import LayerSettings
from gpuatlas.sources.layer.trim import trim_layer
from gpuatlas_harness.certified import Signed, signed, tls_server
from gpuatlas_harness.kube import KubeServer
from gpuatlas_harness.layered import (
    NAMESPACE,
    SERVICE,
    config_map,
    device_plugin,
    endpoint_slice,
    installation,
    lease,
    scheduler,
    service,
    webhook,
)

Object = dict[str, Any]
Read = Callable[..., LayerObjects]
QUIET = LayerSettings(probe=False)


@pytest.fixture(scope="module")
def authority() -> Signed:
    return signed("layer-ca", authority=True)


@pytest.fixture
def read() -> Iterator[Read]:
    """Reads a layer once with the rights of a kubeconfig."""
    with ExitStack() as opened:

        def once(kubeconfig: Path, settings: LayerSettings = QUIET) -> LayerObjects:
            connection = Connection.open(KubernetesSettings(kubeconfig=kubeconfig), {})
            opened.callback(connection.close)
            return LayerReader(connection, settings).read(time.time())[0]

        yield once


def writable(raw: Object) -> Object:
    """An object without what the server itself fills in."""
    raw["metadata"].pop("managedFields", None)
    raw["metadata"].pop("generation", None)
    return raw


def strangers() -> list[Object]:
    """Objects of the same kinds that are no layer's."""
    plugin, other, plain, stray = device_plugin(), scheduler(), service(), endpoint_slice({})
    for raw in (plugin, other, plain, stray):
        raw["metadata"] |= {"name": "web", "namespace": "team-a", "labels": {"app": "web"}}
    for raw in (plugin, other):
        raw["spec"]["selector"] = {"matchLabels": {"app": "web"}}
        raw["spec"]["template"]["metadata"]["labels"] = {"app": "web"}
        del raw["status"]
    hook = webhook(url="https://web.example.com/x")
    hook["metadata"]["name"] = "web"
    hook["webhooks"][0]["name"] = "web.example.com"
    hook["webhooks"][0]["rules"][0]["resources"] = ["secrets"]
    return [plugin, other, plain, stray, hook, lease("web"), config_map("web", {"a": "b"})]


@pytest.fixture
def installed(kube: KubeServer, authority: Signed) -> KubeServer:
    objects = [*installation(authority.pem), *strangers()]
    kube.apply([writable(raw) for raw in objects])
    return kube


def test_everything_of_the_layer_is_found_and_nothing_else(
    installed: KubeServer, read: Read, authority: Signed
) -> None:
    before = time.time()
    found = read(installed.kubeconfig)
    expected = parse_layer(installation(authority.pem))
    plugin, deployed = found.controllers
    assert plugin == expected.controllers[0]
    assert (deployed.object, deployed.flags) == (
        f"Deployment/{NAMESPACE}/{SERVICE}",
        expected.controllers[1].flags,
    )
    assert found.webhooks == expected.webhooks
    assert found.webhooks[0].ca_not_after == authority.ends
    assert found.endpoints == expected.endpoints
    assert found.leases == expected.leases
    assert [(c.name, c.defaults, c.nodes, c.lines) for c in found.configs] == [
        (c.name, c.defaults, c.nodes, c.lines) for c in expected.configs
    ]
    for config in found.configs:  # the server's own clock, in whole seconds
        assert config.changed_at is not None
        assert abs(config.changed_at - before) < 60
    assert found.unread.keys() == {"certificate"}
    assert found.rejections == ()


def test_what_a_capture_keeps_of_real_objects_says_the_same(installed: KubeServer) -> None:
    kinds = [(raw["kind"], raw["apiVersion"], raw["metadata"]) for raw in installation()]
    objects = [
        installed.get(
            kind, metadata["name"], namespace=metadata.get("namespace"), api_version=version
        )
        for kind, version, metadata in kinds
    ]
    cut = [trimmed for raw in objects if (trimmed := trim_layer(raw)) is not None]
    assert len(cut) == len(objects)
    assert parse_layer(cut) == parse_layer(objects)


def test_a_change_of_data_is_a_write_and_one_of_labels_is_none(
    installed: KubeServer, read: Read
) -> None:
    def written() -> float | None:
        return read(installed.kubeconfig).configs[1].changed_at

    first = written()
    path = f"/api/v1/namespaces/{NAMESPACE}/configmaps/{SERVICE}-device"
    time.sleep(1.1)  # the server's times have whole seconds

    def patch(body: Object) -> None:
        merge = "application/merge-patch+json"
        installed.request("PATCH", path, body=body, content_type=merge)

    patch({"metadata": {"labels": {"team": "a"}}})
    assert written() == first
    patch({"data": {"device-config.yaml": "nvidia: {deviceSplitCount: 4}"}})
    last = written()
    assert first is not None
    assert last is not None
    assert last > first


def test_the_documented_rights_are_enough(installed: KubeServer, read: Read) -> None:
    kubeconfig = installed.service_account_kubeconfig("layer-all", rules())
    found = read(kubeconfig)
    assert found.unread.keys() == {"certificate"}
    assert len(found.controllers) == 2
    assert len(found.configs) == 2


@pytest.mark.parametrize("lacking", [DAEMON_SETS, LEASES, CONFIG_MAPS], ids=lambda a: a.resource)
def test_a_right_that_lacks_is_named_and_costs_its_kind_only(
    installed: KubeServer, read: Read, lacking: Any
) -> None:
    granted = rules(kinds=(), asks=[ask for ask in ASKS if ask is not lacking])
    name = f"layer-without-{lacking.resource}"
    found = read(installed.service_account_kubeconfig(name, granted))
    assert found.unread.keys() == {lacking.qualified, "certificate"}
    grant = f'Grant the verb "{lacking.verb}" on "{lacking.qualified}"'
    assert grant in found.unread[lacking.qualified]
    counts = (len(found.controllers), len(found.leases), len(found.configs))
    assert (
        counts
        == {
            "daemonsets": (1, 1, 1),
            "leases": (2, 0, 2),
            "configmaps": (2, 1, 0),
        }[lacking.resource]
    )


def test_without_any_right_every_list_says_so(installed: KubeServer, read: Read) -> None:
    nothing = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]
    found = read(installed.service_account_kubeconfig("layer-none", nothing))
    assert found.unread.keys() == {
        "daemonsets.apps",
        "deployments.apps",
        "mutatingwebhookconfigurations.admissionregistration.k8s.io",
        "services",
    }
    assert found.controllers == ()


def test_an_empty_cluster_has_no_layer(kube: KubeServer, read: Read) -> None:
    kube.apply([writable(raw) for raw in strangers()])
    found = read(kube.kubeconfig, LayerSettings())
    assert found == LayerObjects(read_at=found.read_at)


def test_a_webhook_is_probed_where_it_says(
    kube: KubeServer, read: Read, authority: Signed, tmp_path: Path
) -> None:
    """By its URL: the server takes no loopback address for an endpoint."""
    leaf = signed("", by=authority, dns=["localhost"])
    with tls_server(leaf, tmp_path) as port:
        hook = webhook(authority.pem, url=f"https://localhost:{port}/webhook")
        kube.apply([writable(raw) for raw in (scheduler(), hook)])
        found = read(kube.kubeconfig, LayerSettings())
    (probe,) = found.probes
    assert (probe.address, probe.reached, probe.verified) == (f"localhost:{port}", True, True)
    assert probe.not_after == leaf.ends
