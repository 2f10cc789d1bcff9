from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from gpuatlas.model.claims import Reservation
from gpuatlas.model.objects import Pod
from gpuatlas.model.rejections import Rejection
from gpuatlas.sources.kai.reservations import is_reservation, read_reservation

Pods = Mapping[tuple[str, str], Pod]
Make = Callable[..., Pod]

GROUP = "a26d17bc-0000-4000-8000-000000000001"
CARD = "GPU-b1000000-0000-4000-8000-000000000001"
KEY = "run.ai/reserve_for_gpu_index"
PLACE = {"namespace": "kai-resource-reservation", "name": "gpu-reservation-kai-a-55dst"}


def reservation(pod: str, card: str, node: str = "kai-a", group: str = GROUP) -> Reservation:
    return Reservation(
        namespace="kai-resource-reservation", pod=pod, node=node, group=group, card=card
    )


def test_reservations_are_read_in_every_version(kai_pods: Pods) -> None:
    found = {key: read_reservation(pod) for key, pod in kai_pods.items() if is_reservation(pod)}
    assert found == {
        ("v0.4.0", "gpu-reservation-old-a-x7k2p"): (
            Reservation(
                namespace="runai-reservation",
                pod="gpu-reservation-old-a-x7k2p",
                node="old-a",
                group="cfbcb444-0000-4000-8000-000000000001",
                card="GPU-a1000000-0000-4000-8000-000000000001",
            ),
            (),
        ),
        ("v0.13.0", "gpu-reservation-kai-a-55dst"): (
            reservation("gpu-reservation-kai-a-55dst", CARD),
            (),
        ),
        ("v0.13.0", "gpu-reservation-kai-a-9hv4c"): (
            reservation(
                "gpu-reservation-kai-a-9hv4c",
                "GPU-b1000000-0000-4000-8000-000000000002",
                group="a26d17bc-0000-4000-8000-000000000002",
            ),
            (),
        ),
        ("v0.13.0", "gpu-reservation-kai-a-new00"): (
            reservation(
                "gpu-reservation-kai-a-new00",
                "",
                group="a26d17bc-0000-4000-8000-000000000003",
            ),
            (),
        ),
    }


def test_a_tenant_cannot_name_a_card(kai_pods: Pods) -> None:
    pod = kai_pods["v0.13.0", "gpu-reservation-kai-a-fake0"]
    assert is_reservation(pod) is False
    assert read_reservation(pod) == (
        None,
        (
            Rejection(
                "kai",
                "not-a-reservation",
                "pod team-x/gpu-reservation-kai-a-fake0 annotation run.ai/reserve_for_gpu_index",
                "only KAI's reservation pods, in kai-resource-reservation and runai-reservation, "
                "may name a card",
            ),
        ),
    )


def test_an_ordinary_pod_is_no_reservation(kai_pods: Pods) -> None:
    assert read_reservation(kai_pods["v0.13.0", "chat-0"]) == (None, ())


def test_another_pod_in_the_namespace_is_no_reservation(marked: Make) -> None:
    pod = marked({KEY: CARD}, {"runai-gpu-group": GROUP}, **{**PLACE, "name": "debug"})
    found, rejections = read_reservation(pod)
    assert found is None
    assert [rejection.reason for rejection in rejections] == ["not-a-reservation"]


def test_the_namespace_can_be_another(marked: Make) -> None:
    pod = marked({KEY: CARD}, {"runai-gpu-group": GROUP}, **{**PLACE, "namespace": "gpus"})
    assert is_reservation(pod) is False
    found, rejections = read_reservation(pod, frozenset({"gpus"}))
    assert found is not None
    assert (found.card, found.namespace, rejections) == (CARD, "gpus", ())


@pytest.mark.parametrize(
    ("card", "reason"),
    [
        pytest.param("", "empty-id", id="empty"),
        pytest.param("0", "bad-text", id="the index that the name promises"),
        pytest.param("-1", "bad-text", id="KAI's word for unknown"),
        pytest.param("GPU 1", "bad-text", id="blank"),
        pytest.param('GPU-"1"', "bad-text", id="quote"),
        pytest.param("GPU-" + "1" * 130, "bad-text", id="too long"),
    ],
)
def test_a_card_that_is_no_uuid_is_none(marked: Make, card: str, reason: str) -> None:
    pod = marked({KEY: card}, {"runai-gpu-group": GROUP}, **PLACE)
    found, rejections = read_reservation(pod)
    assert found == reservation("gpu-reservation-kai-a-55dst", "")
    (rejection,) = rejections
    assert (rejection.source, rejection.reason) == ("kai", reason)


def test_a_reservation_without_a_group_is_refused(marked: Make) -> None:
    found, rejections = read_reservation(marked({KEY: CARD}, {}, **PLACE))
    assert found is None
    assert [rejection.reason for rejection in rejections] == ["bad-text"]
