"""What a scenario says of software beside the cluster: installations of HAMi, and a licence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HamiRelease:
    """One installation of HAMi. `version` is its image tag, "v2.9.0"."""

    release: str
    namespace: str
    version: str

    @property
    def numbers(self) -> tuple[int, ...]:
        """The version for comparisons: (2, 9, 0)."""
        return tuple(int(part) for part in self.version.removeprefix("v").split("."))

    @property
    def fullname(self) -> str:
        """What the names of its objects begin with (facts/hami.md 0)."""
        return self.release if "hami" in self.release else f"{self.release}-hami"

    @property
    def scheduler_name(self) -> str:
        """The `schedulerName` of the pods that it places, and its Deployment, Service and Lease."""
        return f"{self.fullname}-scheduler"

    @property
    def plugin_name(self) -> str:
        """Its device plugin's DaemonSet, and the ConfigMap of the nodes."""
        return f"{self.fullname}-device-plugin"


@dataclass(frozen=True, slots=True, kw_only=True)
class LicenceSpec:
    """The ConfigMap in which a commercial sharing layer's licence is written down."""

    namespace: str
    name: str
