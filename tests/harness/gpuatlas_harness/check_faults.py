"""Which fault makes which check fire in the built-in scenario, and whom it hits.

For tests that walk through all checks: the first row of each is its plainest case. Nodes, cards and
workloads are those of the built-in scenario; the workloads named are there at any time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.demo.scenario import FaultSpec
from gpuatlas.demo.state import World


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFault:
    """A fault and the check's own word for what it sees then.

    `pods` are the affected workloads, "namespace/name"; `pods_of` finds their pods. `companions`
    are other checks that the same fault cannot help to trip.
    """

    signal: str
    fault: str
    node: str = ""
    card: int | None = None
    options: Mapping[str, str | int | float] = field(default_factory=dict)
    pods: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()

    @property
    def spec(self) -> FaultSpec:
        """The fault as the scenario would have it."""
        return FaultSpec(name=self.fault, node=self.node, card=self.card, options=self.options)

    def pods_of(self, world: World) -> tuple[str, ...]:
        """The pods of the affected workloads that are not finished: "namespace/name", sorted."""
        return tuple(
            f"{pod.workload.namespace}/{pod.name}"
            for pod in world.pods
            if pod.workload.key in self.pods and pod.phase in {"Pending", "Running"}
        )


# Tenants that are always there.
_OF_FIRST_CARD: Final = (
    "assistants/chat-7b", "lab/notebook-ann", "search/embed", "search/rerank",
)  # fmt: skip
_OF_A10G_1: Final = (
    *_OF_FIRST_CARD, "assistants/chat-13b", "lab/notebook-bo", "platform/asr", "vision/caption",
    "vision/detector",
)  # fmt: skip
_PAUSABLE_A10G_1: Final = (
    "lab/notebook-ann", "lab/notebook-bo", "search/rerank", "vision/caption",
)  # fmt: skip
_OF_A10G_2: Final = (
    "assistants/summarise", "assistants/translate", "lab/notebook-cy", "search/index-refresh",
)  # fmt: skip
_BIG: Final = ("assistants/chat-70b",)  # the four cards that begin a100-1
_SANDBOX: Final = "sandbox"  # the namespace of pods that faults bring


def _hardware(signal: str, fault: str, **options: float) -> CheckFault:
    return CheckFault(signal=signal, fault=fault, node="a100-1", card=0, options=options, pods=_BIG)


def _on_card(
    signal: str, fault: str, card: int, *pods: str, node: str = "a10g-1", **options: float
) -> CheckFault:
    return CheckFault(signal=signal, fault=fault, node=node, card=card, options=options, pods=pods)


def _on_node(
    signal: str, fault: str, *pods: str, node: str = "a10g-1", **options: str | float
) -> CheckFault:
    return CheckFault(signal=signal, fault=fault, node=node, options=options, pods=pods)


CHECK_FAULTS: Final[Mapping[str, tuple[CheckFault, ...]]] = {
    "H01": (_hardware("xid", "xid", code=79),),
    "H02": (_hardware("storm", "xid-storm"),),
    "H03": (_hardware("volatile", "ecc-uncorrectable"),),
    "H04": (_hardware("remap-pending", "row-remap-pending"),),
    "H05": (_hardware("slowdown", "temperature-high"),),
    "H06": (_hardware("memory", "memory-temperature-high"),),
    "H07": (_hardware("hw-samples", "hotspot-throttle"),),
    "H08": (_hardware("brake-samples", "power-brake"),),
    "H09": (_hardware("rate", "pcie-replays"),),
    "H10": (_hardware("width", "pcie-link-narrow"),),
    "H11": (_hardware("link", "nvlink-replays"),),
    "H12": (_hardware("recovery", "needs-reset"), _hardware("card-gone", "fell-off-bus")),
    "S01": (
        # A tenant that holds so little that nobody misses it in what is counted.
        _on_card("disable-control", "disable-control", 0, "lab/notebook-ann", tenant=1),
        _on_card("limit-off", "limit-off", 1, "assistants/chat-13b"),
        _on_card("sandbox-runtime", "sandbox-runtime", 0, "lab/notebook-ann", tenant=1),
        _on_card("core-limit-off", "core-limit-off", 1, "assistants/chat-13b"),
    ),
    "S02": (
        _on_card("limit-above", "limit-differs", 1, "assistants/chat-13b", percent=150),
        _on_card("limit-below", "limit-differs", 3, "platform/asr", percent=90),
    ),
    "S03": (
        _on_card("uncounted", "memory-uncounted", 3, "platform/asr"),
        _on_card("over-limit", "memory-over-limit", 3, "platform/asr"),
    ),
    "S04": (
        _on_node("visible-devices", "pod-sees-cards", f"{_SANDBOX}/all-cards-a10g-1"),
        _on_node("host-device", "pod-mounts-device", f"{_SANDBOX}/raw-device-a10g-1"),
        _on_node("privileged", "pod-privileged", f"{_SANDBOX}/debug-shell-a10g-1"),
    ),
    "S05": (_on_card("over-promise", "compute-over-promise", 0, *_OF_FIRST_CARD),),
    # The alert names those that stay frozen if they were paused: priority 1.
    "S06": (_on_node("silent", "endpoint-refuses", *_PAUSABLE_A10G_1, endpoint="hami-monitor"),),
    "S07": (
        _on_node("no-endpoints", "webhook-no-endpoints"),
        _on_node("absent", "webhook-absent"),
        _on_node("not-covering", "webhook-not-covering"),
        _on_node("unreachable", "webhook-unreachable"),
    ),
    "S08": (
        _on_node("ends", "certificate-ends", days=2),
        _on_node("ca-ends", "authority-ends", days=2),
        _on_node("not-verified", "authority-wrong"),
        _on_node("not-verified", "authority-missing"),
    ),
    "S09": (
        _on_node("default-scheduler", "pod-unadmitted", f"{_SANDBOX}/unadmitted-a10g-1"),
        _on_node("pending", "pod-unschedulable", f"{_SANDBOX}/unschedulable-a10g-1"),
        _on_card("ignore-label", "webhook-ignored", 1, "assistants/chat-13b"),
        _on_card("privileged", "tenant-privileged", 1, "assistants/chat-13b"),
    ),
    "S10": (
        _on_node("not-ready", "device-plugin-not-ready", *_OF_A10G_1),
        CheckFault(
            signal="missing",
            fault="device-plugin-missing",
            node="a10g-1",
            pods=_OF_A10G_1,
            companions=("S06",),
        ),
    ),
    "S11": (_on_node("label", "sharing-label-lost", *_OF_A10G_1),),
    "S12": (
        _on_node("missing", "registration-missing", *_OF_A10G_1),
        _on_node("dropped", "handshake-deleted", *_OF_A10G_1),
        _on_node("heartbeat", "heartbeat-stopped", *_OF_A10G_2, node="a10g-2"),
        _on_card("unhealthy", "registered-unhealthy", 3, "platform/asr"),
        _on_card("fewer", "card-not-registered", 3, node="a10g-2"),
        _on_node("unknown-card", "registered-card-unknown"),
    ),
    "S13": (
        _on_card(
            "allocating", "allocation-stuck", 3, f"{_SANDBOX}/stuck-a10g-2-3", node="a10g-2"
        ),
        _on_node("admission-error", "admission-errors"),
        _on_node("lock", "node-locked"),
        _on_card("terminating", "tenant-terminating", 1, "assistants/chat-13b"),
    ),
    "S14": (
        _on_card(
            "over-schedulable", "double-allocation", 1,
            "lab/notebook-cy", f"{_SANDBOX}/promised-twice-a10g-2-1", node="a10g-2",
        ),
        _on_node("unknown-card", "promise-of-unknown-card", f"{_SANDBOX}/stale-promise-a10g-1"),
        _on_card("books-differ", "scheduler-books-stale", 1, node="a10g-2"),
        _on_card("forged", "promise-forged", 3, "platform/asr"),
        _on_node("two-leaders", "two-leaders"),
        _on_node("no-leader", "leader-lost"),
    ),
    "S15": (
        _on_node("split-count", "config-split-count"),
        _on_node("memory-scaling", "config-memory-scaling"),
        _on_node("mode", "config-mode"),
        _on_node("not-restarted", "config-not-applied"),
        _on_node("unreadable", "config-unreadable"),
        _on_node("unknown-node", "config-unknown-node"),
    ),
    "S16": (
        _on_node("components", "scheduler-version"),
        _on_node("broken", "device-plugin-version", version="v2.8.1"),
        # HAMi's DaemonSets have one node each here: of which one differs, nobody could say.
        _on_node("nodes", "device-plugin-version", node="t4-1", version="v0.17.4"),
    ),
    "S17": (
        CheckFault(signal="ends", fault="licence-ends"),
        CheckFault(signal="missing", fault="licence-missing"),
        CheckFault(signal="unreadable", fault="licence-unreadable"),
    ),
}  # fmt: skip
