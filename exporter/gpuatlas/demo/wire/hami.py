"""What HAMi writes on nodes and pods: registrations, handshakes, promises (facts/hami.md 2, 3)."""

from __future__ import annotations

import json
from typing import Any, Final

from gpuatlas.demo.installed import HamiRelease
from gpuatlas.demo.runtimes import RUNTIMES
from gpuatlas.demo.scenario import NodeSpec
from gpuatlas.demo.state import CardState, NodeState, PodState
from gpuatlas.demo.wire.objects import stamp

ALLOCATING_SECONDS: Final = 5.0  # from the scheduler's binding to the plugin's answer
_REPORT_SECONDS: Final = 30.0  # of plugins that still report (facts/hami.md 2.4)
_JSON_SINCE: Final = (2, 8)
_INIT_FIRST_SINCE: Final = (2, 9)
_NETWORK_SIZE: Final = 4  # NPUs that one network of an 800T board joins


def node_annotations(node: NodeState, at: float, since: float) -> dict[str, str]:
    """The register and handshake annotations; none where the node is not HAMi's."""
    hami = node.spec.hami
    if hami is None:
        return {}
    lock = {"hami.io/mutex.lock": node.lock} if node.lock else {}
    if not node.registered:
        return lock
    if node.spec.card.vendor == "ascend":
        word = node.spec.card.model
        return lock | {
            f"hami.io/node-register-{word}": _json([_npu(card) for card in node.registered_cards]),
            f"hami.io/node-handshake-{word}": _dotted_handshake(node, at),
        }
    return lock | {
        "hami.io/node-nvidia-register": _register(node, hami),
        "hami.io/node-handshake": _handshake(node, hami, at, since),
    }


def _register(node: NodeState, hami: HamiRelease) -> str:
    if hami.numbers >= _JSON_SINCE:
        return _json([_device(card) for card in node.registered_cards])
    return "".join(_colon_record(card) for card in node.registered_cards)


def _colon_record(card: CardState) -> str:
    """Nine fields (v2.5 to v2.7.1); the type has "NVIDIA-" in front of the driver's name."""
    spec = card.node
    fields: tuple[object, ...] = (
        card.uuid,
        spec.slots,
        spec.schedulable_mib,
        spec.card.cores,
        f"NVIDIA-{spec.card.model}",
        _numa(card),
        str(card.registered_healthy).lower(),
        card.index,
        "hami-core",
    )
    return ",".join(str(field) for field in fields) + ":"


def _device(card: CardState) -> dict[str, Any]:
    spec = card.node
    return _without_zeros(
        {
            "id": card.uuid,
            "index": card.index,
            "count": spec.slots,
            "devmem": spec.schedulable_mib,
            "devcore": spec.card.cores,
            "type": spec.card.model,
            "numa": _numa(card),
            "mode": "hami-core",
            "health": card.registered_healthy,
        }
    ) | {"devicepairscore": {}}


def _npu(card: CardState) -> dict[str, Any]:
    spec = card.node
    return _without_zeros(
        {
            "id": card.uuid,
            "index": card.index,
            "count": spec.slots,
            "devmem": spec.card.memory_mib,
            "devcore": spec.card.cores,
            "type": spec.card.model,
            "health": card.registered_healthy,
        }
    ) | {"custominfo": {"NetworkID": card.index // _NETWORK_SIZE}}


def _without_zeros(fields: dict[str, Any]) -> dict[str, Any]:
    """The layer leaves out what is zero, false or empty (facts/hami.md 2.2)."""
    return {name: value for name, value in fields.items() if value}


def _numa(card: CardState) -> int:
    return card.index * 2 // card.node.count


def _handshake(node: NodeState, hami: HamiRelease, at: float, since: float) -> str:
    if node.handshake == "deleted":
        return f"Deleted_{stamp(node.handshake_at, '%Y-%m-%d')}"
    if hami.numbers >= _JSON_SINCE:
        # Nobody answers any more: what the scheduler asked when it started stays there.
        return f"Requesting_{stamp(since, '%Y-%m-%d')}"
    reported = _reported(node, at)
    return f"Reported {stamp(reported, '%Y-%m-%d')}.125 +0000 UTC m=+{reported - since:.3f}"


def _dotted_handshake(node: NodeState, at: float) -> str:
    """Of Ascend's plugin."""
    if node.handshake == "deleted":
        return f"Deleted_{stamp(node.handshake_at, '%Y.%m.%d')}"
    return f"Reported_{stamp(_reported(node, at), '%Y.%m.%d')}"


def _reported(node: NodeState, at: float) -> float:
    last = node.handshake_at if node.handshake == "stopped" else at
    return last // _REPORT_SECONDS * _REPORT_SECONDS


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def pod_annotations(pod: PodState, node: NodeState, at: float) -> dict[str, str]:
    """What scheduler and plugin wrote on a pod of theirs. It stays when the pod has finished."""
    if node.spec.hami is None or not pod.promised_mib:
        return {}
    word = family(node.spec)
    stem = "vgpu" if word == "NVIDIA" else word
    allocated = promise(pod, node)
    phase = _bind_phase(pod, at)
    allocating = phase != "success"
    bound_at = pod.deviations.bound_at
    bound = str(int(pod.created_at if bound_at is None else bound_at))
    result = {
        "hami.io/vgpu-node": node.spec.name,
        "hami.io/vgpu-time": bound,
        "hami.io/bind-time": bound,
        "hami.io/bind-phase": phase,
        f"hami.io/{stem}-devices-to-allocate": allocated if allocating else ";",
        f"hami.io/{stem}-devices-allocated": allocated,
    }
    return result if word == "NVIDIA" else result | _ascend_runtime(pod, node, bound)


def _bind_phase(pod: PodState, at: float) -> str:
    usual = "allocating" if at - pod.created_at < ALLOCATING_SECONDS else "success"
    return pod.deviations.bind_phase or usual


def family(node: NodeSpec) -> str:
    """HAMi's word for the node's kind of card."""
    return "NVIDIA" if node.card.vendor == "nvidia" else node.card.model


def _ascend_runtime(pod: PodState, node: NodeState, bound: str) -> dict[str, str]:
    """What Ascend's container runtime reads: the template by name, "" for a whole card."""
    templates = {size: name for name, size in node.spec.card.templates.items()}
    devices = [
        _without_zeros(
            {
                "UUID": uuid,
                "temp": templates.get(pod.promised_mib, ""),
                "memory": pod.promised_mib,
            }
        )
        for uuid in _uuids(pod, node)
    ]
    return {f"huawei.com/{node.spec.card.model}": _json(devices), "predicate-time": bound}


def _uuids(pod: PodState, node: NodeState) -> list[str]:
    if pod.deviations.promised_card:
        return [pod.deviations.promised_card]
    return [node.cards[index].uuid for index in pod.place.cards] if pod.place else []


def device_segments(pod: PodState, node: NodeSpec) -> tuple[str, ...]:
    """The containers that the promise has a segment for, in its order."""
    runtime = RUNTIMES[pod.workload.runtime]
    init_first = node.hami is not None and node.hami.numbers >= _INIT_FIRST_SINCE
    containers = ["fetch-model"] if runtime.downloads and init_first else []
    containers.append(pod.container)
    return (*containers, *([runtime.companion] if runtime.companion else []))


def promise(pod: PodState, node: NodeState) -> str:
    """The text of `…devices-allocated`: a segment per container, a record per card."""
    ask = pod.workload.ask
    if ask is None:
        return ""
    word = family(node.spec)
    devices = "".join(
        f"{uuid},{word},{pod.promised_mib},{ask.cores}:" for uuid in _uuids(pod, node)
    )
    holder = pod.container
    return "".join(
        f"{devices if name == holder else ''};" for name in device_segments(pod, node.spec)
    )
