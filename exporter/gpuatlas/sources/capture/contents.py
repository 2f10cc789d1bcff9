"""What a capture folder holds, in memory: raw objects, raw pages and the time. No I/O.

    DIR/objects/*.yaml                 Kubernetes objects or Lists of them, as kubectl prints them
    DIR/pages/<source>/<name>.prom     raw exposition
    DIR/pages/<source>/<name>.error    why there is no page, one line
    DIR/clock                          the time of the capture, RFC 3339

`<source>` is dcgm, hami-monitor or hami-scheduler. `<name>` is the node that the page is about, or
for a scheduler the pod that served it; a second page of the same node is `<node>_<pod>` (an
underscore is in no Kubernetes name). Every part may be missing. An empty objects file, named as
`gpuatlas capture` names that of a sharing layer's objects ("leases.coordination.k8s.io.yaml"), says
that they were looked for and that there are none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from gpuatlas.model.targets import DCGM, HAMI_MONITOR, HAMI_SCHEDULER
from gpuatlas.sources.errors import SourceError

OBJECTS: Final = "objects"
PAGES: Final = "pages"
CLOCK: Final = "clock"
PAGE_SUFFIX: Final = ".prom"
ERROR_SUFFIX: Final = ".error"
_DEFAULT_NAMESPACE: Final = "default"
PAGE_SOURCES: Final = (DCGM, HAMI_MONITOR, HAMI_SCHEDULER)


class CaptureError(SourceError):
    """A capture that cannot be read or written: which file, in it which line, and why."""

    reason: ClassVar[str] = "bad-capture"

    def __init__(self, file: str, problem: str, *, line: int | None = None) -> None:
        super().__init__(f"{file}: {problem}" if line is None else f"{file}:{line}: {problem}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RawObject:
    """One Kubernetes object as it was found. `where` is "objects/pods.yaml:12"."""

    body: Mapping[str, Any]
    where: str

    @property
    def api_group(self) -> str:
        """The group of `apiVersion`, "" for core."""
        version = self.body.get("apiVersion")
        return version.split("/")[0] if isinstance(version, str) and "/" in version else ""

    @property
    def kind(self) -> str:
        """Its `kind`, "" where it has none."""
        kind = self.body.get("kind")
        return kind if isinstance(kind, str) else ""

    @property
    def placed(self) -> Mapping[str, Any]:
        """The body with the namespace that kubectl would give it, where the file has none.

        For kinds that have namespaces.
        """
        metadata = self.body.get("metadata")
        if not isinstance(metadata, Mapping) or metadata.get("namespace"):
            return self.body
        return {**self.body, "metadata": {**metadata, "namespace": _DEFAULT_NAMESPACE}}


@dataclass(frozen=True, slots=True, kw_only=True)
class RawPage:
    """One exposition page as it was served. `name` is the file's name without its ending."""

    source: str
    name: str
    body: bytes

    @property
    def file(self) -> str:
        """Its path in the capture: how messages name it."""
        return f"{PAGES}/{self.source}/{self.name}{PAGE_SUFFIX}"

    @property
    def node(self) -> str:
        """The node in its name."""
        return self.name.split("_")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """An endpoint that gave no page, and why."""

    source: str
    name: str
    reason: str

    @property
    def node(self) -> str:
        """The node in its name."""
        return self.name.split("_")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One folder. `clock` is Unix seconds, None where the folder does not say.

    `absent` names kinds ("leases.coordination.k8s.io") that were read and of which there is none.
    """

    clock: float | None = None
    objects: tuple[RawObject, ...] = ()
    pages: tuple[RawPage, ...] = ()
    silences: tuple[Silence, ...] = ()
    absent: frozenset[str] = frozenset()
