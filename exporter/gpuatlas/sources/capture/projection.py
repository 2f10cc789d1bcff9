"""From a capture to observations, through the projection and the parsers of a live cluster. Pure.

Two things are added that only files need: pods without a namespace are in `default`, as kubectl has
it, and a page about a node that no object describes brings a bare node, so that a lone page shows
its cards.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from gpuatlas.model.objects import Node, Pod, bare_node
from gpuatlas.model.observations import Observations
from gpuatlas.model.pages import DcgmPage, MonitorPage
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.status import SourceStatus
from gpuatlas.model.targets import HAMI_SCHEDULER
from gpuatlas.sources.capture.contents import Capture, RawObject, RawPage, Silence
from gpuatlas.sources.capture.layer import LAYER_KINDS, LayerPart, find_layer, read_layer
from gpuatlas.sources.capture.parsing import parse_page
from gpuatlas.sources.capture.trimming import KIND_OF_TYPE
from gpuatlas.sources.errors import BadAnswerError
from gpuatlas.sources.kubernetes.discovery import find_targets
from gpuatlas.sources.kubernetes.kind import Kind
from gpuatlas.sources.kubernetes.kinds import KINDS, PODS
from gpuatlas.sources.kubernetes.parts import put_together
from gpuatlas.sources.scrape.readers import Page
from gpuatlas.sources.scrape.round import Outcome, SourceRecord, build_round

_NO_PODS: Final = "the capture holds no pods"
_NO_CLAIMS: Final = "the capture holds no ResourceClaims, and pods use some"
_CLAIMS: Final = KIND_OF_TYPE["resource.k8s.io", "ResourceClaim"]
_NO_PAGE: Final = "the capture holds no page of it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """What a capture says. `remarks` are one-line notes for a person about what was passed over."""

    observations: Observations
    statuses: tuple[SourceStatus, ...]
    remarks: tuple[str, ...]


@dataclass(slots=True)
class _Objects:
    """The projected objects by kind, and the books of what was not taken."""

    values: dict[str, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))
    rejected: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    remarks: list[str] = field(default_factory=list)


def project_capture(capture: Capture, *, now: float) -> Captured:
    """The observations of a capture; `now` (Unix seconds) stands in where it names no time."""
    at = now if capture.clock is None else capture.clock
    layer = find_layer(capture.objects)
    objects = _project(capture.objects, layer)
    found = put_together(objects.values)
    nodes, pods = dict(found.nodes), found.pods
    outcomes = list(_outcomes(capture, pods, nodes, at))
    pages = [outcome.page for outcome in outcomes if outcome.page is not None]
    nodes |= _bare_nodes(pages, nodes, pods)
    scraped = build_round(outcomes, _records(outcomes, at))
    unread = {} if pods else {(PODS.source, ""): _NO_PODS}
    # Nobody may have been allowed to read them: the devices are then not free.
    used = any(pod.claims or pod.extended_claim for pod in pods.values())
    if used and found.slices and not found.claims:
        unread[_CLAIMS.source, ""] = _NO_CLAIMS
    observations = Observations(
        now=at,
        nodes=nodes,
        pods=pods,
        owners=found.owners,
        dcgm=scraped.dcgm,
        monitors=scraped.monitors,
        schedulers=scraped.schedulers,
        slices=found.slices,
        claims=found.claims,
        placement=found.placement,
        layer=read_layer(capture, layer, nodes, pods, at=at),
        silent={**scraped.silent, **unread},
    )
    return Captured(
        observations=observations,
        statuses=(*_object_statuses(objects, layer, at), *scraped.statuses),
        remarks=tuple(objects.remarks),
    )


def _project(raw_objects: Iterable[RawObject], layer: LayerPart) -> _Objects:
    objects = _Objects()
    strangers: Counter[str] = Counter()
    of_layer = layer.ids
    for raw in raw_objects:
        kind = KIND_OF_TYPE.get((raw.api_group, raw.kind))
        if kind is not None:
            _take(objects, kind, raw)
        elif id(raw) not in of_layer:
            strangers[raw.kind or "without kind"] += 1
    objects.remarks += [f"{r.where}: left out: {r.message}" for r in layer.said.rejections]
    objects.remarks += [f"{n} of kind {name} not read" for name, n in sorted(strangers.items())]
    return objects


def _take(objects: _Objects, kind: Kind[object], raw: RawObject) -> None:
    body = raw.placed if kind.namespaced else raw.body
    key = kind.key(body)
    try:
        value = kind.project(body)
    except MalformedError as error:
        objects.rejected[kind.id][error.reason] += 1
        objects.remarks.append(f"{raw.where}: left out: {error}")
        return
    if key in objects.values[kind.id]:
        objects.remarks.append(f"{raw.where}: left out: {kind.kind} {key} was there before")
    elif value is not None:
        objects.values[kind.id][key] = value


def _bare_nodes(
    pages: Iterable[Page],
    nodes: Mapping[str, Node],
    pods: Mapping[str, Pod],
) -> dict[str, Node]:
    """Nodes that only pages know. A host label may be a pod's name (facts/errata.md): no node."""
    registered = {
        device.card
        for node in nodes.values()
        for registration in node.registrations
        for device in registration.devices
    }
    known = {*nodes, *(pod.name for pod in pods.values())}
    named = {n for page in pages for n, card in _named_nodes(page) if card not in registered}
    return {name: bare_node(name, source="page") for name in sorted(named - known) if name}


def _named_nodes(page: Page) -> Iterator[tuple[str, str]]:
    """(node, card) of all cards that the page speaks of."""
    if isinstance(page, DcgmPage):
        yield from ((page.node or card.host, card.card) for card in page.cards.values())
    elif isinstance(page, MonitorPage):
        yield from ((page.node, card) for card in page.hosts)
    else:
        yield from page.devices


def _outcomes(
    capture: Capture, pods: Mapping[str, Pod], nodes: Mapping[str, Node], at: float
) -> Iterator[Outcome]:
    """How each endpoint fared: its page, the recorded failure, or that the folder has neither."""
    spoken: set[tuple[str, str]] = set()
    known = frozenset(nodes)
    for raw in capture.pages:
        spoken.add((raw.source, raw.node))
        try:
            page = parse_page(raw, known_nodes=known, at=at)
        except BadAnswerError as error:
            yield _outcome(raw, None, str(error))
        else:
            yield _outcome(raw, page, "")
    for silence in capture.silences:
        spoken.add((silence.source, silence.node))
        yield _outcome(silence, None, silence.reason)
    for target in find_targets(pods.values(), nodes):
        if target.node and (target.source, target.node) not in spoken:
            yield Outcome(
                source=target.source,
                node=target.node,
                name=target.name,
                page=None,
                error=_NO_PAGE,
            )


def _outcome(about: RawPage | Silence, page: Page | None, error: str) -> Outcome:
    node = "" if about.source == HAMI_SCHEDULER else about.node
    return Outcome(source=about.source, node=node, name=about.name, page=page, error=error)


def _records(outcomes: Iterable[Outcome], at: float) -> dict[str, SourceRecord]:
    refused: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        if outcome.page is not None:
            books = refused.setdefault(outcome.source, Counter())
            for rejection in outcome.page.rejections:
                books[rejection.reason] += rejection.count
    return {
        source: SourceRecord(last_success_at=at, rejected=books)
        for source, books in refused.items()
    }


def _object_statuses(objects: _Objects, layer: LayerPart, at: float) -> Iterator[SourceStatus]:
    """One for each kind that every cluster is asked for, and for others of which there are some."""
    found = {kind.source: bool(objects.values[kind.id]) for kind in KINDS}
    refused = {kind.source: objects.rejected[kind.id] for kind in KINDS}
    needed = {kind.source for kind in KINDS if not kind.discovered}
    for ask in LAYER_KINDS.values():
        found[ask.source] = found.get(ask.source, False) or ask.qualified in layer.kinds
        refused.setdefault(ask.source, Counter())
    for rejection in layer.said.rejections:
        refused[rejection.source][rejection.reason] += rejection.count
    for source, is_found in found.items():
        if source in needed or is_found or refused[source]:
            yield SourceStatus(
                source=source,
                up=True if is_found else None,
                last_success_at=at if is_found else None,
                read_seconds=None,
                error="",
                targets={},
                rejected=dict(refused[source]),
            )
