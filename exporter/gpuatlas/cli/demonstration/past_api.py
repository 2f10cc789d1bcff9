"""The simulator's documents of one instant, answering as its API server does, without a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpuatlas.demo.api.kinds import KINDS as SIMULATED_KINDS
from gpuatlas.demo.api.kinds import Kind as SimulatedKind
from gpuatlas.demo.api.routes import ObjectsRoute, read_route, split_path
from gpuatlas.demo.api.selectors import Requirement, read_selector
from gpuatlas.demo.wire.kubernetes import Documents
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.status import SourceStatus
from gpuatlas.sources.errors import NotFoundError
from gpuatlas.sources.kubernetes.kind import Kind
from gpuatlas.sources.kubernetes.kinds import KINDS
from gpuatlas.sources.kubernetes.served import Served
from gpuatlas.sources.kubernetes.survey import SOURCE as DISCOVERY

_Raw = Mapping[str, Any]


class PastLists:
    """Lists and single objects, as `sources.kubernetes.pages.Lists` asks for them."""

    address: Final = "the simulated API server"

    def __init__(self) -> None:
        self.documents: Documents = {}

    def get(
        self, path: str, query: Mapping[str, str] | None = None, *, accept: str = ""
    ) -> dict[str, object]:
        """One object or one list. Raises NotFoundError."""
        route = read_route(split_path(path))
        if not isinstance(route, ObjectsRoute):
            raise NotFoundError(path)
        selector = read_selector((query or {}).get("labelSelector", ""))
        found = list(self._found(route, selector))
        if not route.name:
            return {"items": found, "metadata": {}}
        if not found:
            message = f"{path} does not exist"
            raise NotFoundError(message)
        return dict(found[0])

    def _found(self, route: ObjectsRoute, selector: tuple[Requirement, ...]) -> Iterator[_Raw]:
        for document in self.documents.get(route.kind.key, ()):
            metadata = document["metadata"]
            if (
                route.namespace in {"", metadata.get("namespace", "")}
                and route.name in {"", metadata["name"]}
                and all(part.holds(metadata.get("labels", {})) for part in selector)
            ):
                yield document


class PastObjects:
    """Objects of all kinds that are served; one that is as it was is not read again."""

    def __init__(self) -> None:
        self._kinds = tuple(_served())
        self._known: dict[tuple[str, str], tuple[_Raw, object]] = {}

    def read(self, documents: Documents) -> dict[str, dict[str, Any]]:
        """By kind (`Kind.id`) and key."""
        known: dict[tuple[str, str], tuple[_Raw, object]] = {}
        found: dict[str, dict[str, Any]] = {}
        for kind, resource in self._kinds:
            values = found.setdefault(kind.id, {})
            for raw in documents.get(resource, ()):
                name = kind.key(raw)
                before = self._known.get((kind.id, name))
                same = before is not None and before[0] == raw
                value = before[1] if before and same else _projected(kind, raw)
                known[kind.id, name] = (raw, value)
                if value is not None:
                    values[name] = value
        self._known = known
        return found

    def statuses(self, at: float) -> Iterator[SourceStatus]:
        """Each kind, and the discovery of what is served, could be read at the instant `at`."""
        for source in (DISCOVERY, *(kind.source for kind, _ in self._kinds)):
            yield SourceStatus(
                source=source,
                up=True,
                last_success_at=at,
                read_seconds=None,
                error="",
                targets={},
                rejected={},
            )


def _projected(kind: Kind[Any], raw: _Raw) -> object:
    try:
        return kind.project(raw)
    except MalformedError:
        return None


def _served() -> Iterator[tuple[Kind[Any], str]]:
    """The readers' kinds that the simulator serves, with its own name for each."""
    simulated = {_qualified(kind): kind for kind in SIMULATED_KINDS}
    served = Served(versions={name: (kind.version,) for name, kind in simulated.items()})
    for kind in KINDS:
        readable = served.readable(kind)
        if readable is not None:
            yield readable, simulated[kind.qualified].key


def _qualified(kind: SimulatedKind) -> str:
    return f"{kind.resource}.{kind.group}" if kind.group else kind.resource
