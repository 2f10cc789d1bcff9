"""Limits, KAI's fractions and ResourceClaims in numbers of cards or shares of cards."""

from __future__ import annotations

import pytest

from gpuatlas.join.requests import asks_for_cards, cards_requested, counts_cards
from gpuatlas.model.claims import AllocatedDevice, Claim, ClaimRequest, Fraction, Reservation
from gpuatlas.model.objects import ExtendedRequest, Pod, PodClaim
from gpuatlas_harness.observed import a_container, a_pod

GPU = "deviceclass.resource.kubernetes.io/gpu.nvidia.com"
NOTHING = (a_container(limits={}),)


def a_request(name: str = "main", count: int | None = 1, **changes: object) -> ClaimRequest:
    values: dict[str, object] = {"name": name, "device_class": "gpu.nvidia.com", "count": count}
    return ClaimRequest(**(values | changes))  # type: ignore[arg-type]


def a_result(
    request: str = "main", device: str = "gpu-0", *, admin: bool = False
) -> AllocatedDevice:
    return AllocatedDevice(
        request=request, driver="gpu.nvidia.com", pool="gpu-a", device=device, admin=admin
    )


def a_claim(*requests: ClaimRequest, results: tuple[AllocatedDevice, ...] = ()) -> Claim:
    return Claim(
        uid="c", namespace="team-a", name="c", requests=requests or (a_request(),), results=results
    )


def claiming(name: str = "app-0", claim: str = "c", phase: str = "Running") -> Pod:
    claims = (PodClaim(name="gpu", claim=claim),)
    return a_pod(name, containers=NOTHING, claims=claims, phase=phase)


def a_fraction(devices: int = 1, memory: int | None = None) -> Fraction:
    return Fraction(
        portion=None if memory else 0.5,
        memory_bytes=memory,
        devices=devices,
        container="main",
        mps=False,
        groups=(),
        received="",
    )


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        ("nvidia.com/gpu", True),
        ("nvidia.com/mig-1g.10gb", True),
        ("nvidia.com/gpumem", False),
        ("rdma/hca", False),
        (GPU, True),
        ("deviceclass.resource.kubernetes.io/h100-mig", True),
        ("deviceclass.resource.kubernetes.io/compute-domain-channel.nvidia.com", False),
        ("deviceclass.resource.kubernetes.io/dranet", False),
        ("deviceclass.resource.kubernetes.io/", False),
    ],
)
def test_which_resources_count_cards(resource: str, expected: bool) -> None:  # noqa: FBT001
    assert counts_cards(resource) is expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        pytest.param(a_claim(), {GPU: 1}, id="asked for"),
        pytest.param(a_claim(a_request(count=4)), {GPU: 4}, id="asked for several"),
        pytest.param(
            a_claim(a_request("main/big", 1), a_request("main/small", 2)),
            {GPU: 1},
            id="of alternatives the most wanted",
        ),
        pytest.param(
            a_claim(
                a_request("main/big", 1),
                a_request("main/small", 2, device_class="mig.nvidia.com"),
                results=(a_result("main/small", "m-0"), a_result("main/small", "m-1")),
            ),
            {"deviceclass.resource.kubernetes.io/mig.nvidia.com": 2},
            id="of alternatives the one that was given",
        ),
        pytest.param(
            a_claim(
                a_request(count=None), results=(a_result(device="gpu-0"), a_result(device="gpu-1"))
            ),
            {GPU: 2},
            id="all that match, as given",
        ),
        pytest.param(
            a_claim(a_request(device_class="ours"), results=(a_result(),)),
            {"deviceclass.resource.kubernetes.io/ours": 1},
            id="a class of any name that gave a card",
        ),
        pytest.param(a_claim(a_request(count=None)), {}, id="all that match, not given yet"),
        pytest.param(a_claim(a_request(admin=True)), {}, id="to look on"),
        pytest.param(
            a_claim(a_request(admin=True), results=(a_result(admin=True),)), {}, id="looking on"
        ),
        pytest.param(a_claim(a_request(device_class="dranet")), {}, id="another device"),
        pytest.param(a_claim(results=(a_result("gone"),)), {}, id="a request that is not there"),
    ],
)
def test_a_claim(claim: Claim, expected: dict[str, int]) -> None:
    assert cards_requested([claiming()], {"c": claim}) == expected
    assert asks_for_cards(claiming(), {"c": claim}) is bool(expected)


def test_a_claim_of_several_pods_counts_once() -> None:
    assert cards_requested([claiming("a"), claiming("b")], {"c": a_claim()}) == {GPU: 1}


@pytest.mark.parametrize("claim", ["", "other"])
def test_a_claim_that_is_not_there_asks_for_nothing(claim: str) -> None:
    pod = claiming(claim=claim)
    assert cards_requested([pod], {"c": a_claim()}) == {}
    assert not asks_for_cards(pod, {"c": a_claim()})


def test_finished_pods_ask_for_nothing() -> None:
    pods = [claiming(phase="Succeeded"), a_pod(phase="Failed")]
    assert cards_requested(pods, {"c": a_claim()}) == {}


def test_a_claim_that_stands_for_a_limit_is_counted_as_the_limit() -> None:
    pod = a_pod(
        extended_claim="c",
        extended_requests=(
            ExtendedRequest(container="main", resource="nvidia.com/gpu", request="main"),
        ),
    )
    assert cards_requested([pod], {"c": a_claim(results=(a_result(),))}) == {"nvidia.com/gpu": 1}


def test_a_limit_of_any_name_counts_where_its_claim_is_on_cards() -> None:
    pod = a_pod(
        containers=(a_container(limits={"example.com/fast": 2, "rdma/hca": 1}),),
        extended_claim="c",
        extended_requests=(
            ExtendedRequest(container="main", resource="example.com/fast", request="main"),
        ),
    )
    given = {"c": a_claim(results=(a_result(),))}
    assert cards_requested([pod], given) == {"example.com/fast": 2}
    assert asks_for_cards(pod, given)
    assert not asks_for_cards(pod, {})


@pytest.mark.parametrize(
    ("fraction", "expected"),
    [
        (a_fraction(), {"gpu-fraction": 1}),
        (a_fraction(2), {"gpu-fraction": 2}),
        (a_fraction(memory=4096), {"gpu-memory": 1}),
    ],
)
def test_a_share_of_kai(fraction: Fraction, expected: dict[str, int]) -> None:
    pod = a_pod(containers=NOTHING, fraction=fraction)
    assert cards_requested([pod], {}) == expected
    assert asks_for_cards(pod, {})


def test_a_pod_that_holds_a_card_for_others_is_no_workload() -> None:
    mark = Reservation(
        namespace="kai-resource-reservation", pod="r", node="gpu-a", group="g", card=""
    )
    assert not asks_for_cards(a_pod(reservation=mark), {})


def test_init_containers_give_back_what_they_had() -> None:
    containers = (
        a_container("one", {"nvidia.com/gpu": 3}, kind="init"),
        a_container("two", {"nvidia.com/gpu": 2}, kind="init"),
        a_container("side", {"nvidia.com/gpu": 1}, kind="sidecar"),
        a_container("main", {"nvidia.com/gpu": 1}),
    )
    assert cards_requested([a_pod(containers=containers)], {}) == {"nvidia.com/gpu": 3}
