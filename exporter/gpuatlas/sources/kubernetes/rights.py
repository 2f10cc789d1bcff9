"""The rights that a look at a cluster needs: what the sources declare, of what it serves. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from gpuatlas.model.doctor import Purpose, Right
from gpuatlas.sources.kubernetes.kind import Kind, Part
from gpuatlas.sources.kubernetes.kinds import KINDS
from gpuatlas.sources.kubernetes.served import Served
from gpuatlas.sources.layer.asks import ASKS

_PURPOSES: Final[Mapping[Part, Purpose]] = {
    Part.NODES: Purpose.CARDS,
    Part.PODS: Purpose.CARDS,
    Part.OWNERS: Purpose.OWNERS,
    Part.SLICES: Purpose.CLAIMS,
    Part.CLAIMS: Purpose.CLAIMS,
}
_GET: Final = "get"
PROXY: Final = Right(
    group="", resource="pods/proxy", verb=_GET, purpose=Purpose.PAGES, source="pages"
)


def needed(served: Served | None, homes: Collection[str], *, proxied: bool) -> tuple[Right, ...]:
    """The rights, in the order of the tables. Nobody was asked yet.

    Args:
        served: what the server serves; None: unknown, and then no kind is asked for that it may
            lack.
        homes: namespaces in which a sharing layer was found. What is got by name is got there.
        proxied: pages are read through the pod proxy.
    """
    kinds = [right for kind in KINDS if _is_read(kind, served) for right in _of_kind(kind)]
    return (*kinds, *_of_layer(homes), *((PROXY,) if proxied else ()))


def _is_read(kind: Kind[object], served: Served | None) -> bool:
    return not kind.discovered or (served is not None and served.readable(kind) is not None)


def _of_kind(kind: Kind[object]) -> Iterator[Right]:
    for verb in kind.verbs:
        yield Right(
            group=kind.api_group,
            resource=kind.name,
            verb=verb,
            purpose=_PURPOSES.get(kind.part, Purpose.PLACEMENT),
            source=kind.source,
            required=kind.required,
        )


def _of_layer(homes: Iterable[str]) -> Iterator[Right]:
    for ask in ASKS:
        for namespace in sorted(homes) if ask.verb == _GET else ("",):
            yield Right(
                group=ask.api_group,
                resource=ask.resource,
                verb=ask.verb,
                purpose=Purpose.NAMED if ask.verb == _GET else Purpose.LAYER,
                source=ask.source,
                namespace=namespace,
            )
