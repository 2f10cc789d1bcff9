"""What pods ask for, in cards or shares of cards, whatever they got.

The words for it are those of the pods: the resource of a limit, the annotation of a KAI fraction,
and for a ResourceClaim the name that Kubernetes gives a device class among resources (KEP-5004).
Pure. Facts: facts/k8s.md 1.9 and 1.11.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from gpuatlas.model.claims import Claim
from gpuatlas.model.objects import Pod
from gpuatlas.model.vendors import vendor_of_count

FINISHED: Final = frozenset({"Succeeded", "Failed"})
DEVICE_CLASS: Final = "deviceclass.resource.kubernetes.io/"
_FRACTION: Final = "gpu-fraction"
_FRACTION_BY_MEMORY: Final = "gpu-memory"
# Administrators name device classes as they like, and a claim that was not given anything says no
# more than the class: these words in it speak for cards ("gpu.nvidia.com", "h100-mig").
_CARD_WORDS: Final = frozenset(
    {"gpu", "gpus", "mig", "npu", "mlu", "dcu", "gcu", "xpu", "neuron", "gaudi", "accelerator"}
)
_WORDS: Final = re.compile(r"[a-z]+")
# Tenants can write any resource name: what is remembered has an end.
_REMEMBERED: Final = 4096

_Claims = Mapping[str, Claim]  # the namespace's, by name


def asks_for_cards(pod: Pod, claims: _Claims) -> bool:
    """Whether the pod is part of a workload.

    Pods that are read for another reason (exporters, plugins) are not; nor are those with which KAI
    holds a card for others.
    """
    if pod.reservation is not None:
        return False
    if pod.promises or pod.fraction is not None or _extended(pod, claims):
        return True
    if any(counts_cards(r) for container in pod.containers for r in container.limits):
        return True
    return any(_amounts(claim) for claim in _claims_of(pod, claims))


def cards_requested(pods: Sequence[Pod], claims: _Claims) -> dict[str, int]:
    """Resource → number that the unfinished pods ask for. A claim that they share counts once."""
    total: Counter[str] = Counter()
    shared: dict[str, Claim] = {}
    for pod in pods:
        if pod.phase in FINISHED:
            continue
        total += _limits(pod, _extended(pod, claims))
        if pod.fraction is not None:
            word = _FRACTION_BY_MEMORY if pod.fraction.memory_bytes is not None else _FRACTION
            total[word] += pod.fraction.devices
        shared |= {claim.uid: claim for claim in _claims_of(pod, claims)}
    for claim in shared.values():
        total += _amounts(claim)
    return dict(sorted(total.items()))


def card_containers(pod: Pod, claims: _Claims) -> frozenset[str]:
    """The containers that ask for cards, or that a layer has promised some."""
    extended = _extended(pod, claims)
    claimed = {
        name.name
        for name in pod.claims
        if (claim := claims.get(name.claim)) is not None and _amounts(claim)
    }
    asking = {
        container.name
        for container in pod.containers
        if any(counts_cards(r) or r in extended for r in container.limits)
        or any(name in claimed for name, _ in container.claims)
    }
    promised = {promise.container for promise in pod.promises}
    fraction = {pod.fraction.container} if pod.fraction is not None else set()
    return frozenset(asking | promised | fraction)


@lru_cache(maxsize=_REMEMBERED)
def counts_cards(resource: str) -> bool:
    """Whether a limit of this name is a number of cards or of shares of cards."""
    if resource.startswith(DEVICE_CLASS):
        return _is_card_class(resource.removeprefix(DEVICE_CLASS))
    return vendor_of_count(resource) is not None


def _is_card_class(name: str) -> bool:
    return not _CARD_WORDS.isdisjoint(_WORDS.findall(name))


def _limits(pod: Pod, extended: frozenset[str]) -> Counter[str]:
    """The larger of the largest init container and the sum of the others."""
    main: Counter[str] = Counter()
    init: Counter[str] = Counter()
    for container in pod.containers:
        for resource, number in container.limits.items():
            if not counts_cards(resource) and resource not in extended:
                continue
            if container.kind == "init":
                init[resource] = max(init[resource], number)
            else:
                main[resource] += number
    return main | init


def _extended(pod: Pod, claims: _Claims) -> frozenset[str]:
    """Limits of any name that Kubernetes serves by a claim on cards."""
    claim = claims.get(pod.extended_claim) if pod.extended_claim else None
    if claim is None or not _amounts(claim):
        return frozenset()
    return frozenset(request.resource for request in pod.extended_requests)


def _claims_of(pod: Pod, claims: _Claims) -> Iterator[Claim]:
    """Those that exist; what Kubernetes made for a limit is counted as the limit."""
    for name in pod.claims:
        claim = claims.get(name.claim) if name.claim else None
        if claim is not None:
            yield claim


def _amounts(claim: Claim) -> Counter[str]:
    """Device class → devices: those given, else those asked for as far as a number is stated."""
    found: Counter[str] = Counter()
    classes = {request.name: request.device_class for request in claim.requests}
    if claim.results:
        for result in claim.results:
            if not result.admin and result.request in classes:
                found[f"{DEVICE_CLASS}{classes[result.request]}"] += 1
        return found
    asked: set[str] = set()
    for request in claim.requests:
        name = request.name.partition("/")[0]
        if name in asked or request.admin:
            continue
        asked.add(name)  # of alternatives the first one is wanted most
        if request.count is not None and _is_card_class(request.device_class):
            found[f"{DEVICE_CLASS}{request.device_class}"] += request.count
    return found
