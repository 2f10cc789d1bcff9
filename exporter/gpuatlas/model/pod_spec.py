"""What a pod itself says of the program that it runs and of how it wants to be placed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """The program that uses the cards.

    `name` is a word of `sources.runtimes.table` or "unknown"; `evidence` says what proved it
    ("command vllm serve"), "" for unknown. `memory_ahead` is the share of the card's memory that
    the spec tells the program to take at start, 0 where the spec forbids it.
    `memory_ahead_setting` names the setting; with `memory_ahead` None it stands in the spec, but
    states no share that can be read. "" means that the spec says nothing, and the program's own
    default holds.
    """

    name: str
    evidence: str
    memory_ahead: float | None = None
    memory_ahead_setting: str = ""


UNKNOWN_RUNTIME: Final = Runtime(name="unknown", evidence="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gang:
    """Pods that must be placed together. `minimum` is at least 2; `system` is who sees to it."""

    system: str
    name: str
    minimum: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PodScheduling:
    """The parts of a pod's spec and status that are about its placement.

    `cause` is a fixed word for why no node fits, read from the scheduler's message ("" where there
    is none), `message` that message in at most 200 characters. `native_group` names a
    scheduling.k8s.io PodGroup (1.36 and newer); `native_workload` and `native_template` name a
    Workload and one of its pod groups (1.35). `gangs` are those that labels and annotations of the
    pod declare, most telling first. A `placeholder` holds cards for a pod that is still to come.
    """

    gates: tuple[str, ...] = ()
    cause: str = ""
    message: str = ""
    native_group: str = ""
    native_workload: str = ""
    native_template: str = ""
    gangs: tuple[Gang, ...] = ()
    placeholder: bool = False


NO_SCHEDULING: Final = PodScheduling()


@dataclass(frozen=True, slots=True, kw_only=True)
class PodAccess:
    """How a pod could reach cards beside its resources (facts/hami.md 6.3).

    `privileged` are its privileged containers, `host_devices` the hostPath volumes that show device
    files ("/dev", "/dev/nvidia0"). `runtime_class` is "" where the pod names none.
    """

    privileged: tuple[str, ...] = ()
    host_devices: tuple[str, ...] = ()
    host_pid: bool = False
    runtime_class: str = ""


NO_ACCESS: Final = PodAccess()
