"""How one pod differs from what its workload and its layer would make of it. Faults set it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviations:
    """Nothing here is set on a healthy pod. Memory is in MiB, times are Unix seconds.

    `scheduler` stands in place of the one that places pods of this kind, and `promised` is False
    where that one's layer has written nothing on the pod. `promised_mib` and `promised_card` stand
    in place of what the workload asked and of the card that the pod is on. `limit_mib` is the limit
    that the layer's library keeps (0: none), and with `counted` False it counts nothing. With
    `surging` it takes all the compute that it can get, now and then, whatever its limit. `restarts`
    is how often the container on the cards was started again, the last time at `restarted_at`.
    """

    env: tuple[tuple[str, str], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    runtime_class: str = ""
    privileged: bool = False
    host_path: str = ""
    scheduler: str = ""
    promised: bool = True
    promised_mib: int | None = None
    promised_card: str = ""
    limit_mib: int | None = None
    counted: bool = True
    surging: bool = False
    bind_phase: str = ""
    bound_at: float | None = None
    reason: str = ""
    message: str = ""
    deleted_at: float | None = None
    restarts: int = 0
    restarted_at: float = 0.0


NONE = Deviations()
