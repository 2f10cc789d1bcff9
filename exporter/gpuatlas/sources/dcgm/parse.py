"""Samples of dcgm-exporter → `DcgmPage`. Pure; raises nothing: bad series become rejections."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from gpuatlas.model.pages import DcgmPage, Sample, Tenant
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.targets import DCGM
from gpuatlas.model.units import MAX_CARDS_PER_NODE
from gpuatlas.sources.dcgm.assemble import CONFLICTING_VALUES, CardDraft, Series, assemble
from gpuatlas.sources.dcgm.fields import FIELD_OF_METRIC
from gpuatlas.sources.dcgm.labels import (
    card_of,
    host_of,
    instance_of,
    renamed_by_prometheus,
    tenant_of,
)
from gpuatlas.sources.dcgm.repeats import without_repeats
from gpuatlas.sources.exposition import ReasonTally

# Fixed words: they become a metric label.
MISSING_UUID: Final = "missing-uuid"
BAD_INSTANCE: Final = "bad-instance"
TOO_MANY_CARDS: Final = "too-many-cards"
NOT_A_NUMBER: Final = "not-a-number"
OUT_OF_RANGE: Final = "out-of-range"
REASONS: Final = frozenset(
    {MISSING_UUID, BAD_INSTANCE, TOO_MANY_CARDS, NOT_A_NUMBER, OUT_OF_RANGE, CONFLICTING_VALUES}
)


def read_page(samples: Iterable[Sample], *, target: str, node: str, at: float) -> DcgmPage:
    """One exporter's page.

    Args:
        samples: of one scrape; metrics that we do not know are skipped.
        target: names the page in messages.
        node: that the exporter is known to serve, "" where only the page's labels can tell.
        at: the instant of the scrape in Unix seconds.

    A card is on the page as soon as one series names it, even when all its values are refused.
    """
    kept = list(samples)
    page = _Page(kept, ReasonTally(DCGM, f"dcgm page of {target}"))
    for sample in kept:
        page.read(sample)
    cards = {card: assemble(draft, page.refused) for card, draft in page.drafts.items()}
    return DcgmPage(
        target=target, node=node, at=at, cards=cards, rejections=page.refused.rejections()
    )


def read_cluster(samples: Iterable[Sample], *, target: str, at: float) -> tuple[DcgmPage, ...]:
    """Samples of many exporters as a Prometheus has them → one page for each.

    An exporter is told by the labels `instance` (of the scrape) and `Hostname`, `hostname` or else
    `node`. A page's node is the label `node` where all its series agree on one: it comes from
    the scrape, and no tenant may split a page with a label of its pod. `Hostname` is left to
    `CardReading.host`, since it can name the exporter's pod (facts/errata.md, DCGM).
    """
    groups: dict[tuple[str, str], list[Sample]] = {}
    for sample in samples:
        labels = sample.labels
        key = (labels.get("instance", ""), host_of(labels) or labels.get("node", ""))
        groups.setdefault(key, []).append(sample)
    pages = [
        read_page(
            group,
            target=f"{host or instance or 'unnamed exporter'} by {target}",
            node=_common_node(group),
            at=at,
        )
        for (instance, host), group in groups.items()
    ]
    return without_repeats(pages)


def _common_node(samples: Sequence[Sample]) -> str:
    nodes = {sample.labels.get("node", "") for sample in samples}
    return nodes.pop() if len(nodes) == 1 else ""


class _Subject(NamedTuple):
    """Whom a label set speaks of."""

    draft: CardDraft
    instance: str
    tenant: Tenant | None


class _Page:
    """The state of one read."""

    def __init__(self, samples: Sequence[Sample], refused: ReasonTally) -> None:
        self.drafts: dict[str, CardDraft] = {}
        self.refused = refused
        self._renamed = renamed_by_prometheus(samples)
        # The text reader gives samples with equal labels the same mapping, so each label set of a
        # page is looked at once. Keyed by identity: the caller holds the samples meanwhile.
        self._subjects: dict[int, _Subject | MalformedError] = {}

    def read(self, sample: Sample) -> None:
        spelled = FIELD_OF_METRIC.get(sample.name)
        if spelled is None:
            return
        subject = self._subject(sample.labels)
        if isinstance(subject, MalformedError):
            self.refused.add(subject.reason, str(subject))
            return
        if spelled.zero_is_absent and sample.value == 0:
            return
        value = spelled.reading(sample.value, sample.name)
        if value is None:
            reason = OUT_OF_RANGE if math.isfinite(sample.value) else NOT_A_NUMBER
            self.refused.add(reason, f"{subject.draft.card}: {sample.name} is {sample.value:.17g}")
            return
        series = Series(sample.name, subject.instance, subject.tenant, value)
        subject.draft.add(spelled.name, series)

    def _subject(self, labels: Mapping[str, str]) -> _Subject | MalformedError:
        known = self._subjects.get(id(labels))
        if known is None:
            try:
                known = self._look_at(labels)
            except MalformedError as error:
                known = error
            self._subjects[id(labels)] = known
        return known

    def _look_at(self, labels: Mapping[str, str]) -> _Subject:
        card, instance = card_of(labels), instance_of(labels)
        if not card:
            raise MalformedError(MISSING_UUID, "a series has no usable label UUID or uuid")
        if instance is None:
            raise MalformedError(BAD_INSTANCE, f"{card}: GPU_I_ID is no instance number")
        draft = self.drafts.get(card)
        if draft is None:
            if len(self.drafts) >= MAX_CARDS_PER_NODE:
                message = f"more than {MAX_CARDS_PER_NODE} cards on one page, {card} and others"
                raise MalformedError(TOO_MANY_CARDS, message)
            draft = self.drafts[card] = CardDraft(card=card, first=labels)
        tenant = tenant_of(labels, renamed=self._renamed)
        draft.see(labels, instance, tenant)
        return _Subject(draft, instance, tenant)
