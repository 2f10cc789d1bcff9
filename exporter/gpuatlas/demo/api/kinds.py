"""The resources that the simulated API serves: one row each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One resource. `group` is "" for the core group."""

    resource: str
    kind: str
    short: tuple[str, ...]
    group: str
    namespaced: bool
    version: str = "v1"

    @property
    def api_version(self) -> str:
        """As objects write it: "v1", "apps/v1"."""
        return f"{self.group}/{self.version}" if self.group else self.version


KINDS: Final = (
    Kind(resource="nodes", kind="Node", short=("no",), group="", namespaced=False),
    Kind(resource="pods", kind="Pod", short=("po",), group="", namespaced=True),
    Kind(resource="replicasets", kind="ReplicaSet", short=("rs",), group="apps", namespaced=True),
    Kind(resource="jobs", kind="Job", short=(), group="batch", namespaced=True),
)


def find_kind(group: str, version: str, resource: str) -> Kind | None:
    """The row of a resource, or None when it is not served."""
    for kind in KINDS:
        if (kind.group, kind.version, kind.resource) == (group, version, resource):
            return kind
    return None
