"""What the reader looks at beside the objects of the layers."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuatlas.sources.layer.reader import LayerReader
from gpuatlas.sources.layer.settings import LayerSettings, parse_licence_source
from gpuatlas_harness.certified import signed, tls_server
from gpuatlas_harness.layer_lists import FakeLists
from gpuatlas_harness.layer_reads import CONFIG_MAPS, REFUSED, by_source, read
from gpuatlas_harness.layered import (
    NAMESPACE,
    SERVICE,
    config_map,
    endpoint_slice,
    scheduler,
    service,
    webhook,
)

SOURCES = tuple(map(parse_licence_source, ("a/licence/end", "a/licence/other", "b/none/end")))


def test_licences_are_read_where_the_administrator_says_also_without_a_layer() -> None:
    named = config_map("licence", {"end": "2027-01-31"})
    named["metadata"]["namespace"] = "a"
    objects = read(FakeLists([named]), LayerSettings(probe=False, licences=SOURCES))
    assert [(one.name, one.present, one.error) for one in objects.licences] == [
        ("licence/end", True, ""),
        ("licence/other", False, "ConfigMap/a/licence has no key other"),
        ("none/end", False, "ConfigMap/b/none does not exist"),
    ]
    assert objects.unread == {}


def test_a_licence_that_may_not_be_read_is_not_called_missing() -> None:
    lists = FakeLists([])
    lists.failing = {"/api/v1/namespaces/a/configmaps": REFUSED}
    objects = read(lists, LayerSettings(probe=False, licences=SOURCES[:1]))
    (found,) = objects.licences
    assert (found.present, found.not_after, found.error) == (True, None, str(REFUSED))
    assert objects.unread == {CONFIG_MAPS: str(REFUSED)}


@pytest.fixture
def loopback() -> Callable[[int, bytes], FakeLists]:
    """An installation whose webhook is behind a port of loopback."""

    def build(port: int, bundle: bytes) -> FakeLists:
        behind = endpoint_slice({"127.0.0.1": True}, ports={"http": port})
        return FakeLists([scheduler(), service(), behind, webhook(bundle)])

    return build


def test_the_webhook_is_probed(loopback: Callable[[int, bytes], FakeLists], tmp_path: Path) -> None:
    authority = signed("layer-ca", authority=True)
    leaf = signed("", by=authority, dns=[f"{SERVICE}.{NAMESPACE}.svc"])
    now = time.time()
    with tls_server(leaf, tmp_path) as port:
        reader = LayerReader(loopback(port, authority.pem), LayerSettings())
        objects, statuses = reader.read(now)
    (found,) = objects.probes
    assert (found.address, found.reached, found.verified) == (f"127.0.0.1:{port}", True, True)
    assert (found.at, found.not_after) == (now, leaf.ends)
    assert "certificate" not in objects.unread
    status = by_source(statuses)["webhook-certificate"]
    assert (status.up, status.targets, status.last_success_at) == (True, {"up": 1, "down": 0}, now)
    objects, statuses = reader.read(now + 1)
    assert [one.reached for one in objects.probes] == [False]
    status = by_source(statuses)["webhook-certificate"]
    assert (status.up, status.targets, status.last_success_at) == (
        False,
        {"up": 0, "down": 1},
        now,
    )
    assert status.error == f"127.0.0.1:{port}: no connection: Connection refused"
