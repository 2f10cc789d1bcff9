"""Reads what a Prometheus knows of our installation: what it scrapes, which rules it has.

Each question that brings no answer is noted and costs itself only.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

import orjson
import requests

from gpuatlas.model.doctor import (
    DcgmSeries,
    LoadedRule,
    PrometheusFacts,
    Scraped,
    SourceSight,
)
from gpuatlas.model.units import clean_text
from gpuatlas.sources.errors import BadAnswerError, SourceError
from gpuatlas.sources.promapi.client import METRIC_NAME, PrometheusClient, selector
from gpuatlas.sources.promapi.expressions import ExpressionReader
from gpuatlas.sources.promapi.questions import Questions
from gpuatlas.sources.promapi.settings import PrometheusSettings

T = TypeVar("T")
Labels = Mapping[str, str]

_BUILD: Final = "gpuatlas_build_info"
# Where a scrape that renames shows: series that carry labels of other pods and nodes.
_LABELLED: Final = ("gpuatlas_card_info", "gpuatlas_allocation_info", "gpuatlas_pod_workload_info")
_HELD: Final = "gpuatlas_allocation_info"
_RENAMED: Final = ("exported_namespace", "exported_node", "exported_pod")
# As in recording_rules/normalise.yaml: fields that every exporter has.
_DCGM: Final = ("DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_FB_USED")
_NODE_LABELS: Final = ("Hostname", "hostname", "node")
_EXPORTER: Final = "dcgm"  # in the names of dcgm-exporter's own pods
_UP: Final = "up"  # one of each target, whatever it is
_SOURCE_UP: Final = "gpuatlas_source_up"
_MISSING: Final = "check:gpuatlas_missing_input:group"
# Recorded for each cluster as long as the daily rules run there.
_DAILY: Final = "cluster:gpuatlas_watched:ratio1d"
_DAY: Final = 86_400.0
_LOOKED_BACK_DAYS: Final = 30
# No server holds more series; sums of what one makes up need not even be finite.
_MOST: Final = 10**12
_BAD_HEALTH: Final = "err"
_LONGEST_ERROR: Final = 300


def read_installation(
    settings: PrometheusSettings,
    recordings: Collection[str],
    *,
    now: float,
    monotonic: Callable[[], float] = time.monotonic,
) -> PrometheusFacts:
    """What the server knows, with `error` where it cannot be asked at all.

    Args:
        settings: where it is.
        recordings: series to look for.
        now: Unix seconds.
        monotonic: for the time that all questions may take together.
    """
    reader = _Reader(settings)
    try:
        reader.vector("vector(1)")
    except SourceError as error:
        return PrometheusFacts(address=reader.address, error=str(error))
    questions = Questions(settings.round_timeout, monotonic)
    facts = PrometheusFacts(
        address=reader.address,
        matchers={name: clean_text(value) for name, value in settings.matchers.items()},
        version=questions.ask("version", reader.version) or "",
        exporters=questions.ask("exporters", reader.exporters),
        gone=questions.ask("gone", reader.gone) or (),
        renamed=questions.ask("renamed", reader.renamed),
        holders=questions.ask("holders", reader.holders),
        dcgm=questions.ask("dcgm", reader.dcgm),
        rules=questions.ask("rules", reader.rules),
        recorded=questions.ask("recorded", lambda: reader.recorded(recordings)),
        history_days=questions.ask("history_days", lambda: reader.history_days(now)),
        alertmanagers=questions.ask("alertmanagers", reader.alertmanagers),
        sources=questions.ask("sources", reader.sources),
        blind=questions.ask("blind", reader.blind),
        unread=questions.unread,
    )
    of_dcgm = facts.dcgm is not None and facts.dcgm.series > 0
    if not facts.matchers or of_dcgm or facts.exporters or facts.gone or facts.recorded:
        return facts
    return replace(facts, labelled=questions.ask("labelled", reader.labelled))


class _Reader(PrometheusClient):
    """The questions. Each raises `SourceError`."""

    def __init__(self, settings: PrometheusSettings) -> None:
        super().__init__(settings)
        self._own = settings
        self._past = ExpressionReader(settings)

    def vector(self, expression: str) -> list[tuple[Labels, float]]:
        """What an expression gives now."""
        return list(_vector(self._ask(expression), self.address))

    def version(self) -> str:
        """The release; "" for another program, since these number themselves otherwise."""
        data = self._data("/api/v1/status/buildinfo")
        told = isinstance(data, dict) and data.get("revision") and not data.get("application")
        return clean_text(str(data.get("version", ""))) if told else ""

    def exporters(self) -> tuple[Scraped, ...]:
        """Those that are scraped now."""
        by = "job, instance, namespace, pod, version"
        found = self.vector(f"group by ({by}) ({self._select(_BUILD)})")
        names = ("job", "instance", "namespace", "pod", "version")
        every = [Scraped(**{n: labels.get(n, "") for n in names}) for labels, _ in found]
        return tuple(sorted(every, key=lambda one: (one.job, one.instance)))

    def gone(self) -> tuple[str, ...]:
        """The jobs of those that were scraped within a day."""
        found = self.vector(f"group by (job) (last_over_time({self._select(_BUILD)}[1d]))")
        return tuple(sorted(labels.get("job", "") for labels, _ in found))

    def renamed(self) -> dict[str, tuple[str, ...]]:
        """By job, the labels that Prometheus moved away for its own."""
        jobs: dict[str, list[str]] = {}
        for label in _RENAMED:
            chosen = self._select(*_LABELLED, more=f'{label}!=""')
            for labels, _ in self.vector(f"count by (job) ({chosen})"):
                jobs.setdefault(labels.get("job", ""), []).append(label)
        return {job: tuple(names) for job, names in jobs.items()}

    def holders(self) -> frozenset[tuple[str, str]]:
        """Namespace and name of the pods on cards, as the labels have them."""
        found = self.vector(f"group by (namespace, pod) ({self._select(_HELD)})")
        return frozenset((row.get("namespace", ""), row.get("pod", "")) for row, _ in found)

    def dcgm(self) -> DcgmSeries:
        """DCGM's series, counted."""
        nodeless = ",".join(f'{label}=""' for label in _NODE_LABELS)
        first = f"{self._select(_DCGM[0])} or {self._select(_DCGM[1])}"
        lacking = " or ".join(self._select(name, more=nodeless) for name in _DCGM)
        by = "namespace, pod, exported_namespace, exported_pod"
        tenants = self.vector(f"group by ({by}) ({first})")
        return DcgmSeries(
            series=self._number(f"count({first})"),
            nodeless=self._number(f"count({lacking})"),
            pods=len(set(_tenants(labels for labels, _ in tenants))),
        )

    def rules(self) -> tuple[LoadedRule, ...]:
        """All rules that the server has."""
        data = self._data("/api/v1/rules")
        if not isinstance(data, dict) or not isinstance(data.get("groups"), list):
            raise self._strange("/api/v1/rules")
        return tuple(rule for group in data["groups"] for rule in _rules(group))

    def recorded(self, names: Collection[str]) -> frozenset[str]:
        """Which of these series there are."""
        found = self.vector(f"group by ({METRIC_NAME}) ({self._select(*sorted(set(names)))})")
        return frozenset(labels.get(METRIC_NAME, "") for labels, _ in found)

    def history_days(self, now: float) -> int:
        """How many whole days ago the daily recordings were made, those of today left out."""
        # An hour, so that a short gap just then costs no day.
        expression = f"group(last_over_time({self._select(_DAILY)}[1h]))"
        today = math.floor(now)
        found, _ = self._past.evaluate(
            expression, start=today - _LOOKED_BACK_DAYS * _DAY, end=today - _DAY, step=_DAY
        )
        return len({at for series in found for at in series.points})

    def alertmanagers(self) -> int:
        """How many it sends alerts to."""
        data = self._data("/api/v1/alertmanagers")
        if not isinstance(data, dict) or not isinstance(data.get("activeAlertmanagers"), list):
            raise self._strange("/api/v1/alertmanagers")
        return len(data["activeAlertmanagers"])

    def sources(self) -> tuple[SourceSight, ...]:
        """What the exporters say of their sources."""
        found = self.vector(f"min by (source, namespace, pod) ({self._select(_SOURCE_UP)})")
        every = [
            SourceSight(
                source=labels.get("source", ""),
                up=value != 0,
                namespace=labels.get("namespace", ""),
                pod=labels.get("pod", ""),
            )
            for labels, value in found
        ]
        return tuple(sorted(every, key=lambda one: (one.source, one.namespace, one.pod)))

    def blind(self) -> tuple[tuple[str, str], ...]:
        """What the checks miss by the rules."""
        found = self.vector(f"group by (check, input) ({self._select(_MISSING)})")
        return tuple(sorted((row.get("check", ""), row.get("input", "")) for row, _ in found))

    def labelled(self) -> tuple[dict[str, str], ...]:
        """The values of the matchers' labels, of whatever is scraped, each combination once."""
        names = sorted(self._own.matchers)
        scraped = selector((_UP, _BUILD, *_DCGM), replace(self._own, matchers={}))
        found = self.vector(f"group by ({', '.join(names)}) ({scraped})")
        values = sorted(tuple(labels.get(name, "") for name in names) for labels, _ in found)
        return tuple(dict(zip(names, each, strict=True)) for each in values)

    def _select(self, *names: str, more: str = "") -> str:
        chosen = selector(names, self._own)
        comma = "" if chosen.endswith("{}") or not more else ","
        return f"{chosen[:-1]}{comma}{more}}}"

    def _number(self, expression: str) -> int:
        number = sum(value for _, value in self.vector(expression))
        if not 0 <= number <= _MOST:
            message = f"{self.address} counts {number:g} series"
            raise BadAnswerError(message)
        return int(number)

    def _data(self, path: str) -> Any:
        request = requests.Request("GET", self._base + path, headers=self._headers())
        body = self._exchange(request)
        try:
            return orjson.loads(body)["data"]
        except (ValueError, KeyError, TypeError) as error:
            raise self._strange(path) from error

    def _strange(self, path: str) -> BadAnswerError:
        return BadAnswerError(f"{self.address}{path} gives no answer of the Prometheus HTTP API")


def _vector(body: bytes, address: str) -> Iterator[tuple[Labels, float]]:
    try:
        data = orjson.loads(body)["data"]
        entries, kind = list(data["result"]), data["resultType"]
    except (ValueError, KeyError, TypeError) as error:
        message = f"{address} gives no answer of the Prometheus HTTP API; check the URL"
        raise BadAnswerError(message) from error
    if kind != "vector":
        message = f"{address} answers with another type than vector"
        raise BadAnswerError(message)
    for entry in entries:
        try:
            labels = {str(name): clean_text(str(text)) for name, text in entry["metric"].items()}
            value = float(entry["value"][1])
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            continue
        if math.isfinite(value):
            yield labels, value


def _tenants(series: Iterable[Labels]) -> Iterator[tuple[str, str]]:
    """The pods on the cards: those labels that are not of dcgm-exporter's own pod."""
    for labels in series:
        if pod := labels.get("exported_pod", ""):
            yield labels.get("exported_namespace", ""), pod
        elif (pod := labels.get("pod", "")) and _EXPORTER not in pod:
            yield labels.get("namespace", ""), pod


def _rules(group: Any) -> Iterator[LoadedRule]:
    """The rules of one group; one in a shape that we do not know is left out."""
    try:
        name, rules = str(group["name"]), list(group["rules"])
    except (KeyError, TypeError):
        return
    for rule in rules:
        try:
            failed = rule.get("health") == _BAD_HEALTH
            error = str(rule.get("lastError") or "no reason was given") if failed else ""
            labels = rule.get("labels") or {}
            alert = rule.get("type") == "alerting"
            yield LoadedRule(
                group=clean_text(name),
                name=clean_text(str(rule["name"])),
                check=str(labels.get("check", "")) if alert else "",
                error=clean_text(" ".join(error.split()), limit=_LONGEST_ERROR),
            )
        except (KeyError, TypeError, AttributeError):
            continue
