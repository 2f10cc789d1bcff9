"""How often containers on cards were started again."""

from __future__ import annotations

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.claims import Claim, ClaimRequest, Fraction
from gpuatlas.model.objects import Container, ExtendedRequest, Owner, Pod, PodClaim
from gpuatlas_harness.observed import a_container, a_node, a_pod, a_promise, observations, uuid

OWNER = Owner(api_group="apps", kind="StatefulSet", name="chat", uid="chat")


def restarts(*pods: Pod, claims: tuple[Claim, ...] = ()) -> int | None:
    obs = observations([a_node()], pods, claims={claim.uid: claim for claim in claims})
    (workload,) = Joiner().build(obs).namespaces["team-a"].workloads
    return workload.restarts


def test_those_of_all_present_pods_are_added_up() -> None:
    pods = (
        a_pod("chat-0", controller=OWNER, restarts=(("main", 3),)),
        a_pod("chat-1", controller=OWNER, restarts=(("main", 4),)),
        a_pod("chat-2", controller=OWNER),
    )
    assert restarts(*pods) == 7


def test_a_pod_that_goes_takes_its_count_with_it() -> None:
    pods = [
        a_pod("chat-0", controller=OWNER, restarts=(("main", 3),)),
        a_pod("chat-1", controller=OWNER, restarts=(("main", 4),)),
    ]
    assert restarts(*pods) == 7
    assert restarts(pods[0]) == 3
    pods[1] = a_pod("chat-1", controller=OWNER, phase="Failed", restarts=(("main", 4),))
    assert restarts(*pods) == 3


def test_pods_that_never_restarted_are_a_zero_and_no_pods_are_none() -> None:
    assert restarts(a_pod()) == 0
    assert restarts(a_pod(phase="Succeeded", restarts=(("main", 3),))) is None


def test_containers_without_cards_do_not_count() -> None:
    containers = (
        a_container("fetch", {}, kind="init"),
        a_container("warm", {"nvidia.com/gpu": 1}, kind="init"),
        a_container("proxy", {"rdma/hca": 1}),
        a_container("main"),
    )
    counted = (("fetch", 100), ("warm", 2), ("proxy", 1000), ("main", 1), ("stranger", 10))
    assert restarts(a_pod(containers=containers, restarts=counted)) == 3


def test_containers_with_a_share_of_a_card_count() -> None:
    containers = (a_container("log", {}), a_container("main", {}))
    counted = (("log", 10), ("main", 1))
    fraction = Fraction(
        portion=0.5,
        memory_bytes=None,
        devices=1,
        container="main",
        mps=False,
        groups=(),
        received="",
    )
    assert restarts(a_pod(containers=containers, restarts=counted, fraction=fraction)) == 1
    promised = a_pod("p", "gpu-a", a_promise(uuid(1), 1), containers=containers, restarts=counted)
    assert restarts(promised) == 1


def a_claim(device_class: str) -> Claim:
    request = ClaimRequest(name="main", device_class=device_class, count=1)
    return Claim(uid="c", namespace="team-a", name="c", requests=(request,))


def test_containers_with_a_claim_on_a_card_count() -> None:
    using = Container(name="main", kind="main", image="", limits={}, env={}, claims=(("card", ""),))
    pod = a_pod(
        containers=(using, a_container("log", {})),
        claims=(PodClaim(name="card", claim="c"),),
        restarts=(("main", 2), ("log", 10)),
    )
    assert restarts(pod, claims=(a_claim("gpu.nvidia.com"),)) == 2


def test_a_resource_that_a_claim_serves_counts_whatever_its_name() -> None:
    pod = a_pod(
        containers=(a_container("main", {"corp.example/fast": 1}), a_container("log", {})),
        extended_claim="c",
        extended_requests=(
            ExtendedRequest(container="main", resource="corp.example/fast", request="main"),
        ),
        restarts=(("main", 2), ("log", 10)),
    )
    assert restarts(pod, claims=(a_claim("gpu.nvidia.com"),)) == 2
