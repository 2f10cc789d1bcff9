"""What the reader asks, in which order, and what it says when answers fail."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.status import SourceStatus
from gpuatlas.sources.errors import (
    BadAnswerError,
    ForbiddenError,
    UnreachableError,
)
from gpuatlas.sources.layer.asks import ASKS
from gpuatlas.sources.layer.parse import parse_layer
from gpuatlas.sources.layer.reader import LayerReader
from gpuatlas.sources.layer.settings import LayerSettings, parse_licence_source
from gpuatlas_harness.certified import signed, tls_server
from gpuatlas_harness.layer_lists import PATHS, FakeLists
from gpuatlas_harness.layered import (
    NAMESPACE,
    RELEASE,
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
NOW = 1_787_310_000.0
QUIET = LayerSettings(probe=False)
CONFIG_MAPS, LEASES = "configmaps", "leases.coordination.k8s.io"


def read(lists: FakeLists, layer: LayerSettings = QUIET) -> LayerObjects:
    return LayerReader(lists, layer).read(NOW)[0]


def by_source(statuses: Iterable[SourceStatus]) -> dict[str, SourceStatus]:
    return {status.source: status for status in statuses}


def test_an_installation_is_read_whole() -> None:
    lists = FakeLists(installation())
    objects, statuses = LayerReader(lists, QUIET).read(NOW)
    expected = parse_layer(installation())
    assert objects.read_at == NOW
    assert objects.controllers == expected.controllers
    assert objects.webhooks == expected.webhooks
    assert objects.endpoints == expected.endpoints
    assert objects.leases == expected.leases
    assert objects.configs == expected.configs
    assert objects.unread == {
        "certificate": "the certificates that webhooks serve were not looked at: add "
        "--probe-webhook where the endpoints of their Services can be reached"
    }
    up = {status.source: status.up for status in statuses}
    assert up == {ask.source: True for ask in ASKS} | {"webhook-certificate": None}
    assert {s.last_success_at for s in statuses if s.up} == {NOW}


def test_lists_are_narrowed_and_the_rest_is_read_by_name() -> None:
    lists = FakeLists(installation())
    read(lists)
    components = (
        "app.kubernetes.io/component in (hami-ascend-device-plugin,hami-device-plugin,"
        "hami-scheduler,kai-vgpu-monitor,volcano-device-plugin,volcano-vgpu-device-plugin)"
    )
    names = "app.kubernetes.io/name in (volcano-device-plugin,volcano-vgpu-device-plugin)"
    core = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
    assert lists.asked == [
        ("/apis/apps/v1/daemonsets", components),
        ("/apis/apps/v1/daemonsets", names),
        ("/apis/apps/v1/deployments", components),
        ("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", ""),
        ("/api/v1/services", "app.kubernetes.io/component=hami-scheduler"),
        ("/apis/discovery.k8s.io/v1/endpointslices", f"kubernetes.io/service-name in ({SERVICE})"),
        (f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/hami-lock", ""),
        (f"{core}/{RELEASE}-device-plugin", ""),
        (f"{core}/{SERVICE}-device", ""),
    ]


def test_a_cluster_without_a_layer_is_asked_for_controllers_alone() -> None:
    other = webhook()
    other["webhooks"][0]["name"] = "somebody.example.com"
    lists = FakeLists([other, config_map("x", {}), lease("x")])
    objects, statuses = LayerReader(lists, LayerSettings()).read(NOW)
    assert objects == LayerObjects(read_at=NOW)
    assert [path for path, _ in lists.asked] == [
        "/apis/apps/v1/daemonsets",
        "/apis/apps/v1/daemonsets",
        "/apis/apps/v1/deployments",
    ]
    assert {status.up for status in statuses} == {None}


def test_long_lists_come_in_pages() -> None:
    plugins = [device_plugin() for _ in range(5)]
    for number, raw in enumerate(plugins):
        raw["metadata"]["name"] = f"plugin-{number}"
    lists = FakeLists(plugins)
    lists.page = 2
    assert [c.name for c in read(lists).controllers] == [f"plugin-{n}" for n in range(5)]


REFUSED = ForbiddenError("not allowed to list; grant the verb")


@pytest.mark.parametrize(
    ("ask", "lost"),
    [
        ("DaemonSet", {"controllers": 1, "configs": 1}),
        ("Deployment", {"controllers": 1, "leases": 0, "configs": 2}),
        ("MutatingWebhookConfiguration", {"webhooks": 0}),
        ("Service", {"endpoints": 1}),
        ("EndpointSlice", {"endpoints": 0}),
    ],
)
def test_a_list_that_is_refused_costs_itself_only(ask: str, lost: Mapping[str, int]) -> None:
    lists = FakeLists(installation())
    lists.failing = {PATHS[ask]: REFUSED}
    objects, statuses = LayerReader(lists, QUIET).read(NOW)
    (refused,) = (one for one in ASKS if one.kind == ask)
    assert objects.unread[refused.qualified] == str(REFUSED)
    whole = {
        "controllers": 2,
        "webhooks": 1,
        "endpoints": 2,
        "leases": 1,
        "configs": 2,
    }
    assert {name: len(getattr(objects, name)) for name in whole} == whole | dict(lost)
    status = by_source(statuses)[refused.source]
    assert (status.up, status.error, status.last_success_at) == (False, str(REFUSED), None)


def test_where_controllers_may_not_be_read_the_rest_is_asked_all_the_same() -> None:
    lists = FakeLists(installation())
    lists.failing = {"/apis/apps/v1/": REFUSED}
    objects = read(lists)
    assert [w.webhook for w in objects.webhooks] == ["vgpu.hami.io"]
    assert len(objects.endpoints) == 2
    assert {"daemonsets.apps", "deployments.apps"} < objects.unread.keys()


def test_a_selector_that_the_server_does_not_know_is_told() -> None:
    lists = FakeLists(installation())
    error = BadAnswerError("/apis/apps/v1/daemonsets answered HTTP 400: no labelSelector")
    lists.failing = {"/apis/apps/v1/": error}
    assert read(lists).unread["daemonsets.apps"] == str(error)


def test_names_that_lead_nowhere_are_told() -> None:
    lists = FakeLists([device_plugin(), scheduler()])
    objects, statuses = LayerReader(lists, QUIET).read(NOW)
    assert objects.unread == {
        LEASES: f"Lease {NAMESPACE}/hami-lock does not exist",
        CONFIG_MAPS: f"ConfigMap {NAMESPACE}/{RELEASE}-device-plugin does not exist",
    }
    assert by_source(statuses)[f"kubernetes-{LEASES}"].up is None


@pytest.mark.parametrize("there", [True, False], ids=["read", "gone"])
def test_what_tenants_controllers_name_costs_the_layer_nothing(there: bool) -> None:  # noqa: FBT001
    """Their namespace comes first by name, and they name more than is ever read."""
    named = [f"x-{number}" for number in range(64)]
    imitation = device_plugin()
    imitation["metadata"]["namespace"] = "a-team"
    volumes = [{"configMap": {"name": name}} for name in named]
    imitation["spec"]["template"]["spec"]["volumes"] = volumes
    theirs = [config_map(name, {"config.json": "{}"}) for name in named]
    for raw in theirs:
        raw["metadata"]["namespace"] = "a-team"
    lists = FakeLists([imitation, *(theirs if there else ()), *installation()])
    objects = read(lists)
    own = {config.name for config in objects.configs if config.namespace == NAMESPACE}
    assert own == {config.name for config in parse_layer(installation()).configs}
    assert CONFIG_MAPS not in objects.unread


def test_an_answer_that_is_no_list_is_a_failure_of_its_kind() -> None:
    lists = FakeLists(installation())
    lists._listed = lambda *_: {"items": {}}  # type: ignore[method-assign]
    assert "the answer is not a list" in read(lists).unread["daemonsets.apps"]


def test_a_service_without_any_slice_has_no_endpoints() -> None:
    lists = FakeLists([raw for raw in installation() if raw["kind"] != "EndpointSlice"])
    assert [(e.port, e.ready, e.total) for e in read(lists).endpoints] == [
        (443, 0, 0),
        (31993, 0, 0),
    ]


AWAY = UnreachableError("no connection")


def test_an_outage_is_bridged_for_a_while() -> None:
    lists = FakeLists(installation())
    reader = LayerReader(lists, LayerSettings(probe=False, outage_s=100))
    before, _ = reader.read(NOW)
    lists.failing = {"/": AWAY}
    during, statuses = reader.read(NOW + 99)
    assert during.controllers == before.controllers
    assert during.configs == before.configs
    # An old Lease would look like one that nobody renews.
    assert during.leases == ()
    assert during.unread == {**before.unread, "leases.coordination.k8s.io": "no connection"}
    source = by_source(statuses)["kubernetes-daemonsets.apps"]
    assert (source.up, source.error, source.last_success_at) == (False, "no connection", NOW)
    after, _ = reader.read(NOW + 101)
    assert after.controllers == ()
    assert after.unread["daemonsets.apps"] == "no connection"
    lists.failing = {}
    again, statuses = reader.read(NOW + 102)
    assert again.controllers == before.controllers
    assert by_source(statuses)["kubernetes-daemonsets.apps"].up is True


def test_a_clock_that_was_set_back_makes_old_answers_no_truer() -> None:
    lists = FakeLists(installation())
    reader = LayerReader(lists, LayerSettings(probe=False, outage_s=100))
    reader.read(NOW)
    lists.failing = {"/": AWAY}
    assert reader.read(NOW - 101)[0].controllers == ()


def test_what_was_deleted_is_gone_at_once() -> None:
    lists = FakeLists(installation())
    reader = LayerReader(lists, QUIET)
    assert len(reader.read(NOW)[0].leases) == 1
    lists.objects = [raw for raw in lists.objects if raw["kind"] != "Lease"]
    objects, _ = reader.read(NOW + 30)
    assert objects.leases == ()
    assert objects.unread[LEASES] == f"Lease {NAMESPACE}/hami-lock does not exist"


def test_bad_records_are_counted_once_as_long_as_they_stay() -> None:
    objects = installation()
    objects[0]["status"]["numberReady"] = -1
    lists = FakeLists(objects)
    reader = LayerReader(lists, QUIET)
    for _ in range(3):
        _, statuses = reader.read(NOW)
    assert by_source(statuses)["kubernetes-daemonsets.apps"].rejected == {"bad-number": 1}
    objects[0]["status"]["numberReady"] = 1
    reader.read(NOW)
    objects[0]["status"]["numberReady"] = -2
    _, statuses = reader.read(NOW)
    assert by_source(statuses)["kubernetes-daemonsets.apps"].rejected == {"bad-number": 2}


def test_controllers_that_name_a_thousand_things_have_a_few_read() -> None:
    flood = []
    for number in range(100):
        raw = scheduler()
        raw["metadata"]["name"] = f"s{number}"
        raw["metadata"]["namespace"] = f"team-{number}"
        flood.append(raw)
    lists = FakeLists(flood)
    assert len(read(lists).controllers) == 64
    assert sum("/leases/" in path for path, _ in lists.asked) == 32
    assert sum("/configmaps/" in path for path, _ in lists.asked) == 32


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
