"""The checks as a Prometheus with our rules has judged them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from gpuatlas.checks.hardware import HOW_TO_EXPORT
from gpuatlas.cli.alert_text import filled_in
from gpuatlas.cli.judged import (
    CHECK_LAYERS,
    Evidence,
    JudgedCheck,
    JudgedCluster,
    Occurrence,
    Verdict,
)
from gpuatlas.cli.screens.wording import natural
from gpuatlas.model.catalogue import Catalogue, CheckEntry, Layer, Severity
from gpuatlas.model.checks import CheckState, Finding, MissingInput
from gpuatlas.model.ruled import RuledAlert, RuledChecks, RuledCluster

_QUOTED: Final = 5  # records of one alert, as in the alerts' own texts
_NO_EXPORTER: Final = "run `gpuatlas serve` in the cluster and let this Prometheus scrape it"
_NO_DCGM: Final = "run it on the nodes with cards and let this Prometheus scrape it"
_NAMED: Final = ("node", "card", "namespace", "pod")
_SEVERITY: Final = "severity"
_ALERT: Final = "alertname"
# Labels that the screen shows elsewhere, and those of a card beside its UUID.
_KNOWN_LABELS: Final = frozenset(
    {"cluster", "check", "layer", "remedy", "node", "card", _SEVERITY, _ALERT}
    | {"Hostname", "hostname", "UUID", "gpu", "device", "pci_bus_id", "modelName"}
)


def judge_ruled(ruled: RuledChecks, catalogue: Catalogue, address: str) -> Verdict:
    """The verdict of every cluster that the server knows."""
    nodes = {node for each in ruled.clusters for _, node in each.nodes}
    nodes |= {alert.labels.get("node", "") for each in ruled.clusters for alert in each.alerts}
    return Verdict(
        at=ruled.at,
        clusters=tuple(_cluster(each, catalogue) for each in ruled.clusters),
        nodes=frozenset(nodes - {""}),
        address=address,
    )


def _cluster(ruled: RuledCluster, catalogue: Catalogue) -> JudgedCluster:
    alerts: dict[str, list[RuledAlert]] = {}
    for alert in ruled.alerts:
        alerts.setdefault(alert.labels["check"], []).append(alert)
    entries = [*catalogue.checks, *_foreign(alerts, catalogue)]
    return JudgedCluster(
        name=ruled.name,
        checks=tuple(
            _judged(entry, ruled, alerts.get(entry.id, []))
            for entry in entries
            if entry.layer in CHECK_LAYERS or entry.id in alerts
        ),
    )


def _foreign(alerts: Mapping[str, list[RuledAlert]], catalogue: Catalogue) -> Iterator[CheckEntry]:
    """Checks of somebody's own rules, or of rules newer than this program."""
    known = {entry.id for entry in catalogue.checks}
    for check, found in alerts.items():
        if check not in known:
            name = found[0].labels.get(_ALERT, "")
            yield CheckEntry(
                id=check, alert=name, layer=Layer.META, title=name, signals=(), runbook=""
            )


def _judged(entry: CheckEntry, ruled: RuledCluster, alerts: list[RuledAlert]) -> JudgedCheck:
    return JudgedCheck(
        entry=entry,
        sight=_sight(entry, ruled),
        occurrences=tuple(_occurrence(entry, alert, ruled) for alert in _gravest(alerts)),
        missing=tuple(map(_advised, (m for m in ruled.missing if m.check == entry.id))),
        nodes=tuple(
            (node, CheckState.OK if state is CheckState.FIRING else state)
            for (check, node), state in sorted(ruled.nodes.items(), key=lambda i: natural(i[0][1]))
            if check == entry.id
        ),
    )


def _sight(entry: CheckEntry, ruled: RuledCluster) -> CheckState:
    """Whether it can look. An alert beside the checks has no state but that it fires or not."""
    if entry.layer not in CHECK_LAYERS:
        return CheckState.OK
    state = ruled.states.get(entry.id, CheckState.UNKNOWN)
    if state is not CheckState.FIRING:
        return state
    return CheckState.UNKNOWN if entry.id in ruled.blind else CheckState.OK


def _advised(lack: MissingInput) -> MissingInput:
    """What to do, where the server has only the name of what is missing."""
    if lack.reason:
        return lack
    if lack.input.startswith("DCGM_"):
        return replace(lack, reason=HOW_TO_EXPORT)
    return replace(lack, reason=_NO_DCGM if lack.input == "dcgm-exporter" else _NO_EXPORTER)


def _gravest(alerts: Iterable[RuledAlert]) -> list[RuledAlert]:
    """Of alerts that differ in nothing but their severity the gravest that fires."""
    kept: dict[frozenset[tuple[str, str]], RuledAlert] = {}
    for alert in alerts:
        key = frozenset((k, v) for k, v in alert.labels.items() if k != _SEVERITY)
        kept[key] = min(kept.get(key, alert), alert, key=_rank)
    return sorted(kept.values(), key=_rank)


def _rank(alert: RuledAlert) -> tuple[bool, int]:
    return (not alert.firing, list(Severity).index(_severity(alert)))


def _severity(alert: RuledAlert) -> Severity:
    word = alert.labels.get(_SEVERITY, "")
    return Severity(word) if word in set(Severity) else Severity.WARNING


def _occurrence(entry: CheckEntry, alert: RuledAlert, ruled: RuledCluster) -> Occurrence:
    labels, texts = alert.labels, alert.texts
    signal = entry.signal(labels.get("signal", ""))
    return Occurrence(
        signal=labels.get("signal", ""),
        severity=_severity(alert),
        node=labels.get("node", ""),
        card=labels.get("card", ""),
        index=labels.get("gpu", ""),
        namespace=labels.get("namespace", ""),
        pod=labels.get("pod", ""),
        object=_object(labels),
        pods=tuple(_pods(texts.get("pods", ""))),
        evidence=tuple(_evidence(alert, ruled.findings)),
        cause=_text("cause", texts, signal.cause if signal is not None else "", labels),
        action=_text("action", texts, signal.action if signal is not None else "", labels),
        description=texts.get("description", ""),
        since=alert.since,
        pending=not alert.firing,
    )


def _text(name: str, texts: Mapping[str, str], template: str, labels: Mapping[str, str]) -> str:
    """The server's own words, which know what it measured; else the catalogue's."""
    return " ".join(texts[name].split()) if name in texts else filled_in(template, labels)


def _object(labels: Mapping[str, str]) -> str:
    """What has to be mended: the alerts of S17 say `source`, those of workloads their three."""
    if kind := labels.get("workload_kind", ""):
        return f"{kind}/{labels.get('namespace', '')}/{labels.get('workload', '')}"
    return labels.get("object") or labels.get("source", "")


def _pods(text: str) -> Iterator[str]:
    """The names in the annotation `pods`, in which sentences may stand as well."""
    for name in text.replace(",", " ").split():
        namespace, slash, pod = name.partition("/")
        if namespace and slash and pod and "/" not in pod:
            yield name


def _evidence(alert: RuledAlert, findings: Iterable[Finding]) -> Iterator[Evidence]:
    """The findings behind the alert; an alert on series has its own words or labels."""
    quoted = [Evidence(f.source, f.record) for f in findings if _is_behind(f, alert.labels)]
    if quoted:
        yield from quoted[:_QUOTED]
        return
    source = f"alert {alert.labels.get(_ALERT, '')}"
    told = alert.texts.get("description")
    yield Evidence(source, " ".join(told.split()) if told else _own_labels(alert.labels))


def _is_behind(finding: Finding, labels: Mapping[str, str]) -> bool:
    """Whether a finding is about the same: what both name is the same."""
    if (finding.check, finding.signal) != (labels.get("check"), labels.get("signal")):
        return False
    named = {name: getattr(finding, name) for name in _NAMED} | {"object": finding.object}
    told = {**labels, "object": _object(labels)}
    return all(not told.get(n) or not value or told[n] == value for n, value in named.items())


def _own_labels(labels: Mapping[str, str]) -> str:
    pairs = ",".join(f'{k}="{v}"' for k, v in sorted(labels.items()) if k not in _KNOWN_LABELS)
    return f"{labels.get(_ALERT, '')}{{{pairs}}}"
