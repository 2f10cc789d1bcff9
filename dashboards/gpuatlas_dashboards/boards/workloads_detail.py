"""The chosen workload: what it is, what it waits for, and every share of a card that it holds."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.boards import workloads_queries as queries
from gpuatlas_dashboards.boards.workloads_table import used_of_reserved
from gpuatlas_dashboards.links import BoardId, Link, board_url, column
from gpuatlas_dashboards.panels.fields import (
    Cell,
    Field,
    Match,
    texts_of_values,
    unknown_if_absent,
    without_domain,
)
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.panels.query import Query
from gpuatlas_dashboards.panels.settings import Look
from gpuatlas_dashboards.panels.stat import Say, stat, state_tile
from gpuatlas_dashboards.panels.table import table
from gpuatlas_dashboards.panels.transformations import columns, merge, rows_of_fields
from gpuatlas_dashboards.panels.workload_state import workload_state_codes
from gpuatlas_dashboards.promql import NONE
from gpuatlas_dashboards.scopes import CHOSEN_WORKLOAD
from gpuatlas_dashboards.signals import workload
from gpuatlas_dashboards.texts.shapes.words import Language
from gpuatlas_dashboards.texts.shapes.workloads import WorkloadsTexts
from gpuatlas_dashboards.tokens import STATE_COLOURS, Colour, State, Unit

_NOW: Final = (
    workload.MEMORY_RESERVED,
    workload.MEMORY_USED,
    workload.COMPUTE_RESERVED,
    workload.COMPUTE,
)
# Without one there is none: a share without a limit.
_PROMISES: Final = (workload.MEMORY_RESERVED, workload.COMPUTE_RESERVED)
_IDENTITY: Final = (
    "workload_kind", "namespace", "runtime", "scheduler", "queue", "queue_kind", "gang",
)  # fmt: skip


def workload_identity(texts: WorkloadsTexts, language: Language, *, width: int) -> list[Panel]:
    """What it is, asks for and waits for, in one column."""
    return [
        _what(texts, language, width=width),
        _waits(texts, width=width),
        _requested(texts, width=width),
    ]


def workload_now(texts: WorkloadsTexts, language: Language) -> list[Panel]:
    """Its state, and what it holds and uses."""
    state = state_tile(
        texts.chosen,
        # Of several runs the worst.
        Query(expr=f"max({workload.STATE.within(CHOSEN_WORKLOAD)})", instant=True),
        workload_state_codes(language.shared.workload_states),
        width=6,
        height=3,
        text_size=28,
    )
    return [state, _now(texts, language, width=18)]


def _now(texts: WorkloadsTexts, language: Language, *, width: int) -> Panel:
    """Side by side; what nobody measured is said to be unknown, not left out."""
    return stat(
        texts.now,
        [
            Query(
                expr=f"sum({signal.within(CHOSEN_WORKLOAD)}) or vector(NaN)",
                ref=signal.name,
                legend=language.of(signal).title,
                instant=True,
            )
            for signal in _NOW
        ],
        Look(
            decimals=1,
            mappings=[unknown_if_absent(language.shared.states[State.UNKNOWN])],
            fields=[
                Field(
                    name=signal.name,
                    match=Match.REF,
                    unit=signal.unit,
                    mappings=[unknown_if_absent("–")] if signal in _PROMISES else (),
                )
                for signal in _NOW
            ],
        ),
        width=width,
        height=3,
        say=Say.BOTH,
    )


def _what(texts: WorkloadsTexts, language: Language, *, width: int) -> Panel:
    shared = language.shared.columns
    names = {name: texts.columns.get(name) or shared[name] for name in _IDENTITY}
    return table(
        texts.identity,
        [Query(expr=queries.IDENTITY, table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=[*columns(list(names), names), rows_of_fields()],
            fields=[Field(name="Field", width=110)],
        ),
        width=width,
        height=9,
        header=False,
    )


def _waits(texts: WorkloadsTexts, *, width: int) -> Panel:
    names = {"reason": texts.columns["reason"], "Value": texts.columns["waiting"]}
    return table(
        texts.waits,
        [Query(expr=queries.WAITS, table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=columns(list(names), names),
            fields=[Field(name=texts.columns["waiting"], unit=Unit.SECONDS, decimals=0, width=100)],
        ),
        width=width,
        height=4,
    )


def _requested(texts: WorkloadsTexts, *, width: int) -> Panel:
    names = {"resource": texts.columns["resource"], "Value": texts.columns["amount"]}
    return table(
        texts.requested,
        [Query(expr=queries.REQUESTED, table=True)],
        Look(
            unit=Unit.TEXT,
            transformations=columns(list(names), names),
            fields=[Field(name=texts.columns["amount"], unit=Unit.CARDS, width=80)],
        ),
        width=width,
        height=4,
    )


def workload_shares(texts: WorkloadsTexts, language: Language, *, width: int, height: int) -> Panel:
    """A row for each container on each card, and for each pod that holds none."""
    shared, own = language.shared.columns, texts.columns
    names = {name: shared[name] for name in ("pod", "node", "index")}
    names |= {f"Value #{name}": own[name] for name in ("memory", "reserved", "compute")}
    names |= {"Value #share": own["promised"], "Value #idle": own["idle"], "kind": own["kind"]}
    names |= {"profile": own["profile"], "Value #isolated": own["isolated"]}
    names |= {"evidence": shared["evidence"], "other_evidence": own["conflict"]}
    names |= {"Value #priority": own["priority"], "container": shared["container"]}
    return table(
        texts.shares,
        [
            Query(expr=queries.SHARES, ref="shares", table=True),
            *(Query(expr=e, ref=ref, table=True) for ref, e in queries.SHARE_VALUES.items()),
        ],
        Look(
            unit=Unit.TEXT,
            transformations=[merge(), *columns([*names, "card"], names)],
            fields=_share_fields(texts, language),
        ),
        width=width,
        height=height,
        sort=shared["pod"],
        min_width=70,
    )


def _share_fields(texts: WorkloadsTexts, language: Language) -> list[Field]:
    shared = language.shared.columns
    card = board_url(BoardId.CARDS, language.suffix, card=column("card"))
    return [
        Field(
            name=shared["pod"],
            width=220,
            mappings=[texts_of_values({NONE: (texts.no_pod, "")})],
        ),
        Field(name=shared["node"], width=100, mappings=[without_domain()]),
        Field(
            name=shared["index"],
            width=72,
            links=[Link(title=texts.open_card, url=card)],
            empty="–",
        ),
        *_share_amounts(texts, language),
        *_share_words(texts, language),
        Field(name="card", hidden=True),
    ]


def _share_amounts(texts: WorkloadsTexts, language: Language) -> list[Field]:
    own, unknown = texts.columns, language.shared.states[State.UNKNOWN]
    return [
        used_of_reserved(own["memory"], workload.MEMORY_OCCUPANCY.colour, unknown),
        Field(name=own["reserved"], unit=Unit.BYTES, decimals=1, width=86, empty="–"),
        Field(name=own["compute"], unit=Unit.RATIO, decimals=0, width=122, empty=unknown),
        Field(name=own["promised"], unit=Unit.RATIO, decimals=0, width=86, empty="–"),
        Field(name=own["idle"], unit=Unit.SECONDS, decimals=0, width=80, empty="–"),
        Field(name=own["priority"], unit=Unit.CARDS, width=76, empty="–"),
    ]


def _share_words(texts: WorkloadsTexts, language: Language) -> list[Field]:
    known_from = texts_of_values({name: (word, "") for name, word in texts.evidence.items()})
    isolated = {
        "0": (texts.isolated["0"], STATE_COLOURS[State.SLOWED]),
        "1": (texts.isolated["1"], Colour.NEUTRAL),
    }
    return [
        Field(
            name=texts.columns["isolated"],
            width=84,
            align="left",
            cell=Cell.COLOURED_TEXT,
            mappings=[texts_of_values(isolated)],
            empty="–",
        ),
        Field(name=language.shared.columns["evidence"], width=110, mappings=[known_from]),
        Field(name=texts.columns["conflict"], mappings=[known_from]),
    ]
