"""What is behind the Services of schedulers, from their EndpointSlices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.layer import LayerWebhook, ServiceEndpoints
from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.layer.endpoints import read_service, read_slice, service_endpoints
from gpuatlas.sources.layer.webhooks import read_webhooks
from gpuatlas_harness.layered import NAMESPACE, SERVICE, endpoint_slice, service, webhook

Object = dict[str, Any]


def behind(
    services: Iterable[Object],
    slices: Iterable[Object],
    webhooks: Iterable[LayerWebhook] = (),
    *,
    all_read: bool = False,
) -> list[ServiceEndpoints]:
    known = [found for raw in services if (found := read_service(raw))]
    read = [one for raw in slices if (one := read_slice(raw))]
    return list(service_endpoints(known, read, webhooks, all_read=all_read))


def ports(*listed: tuple[int, int, int, tuple[tuple[str, int], ...]]) -> list[ServiceEndpoints]:
    return [
        ServiceEndpoints(
            namespace=NAMESPACE,
            service=SERVICE,
            port=port,
            ready=ready,
            total=total,
            addresses=addresses,
        )
        for port, ready, total, addresses in listed
    ]


def called(port: int = 443) -> LayerWebhook:
    (found,) = read_webhooks(webhook(port=port), ())
    assert isinstance(found, LayerWebhook)
    return found


def test_each_port_leads_to_the_ready_pods() -> None:
    found = behind([service()], [endpoint_slice({"10.0.0.8": False, "10.0.0.7": True})])
    assert found == ports(
        (443, 1, 2, (("10.0.0.7", 8443),)),
        (31993, 1, 2, (("10.0.0.7", 9395),)),
    )


def test_slices_of_both_families_count_a_pod_once_by_its_ipv4_address() -> None:
    four = endpoint_slice({"10.0.0.7": True})
    six = endpoint_slice({"10.0.0.7": True}, name="six")
    six["addressType"] = "IPv6"
    six["endpoints"][0]["addresses"] = ["fd00::7"]
    found = behind([service()], [six, four])
    assert found[0] == ports((443, 1, 1, (("10.0.0.7", 8443),)))[0]


def test_a_condition_that_is_not_stated_means_ready() -> None:
    raw = endpoint_slice({"10.0.0.7": False})
    raw["endpoints"][0]["conditions"] = None
    assert behind([service()], [raw])[0].ready == 1


def test_the_slice_that_kubernetes_keeps_for_a_service_without_pods_says_none() -> None:
    raw = endpoint_slice({}, ports={})
    raw["endpoints"], raw["ports"] = None, None
    assert behind([service()], [raw]) == ports((443, 0, 0, ()), (31993, 0, 0, ()))


def test_a_slice_without_the_port_leads_nowhere() -> None:
    found = behind([service()], [endpoint_slice({"10.0.0.7": True}, ports={"other": 1, "x": 2})])
    assert found == ports((443, 0, 1, ()), (31993, 0, 1, ()))


def test_without_a_slice_nothing_is_said_unless_all_were_read() -> None:
    assert behind([service()], []) == []
    assert behind([service()], [], all_read=True) == ports((443, 0, 0, ()), (31993, 0, 0, ()))


def test_a_service_that_only_a_webhook_names_is_looked_up_by_the_webhooks_port() -> None:
    slices = [endpoint_slice({"10.0.0.7": True}, ports={"https": 443, "monitor": 9395})]
    assert behind([], slices, [called()]) == ports((443, 1, 1, (("10.0.0.7", 443),)))
    single = [endpoint_slice({"10.0.0.7": True}, ports={"": 9443})]
    assert behind([], single, [called()]) == ports((443, 1, 1, (("10.0.0.7", 9443),)))
    assert behind([], [], [called()], all_read=True) == ports((443, 0, 0, ()))


def test_a_webhook_with_a_port_that_its_service_has_not_is_told_apart() -> None:
    found = behind([service()], [endpoint_slice({"10.0.0.7": True})], [called(444)])
    assert [(e.port, e.ready) for e in found] == [(443, 1), (444, 0), (31993, 1)]


def test_services_of_other_components_and_slices_of_no_service_are_left_out() -> None:
    monitor = service()
    monitor["metadata"]["labels"]["app.kubernetes.io/component"] = "hami-device-plugin"
    assert read_service(monitor) is None
    stray = endpoint_slice({"10.0.0.7": True})
    del stray["metadata"]["labels"]["kubernetes.io/service-name"]
    assert read_slice(stray) is None


def test_addresses_are_kept_for_probing_only() -> None:
    many = {f"10.0.{n // 250}.{n % 250}": True for n in range(900)}
    found = behind([service()], [endpoint_slice(many)])
    assert (found[0].ready, len(found[0].addresses)) == (900, 16)


@pytest.mark.parametrize("read", [read_service, read_slice])
def test_objects_without_a_name_are_refused(read: Any) -> None:
    for raw in (service(), endpoint_slice({})):
        raw["metadata"]["name"] = ""
        if raw["kind"] == ("Service" if read is read_service else "EndpointSlice"):
            with pytest.raises(MalformedError, match=r"without metadata\.name"):
                read(raw)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@settings(deadline=None, max_examples=150)
@given(
    listed=JSON | st.lists(JSON, max_size=3),
    named=JSON | st.lists(JSON, max_size=3),
    addresses=JSON,
    ready=JSON,
)
def test_counts_stay_within_what_is_listed(
    listed: object, named: object, addresses: object, ready: object
) -> None:
    odd = endpoint_slice({"10.0.0.7": True})
    odd["endpoints"][0] |= {"addresses": addresses, "conditions": {"ready": ready}}
    other = endpoint_slice({}, name="other")
    other["endpoints"], other["ports"] = listed, named
    for found in behind([service()], [odd, other]):
        assert 0 <= found.ready <= found.total <= 4
        assert len(found.addresses) <= found.ready
        assert all(0 < port <= 65535 for _, port in found.addresses)
