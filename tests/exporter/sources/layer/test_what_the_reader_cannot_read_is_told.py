"""What the reader says when answers fail, and for how long it keeps the last ones."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpuatlas.sources.errors import BadAnswerError, UnreachableError
from gpuatlas.sources.layer.asks import ASKS
from gpuatlas.sources.layer.reader import LayerReader
from gpuatlas.sources.layer.settings import LayerSettings
from gpuatlas_harness.layer_lists import PATHS, FakeLists
from gpuatlas_harness.layer_reads import CONFIG_MAPS, LEASES, NOW, QUIET, REFUSED, by_source, read
from gpuatlas_harness.layered import NAMESPACE, RELEASE, device_plugin, installation, scheduler


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


def test_an_answer_that_is_no_list_is_a_failure_of_its_kind() -> None:
    lists = FakeLists(installation())
    lists._listed = lambda *_: {"items": {}}  # type: ignore[method-assign]
    assert "the answer is not a list" in read(lists).unread["daemonsets.apps"]


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
