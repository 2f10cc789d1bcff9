"""Where it is lost, what waits, what fires, and what cannot be checked."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.boards import overview_queries as queries
from gpuatlas_dashboards.boards.workloads_table import used_of_reserved
from gpuatlas_dashboards.links import BoardId, Link, board_url, column
from gpuatlas_dashboards.panels.fields import (
    Cell,
    Field,
    blank,
    severities,
    text_of_pattern,
    texts_of_values,
    unknown_if_absent,
    without_domain,
)
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import columns, merge
from gpuatlas_dashboards.promql import NONE
from gpuatlas_dashboards.texts.shapes.overview import OverviewTexts
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.tokens import Colour, State, Unit
from gpuatlas_dashboards.workload_variables import KEY, key_column

_HEIGHT: Final = 9
# Of DCGM's fields, what tells them apart.
_WITHOUT_PREFIX: Final = text_of_pattern("/^DCGM_FI_DEV_(.+)$/", "$1")


def nodes(texts: OverviewTexts, language: Language, *, width: int) -> Panel:
    """The nodes, those with the most memory never used first."""
    own, node = texts.columns, language.shared.columns["node"]
    unknown = language.shared.states[State.UNKNOWN]
    names = {"node": node, "Value #cards": own["cards"]}
    names |= {f"Value #{name}": own[name] for name in queries.NODE_VALUES}
    url = board_url(BoardId.CARDS, language.suffix, node=column(node))
    return table(
        texts.nodes,
        [
            Query(expr=queries.NODES, ref="cards", table=True),
            *(Query(expr=e, ref=ref, table=True) for ref, e in queries.NODE_VALUES.items()),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[merge(), *columns(list(names), names)],
            fields=[
                Field(
                    name=node,
                    mappings=[_none(texts), without_domain()],
                    links=[Link(title=texts.show_node, url=url)],
                ),
                _count(own["cards"]),
                _bar(own["promised"], Colour.ALLOCATED, unknown),
                _bar(own["peak"], Colour.WASTED, unknown),
                _bar(own["busiest"], Colour.COMPUTE, unknown),
                _bytes(own["never"], unknown),
            ],
        ),
        width=width,
        height=_HEIGHT,
        sort=own["never"],
        descending=True,
    )


def _count(name: str) -> Field:
    return Field(name=name, unit=Unit.CARDS, width=66, mappings=[unknown_if_absent("–")])


def _none(texts: OverviewTexts) -> dict[str, object]:
    return texts_of_values({NONE: (texts.none, "")})


def _bar(name: str, colour: str, unknown: str) -> Field:
    """Of the cards' memory or compute; red where more is promised than there is."""
    return used_of_reserved(name, colour, unknown, width=116)


def _bytes(name: str, unknown: str, *, width: int = 138) -> Field:
    return Field(
        name=name,
        unit=Unit.BYTES,
        decimals=0,
        width=width,
        mappings=[unknown_if_absent(unknown)],
    )


def namespaces(texts: OverviewTexts, language: Language, *, width: int) -> Panel:
    """Who holds it, those first that leave most of it unused."""
    own, namespace = texts.columns, language.shared.columns["namespace"]
    unknown = language.shared.states[State.UNKNOWN]
    names = {"namespace": namespace, "Value #cards": own["cards"]}
    names |= {f"Value #{name}": own[name] for name in queries.NAMESPACE_VALUES}
    url = board_url(BoardId.WORKLOADS, language.suffix, namespace=column(namespace))
    return table(
        texts.namespaces,
        [
            Query(expr=queries.NAMESPACES, ref="cards", table=True),
            *(Query(expr=e, ref=ref, table=True) for ref, e in queries.NAMESPACE_VALUES.items()),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[merge(), *columns(list(names), names)],
            fields=[
                Field(
                    name=namespace,
                    mappings=[_none(texts)],
                    links=[Link(title=texts.show_namespace, url=url)],
                ),
                _count(own["cards"]),
                _bytes(own["reserved"], unknown, width=96),
                _bytes(own["unused"], unknown),
            ],
        ),
        width=width,
        height=_HEIGHT,
        sort=own["unused"],
        descending=True,
    )


def waiting(texts: OverviewTexts, language: Language, *, width: int) -> Panel:
    """Every workload that waits, the longest first."""
    own, shared = texts.columns, language.shared.columns
    names = {"name": shared["workload"], "Value": own["waiting"], "reason": own["reason"]}
    url = board_url(BoardId.WORKLOADS, language.suffix, workload=key_column())
    return table(
        texts.waiting,
        [Query(expr=queries.WAITING, table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=columns([*names, KEY], names),
            fields=[
                Field(name=shared["workload"], links=[Link(title=texts.show_workload, url=url)]),
                Field(name=own["waiting"], unit=Unit.SECONDS, decimals=0, width=78),
                Field(name=own["reason"], width=140),
                Field(name=KEY, hidden=True),
            ],
        ),
        width=width,
        height=_HEIGHT,
    )


def firing(texts: OverviewTexts, language: Language, *, width: int) -> Panel:
    """Alerts by name, the worst first."""
    own, shared = texts.columns, language.shared.columns
    names = {"alertname": own["alert"], "severity": shared["severity"]}
    names |= {"Value #count": own["times"], "Value #since": shared["since"]}
    return table(
        texts.firing,
        [
            Query(expr=queries.FIRING, ref="rank", table=True),
            Query(expr=queries.FIRING_COUNT, ref="count", table=True),
            Query(expr=queries.SINCE, ref="since", table=True),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[merge(), *columns(list(names), names)],
            fields=[
                Field(name=own["alert"], mappings=[_none(texts)]),
                Field(
                    name=shared["severity"],
                    width=72,
                    cell=Cell.BACKGROUND,
                    cell_options={"mode": "basic"},
                    mappings=[*blank(), severities(language.shared.severities)],
                ),
                Field(name=own["times"], unit=Unit.CARDS, width=56),
                Field(name=shared["since"], unit=Unit.AGO, width=104, align="left"),
            ],
        ),
        width=width,
        height=_HEIGHT,
    )


def missing(texts: OverviewTexts, *, width: int) -> Panel:
    """What to switch on so that unknown checks can look."""
    names = {"input": texts.columns["input"], "Value": texts.columns["times_checks"]}
    return table(
        texts.missing,
        [Query(expr=queries.MISSING, table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=columns(list(names), names),
            fields=[
                Field(name=texts.columns["input"], mappings=[_WITHOUT_PREFIX]),
                Field(name=texts.columns["times_checks"], unit=Unit.CARDS, width=70),
            ],
        ),
        width=width,
        height=_HEIGHT,
    )
