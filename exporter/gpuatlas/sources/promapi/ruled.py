"""Reads what our rules have made of the checks: states, alerts, findings, missing inputs.

`recording_rules/check.yaml` and `alerts/*.yaml` must be loaded into the server; where they are not,
there is no cluster in the answer. `ruled_clusters` is pure.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.model.catalogue import Layer
from gpuatlas.model.checks import CheckState, Finding, MissingInput
from gpuatlas.model.ruled import RuledAlert, RuledChecks, RuledCluster
from gpuatlas.model.units import clean_text
from gpuatlas.sources.errors import SourceError
from gpuatlas.sources.promapi.client import METRIC_NAME, Point, PrometheusClient
from gpuatlas.sources.promapi.settings import PrometheusSettings

logger = logging.getLogger(__name__)

STATE: Final = "check:gpuatlas_check_state:max"
NODE_STATE: Final = "node:gpuatlas_check_state:max"
BLIND: Final = "check:gpuatlas_check_blind:group"
MISSING: Final = "check:gpuatlas_missing_input:group"
MISSING_INFO: Final = "gpuatlas_check_missing_input_info"
FINDING: Final = "gpuatlas_finding_info"
ALERTS: Final = "ALERTS"
SINCE: Final = "ALERTS_FOR_STATE"
_RECORDED: Final = (STATE, NODE_STATE, BLIND, MISSING, MISSING_INFO, FINDING)
_STATE_LABEL: Final = "alertstate"
_STATES: Final = frozenset(map(str, CheckState))
_TEMPLATE: Final = "{{"
_OURS: Final = "|".join(Layer)

Labels = frozenset[tuple[str, str]]


def read_ruled(settings: PrometheusSettings) -> RuledChecks:
    """All clusters of one server, or those that the settings' matchers leave.

    Raises:
        SourceError: the server cannot be asked.
    """
    client = PrometheusClient(settings)
    recorded, warned = client.instant(_RECORDED)
    alerts, warned_too = client.instant((ALERTS, SINCE), patterns={"layer": _OURS})
    points = [*recorded, *alerts]
    return RuledChecks(
        at=max((point.at for point in points), default=0.0),
        clusters=ruled_clusters(points, _texts(client) if alerts else {}),
        warnings=tuple(dict.fromkeys((*warned, *warned_too))),
    )


def _texts(client: PrometheusClient) -> dict[Labels, Mapping[str, str]]:
    """The alerts' own words, by their labels; servers that evaluate no rules have none."""
    try:
        active = client.active_alerts()
    except SourceError as error:
        logger.info("no texts of alerts: %s", error)
        return {}
    return {frozenset(alert.labels.items()): alert.annotations for alert in active}


def ruled_clusters(
    points: Iterable[Point], texts: Mapping[Labels, Mapping[str, str]]
) -> tuple[RuledCluster, ...]:
    """The clusters that the series speak of. A series in a shape that we do not know is left out.

    Args:
        points: of the metrics that are named above, of any cluster.
        texts: annotations by the labels of their alert.
    """
    drafts: dict[str, _Draft] = defaultdict(_Draft)
    for point in points:
        drafts[point.labels.get("cluster", "")].take(point)
    return tuple(
        drafts[name].cluster(name, texts) for name in sorted(drafts) if drafts[name].is_ruled
    )


@dataclass(slots=True)
class _Draft:
    """What was seen of one cluster so far."""

    states: dict[str, CheckState] = field(default_factory=dict)
    nodes: dict[tuple[str, str], CheckState] = field(default_factory=dict)
    alerts: dict[Labels, bool] = field(default_factory=dict)
    since: dict[Labels, float] = field(default_factory=dict)
    # Several exporters may say the same.
    findings: dict[Finding, None] = field(default_factory=dict)
    inputs: dict[tuple[str, str], None] = field(default_factory=dict)
    reasons: dict[MissingInput, None] = field(default_factory=dict)
    blind: set[str] = field(default_factory=set)

    @property
    def is_ruled(self) -> bool:
        """Whether our rules speak of this cluster; findings alone come from the exporter."""
        return bool(self.states or self.alerts)

    def take(self, point: Point) -> None:
        point = point._replace(labels=_expanded(point.labels))
        labels, name = point.labels, point.labels.get(METRIC_NAME, "")
        check = labels.get("check", "")
        if not check:
            return
        if name in {STATE, NODE_STATE}:
            self._take_state(name, check, point)
        elif name in {ALERTS, SINCE}:
            self._take_alert(name, point)
        elif name == BLIND:
            self.blind.add(check)
        elif name == MISSING:
            self.inputs[check, labels.get("input", "")] = None
        elif name == MISSING_INFO:
            self.reasons[_missing(labels)] = None
        elif name == FINDING:
            self.findings[_finding(labels)] = None

    def _take_state(self, name: str, check: str, point: Point) -> None:
        word = point.labels.get("state", "")
        if point.value != 1 or word not in _STATES:
            return
        node = point.labels.get("node", "")
        if name == STATE:
            self.states[check] = CheckState(word)
        elif node:
            self.nodes[check, node] = CheckState(word)

    def _take_alert(self, name: str, point: Point) -> None:
        labels = dict(point.labels)
        del labels[METRIC_NAME]
        state = labels.pop(_STATE_LABEL, "")
        key = frozenset(labels.items())
        if name == SINCE:
            self.since[key] = point.value
        elif state in {"firing", "pending"}:
            self.alerts[key] = self.alerts.get(key, False) or state == "firing"

    def cluster(self, name: str, texts: Mapping[Labels, Mapping[str, str]]) -> RuledCluster:
        return RuledCluster(
            name=name,
            states=self.states,
            nodes=self.nodes,
            alerts=tuple(
                RuledAlert(
                    labels=dict(sorted(key)),
                    firing=firing,
                    since=self.since.get(key),
                    texts=texts.get(key, {}),
                )
                for key, firing in sorted(self.alerts.items(), key=lambda item: sorted(item[0]))
            ),
            findings=tuple(self.findings),
            missing=tuple(self._missing()),
            blind=frozenset(self.blind),
        )

    def _missing(self) -> Iterator[MissingInput]:
        """With the exporter's reasons where it gives any, else by their name alone."""
        yield from self.reasons
        told = {(lack.check, lack.input) for lack in self.reasons}
        for check, name in self.inputs:
            if (check, name) not in told:
                yield MissingInput(check=check, input=clean_text(name), reason="")


def _expanded(labels: Mapping[str, str]) -> dict[str, str]:
    """The labels without those that are empty.

    Where a rule's template for a label comes out empty, ALERTS has the template itself: Prometheus
    lays an alert's labels over those of its rule, and an empty one is none.
    """
    return {name: text for name, text in labels.items() if not text.startswith(_TEMPLATE)}


def _missing(labels: Mapping[str, str]) -> MissingInput:
    return MissingInput(
        check=labels["check"],
        input=clean_text(labels.get("input", "")),
        reason=clean_text(labels.get("reason", "")),
        node=labels.get("node", ""),
    )


def _finding(labels: Mapping[str, str]) -> Finding:
    def text(name: str) -> str:
        return clean_text(labels.get(name, ""))

    return Finding(
        check=labels["check"],
        signal=text("signal"),
        object=text("object"),
        source=text("source"),
        record=text("record"),
        node=text("node"),
        card=text("card"),
        namespace=text("namespace"),
        pod=text("pod"),
    )
