"""The Leases by which schedulers elect their leader (facts/hami.md 6.1 and 6.5)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from gpuatlas.demo.randomness import uuid
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.controllers import SystemPod
from gpuatlas.demo.wire.objects import Document, metadata

_DURATION_SECONDS: Final = 15  # kube-scheduler's default
_RETRY_SECONDS: Final = 2.0  # how often its leader renews


def lease_documents(pods: Sequence[SystemPod], world: World) -> list[Document]:
    """One for each installation of HAMi, held by its first scheduler pod."""
    holders: dict[tuple[str, str], SystemPod] = {}
    for pod in pods:
        holders.setdefault((pod.controller.namespace, pod.controller.name), pod)
    documents = []
    for state in world.hami:
        hami = state.release
        holder = holders[hami.namespace, hami.scheduler_name]
        renewed = world.at if state.lease_renewed_at is None else state.lease_renewed_at
        documents.append(
            {
                "kind": "Lease",
                "apiVersion": "coordination.k8s.io/v1",
                "metadata": metadata(
                    hami.scheduler_name,
                    uuid("Lease", world.seed, hami.release),
                    world.scenario.since,
                    namespace=hami.namespace,
                    manager="kube-scheduler",
                ),
                "spec": {
                    "holderIdentity": _identity(holder, world.seed),
                    "leaseDurationSeconds": _DURATION_SECONDS,
                    "acquireTime": _micro_time(world.scenario.since),
                    "renewTime": _micro_time(renewed // _RETRY_SECONDS * _RETRY_SECONDS),
                    "leaseTransitions": 0,
                },
            }
        )
    return documents


def _identity(pod: SystemPod, seed: int) -> str:
    """The pod's host name and a random id, as kube-scheduler makes it."""
    return f"{pod.name(seed)}_{uuid('identity', pod.uid(seed))}"


def _micro_time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
