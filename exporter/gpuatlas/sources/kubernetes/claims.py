"""What a pod says of its ResourceClaims, and what a capture keeps of it. Pure.

Facts: facts/k8s.md 1.11. Trimmed spec and status read the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from gpuatlas.model.objects import ExtendedRequest, PodClaim
from gpuatlas.sources.kubernetes.shape import fields, items, shared, text

# A claim holds 32 devices at most, and a node takes 16 cards: more is damage.
MAX_CLAIMS: Final = 256
_MAPPING: Final = ("containerName", "resourceName", "requestName")


def read_pod_claims(
    spec: Mapping[str, object], status: Mapping[str, object]
) -> tuple[PodClaim, ...]:
    """The pod's claims in spec order.

    The name of an object that was made from a template stands in the status only.
    """
    made = {
        text(entry.get("name")): text(entry.get("resourceClaimName"))
        for entry in map(fields, items(status.get("resourceClaimStatuses"))[:MAX_CLAIMS])
    }
    entries = map(fields, items(spec.get("resourceClaims"))[:MAX_CLAIMS])
    return tuple(
        PodClaim(
            name=shared(name), claim=text(entry.get("resourceClaimName")) or made.get(name, "")
        )
        for entry in entries
        if (name := text(entry.get("name")))
    )


def read_container_claims(resources: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """(claim of the pod, request of it or "" for all) of one container."""
    entries = map(fields, items(resources.get("claims"))[:MAX_CLAIMS])
    return tuple(
        (shared(name), shared(text(entry.get("request"))))
        for entry in entries
        if (name := text(entry.get("name")))
    )


def read_extended(status: Mapping[str, object]) -> tuple[str, tuple[ExtendedRequest, ...]]:
    """The claim that Kubernetes made for plain resource limits, and which limits it serves."""
    extended = fields(status.get("extendedResourceClaimStatus"))
    return text(extended.get("resourceClaimName")), tuple(_extended_requests(extended))


def _extended_requests(extended: Mapping[str, object]) -> Iterator[ExtendedRequest]:
    for entry in map(fields, items(extended.get("requestMappings"))[:MAX_CLAIMS]):
        container, resource, request = (text(entry.get(name)) for name in _MAPPING)
        if resource:
            yield ExtendedRequest(
                container=shared(container), resource=shared(resource), request=shared(request)
            )


def trim_pod_claims(value: object) -> list[dict[str, object]]:
    """`spec.resourceClaims` or `status.resourceClaimStatuses`.

    Entries that say nothing stay: that there are some is why the pod is kept.
    """
    return [_texts(entry, ("name", "resourceClaimName")) for entry in _entries(value)]


def trim_container_claims(value: object) -> list[dict[str, object]]:
    """`resources.claims` of a container."""
    return [_texts(entry, ("name", "request")) for entry in _entries(value)]


def trim_extended(value: object) -> dict[str, object]:
    """`status.extendedResourceClaimStatus`: something must be left of it, its presence counts."""
    extended = fields(value)
    if not extended:
        return {}
    mappings = [_texts(entry, _MAPPING) for entry in _entries(extended.get("requestMappings"))]
    trimmed: dict[str, object] = {"resourceClaimName": text(extended.get("resourceClaimName"))}
    return trimmed | ({"requestMappings": mappings} if mappings else {})


def _entries(value: object) -> Iterator[Mapping[str, object]]:
    return map(fields, islice(items(value), MAX_CLAIMS))


def _texts(entry: Mapping[str, object], names: tuple[str, ...]) -> dict[str, object]:
    return {name: found for name in names if (found := text(entry.get(name)))}
