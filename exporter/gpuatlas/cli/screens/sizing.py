"""The sizing screen: what each container needs, the nodes, priorities, what it adds up to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from rich.text import Text

from gpuatlas.cli.screens.glyphs import OVER_STYLE, QUIET_STYLE, Glyphs
from gpuatlas.cli.screens.layout import Column, Fitted, Line, Paragraph, Row, Sheet, flowed, wrapped
from gpuatlas.cli.screens.sizing_nodes import nodes_table
from gpuatlas.cli.screens.sizing_words import (
    CANNOT_WORDS,
    VERDICT_WORDS,
    amount,
    amounts,
    named,
)
from gpuatlas.cli.screens.wording import count, instant
from gpuatlas.cli.sized import CHANGES, Sized, by_container, gravest, totals
from gpuatlas.model.sizing import Proposal, SizingReport, Verdict

_NAME: Final = Column(title="workload", flexible=True, least=24)
_COLUMNS: Final = (
    Column(title="resource"),
    Column(title="present", right=True),
    Column(title="peak", right=True),
    Column(title="proposed", right=True),
    Column(title="saving", right=True),
    Column(title="verdict", flexible=True, least=11),
)
_INDENT: Final = Column(title="")
# From here on a container's name stands beside its values and not above them.
_WIDE: Final = 130
_STYLES: Final = {
    Verdict.SMALLER: "green",
    Verdict.LARGER: OVER_STYLE,
    Verdict.CANNOT: QUIET_STYLE,
    Verdict.FITS: "none",
}
_NOTHING: Final = (
    "No container was promised a part of a card in the window, or none that the filters leave."
)
_UNITS: Final = (
    "memory in MiB, compute in percent of a card; saving is over all containers of the workload, "
    "the other values are of one container on one card"
)


def sizing_screen(
    report: SizingReport, *, everything: bool, width: int, glyphs: Glyphs
) -> Iterator[Text]:
    """The whole screen. `everything`: also the containers that have what they need."""
    sized = by_container(report.proposals)
    shown = [each for each in sized if everything or gravest(each.proposals) is not Verdict.FITS]
    if shown:
        yield from _Containers(shown, width=width, glyphs=glyphs).lines()
    elif not sized:
        yield from wrapped(_NOTHING, "", width=width)
    else:
        yield Text("Every container has what it needs.")
    if report.nodes:
        yield Text()
        yield from nodes_table(report.nodes, width=width, glyphs=glyphs)
    yield from _priorities(report, width)
    yield Text()
    yield from _summary(report, sized, width, glyphs)
    if len(shown) < len(sized) and shown:
        yield Text("what fits is not listed: --all lists it", QUIET_STYLE)


class _Containers:
    """Renders once for one width."""

    def __init__(self, sized: Sequence[Sized], *, width: int, glyphs: Glyphs) -> None:
        self._sized = sized
        self._width = width
        self._glyphs = glyphs
        self._wide = width >= _WIDE
        self._clusters = len({each.of.cluster for each in sized}) > 1

    def lines(self) -> Iterator[Text]:
        """The table and what its figures are of."""
        first = _NAME if self._wide else _INDENT
        sheet = Sheet((first, *_COLUMNS), self._glyphs.ellipsis)
        for place, group in groupby(self._sized, key=self._place):
            sheet.body.append(Line(Text()))
            sheet.body.append(Line(Text(place, "bold")))
            for each in group:
                sheet.body += self._container(each)
        yield from sheet.render(self._width)
        yield Text()
        yield from wrapped(_UNITS, QUIET_STYLE, width=self._width)

    def _place(self, each: Sized) -> str:
        of = each.of
        return f"{of.namespace} {self._glyphs.dot} {of.cluster}" if self._clusters else of.namespace

    def _container(self, each: Sized) -> Iterator[Row | Line | Paragraph]:
        name = Text(named(each.of, self._glyphs.dot))
        if not self._wide:
            yield Line(name)
            name = Text()
        said = ""
        for proposal in each.proposals:
            yield Row([name, *self._cells(proposal)])
            name = Text()
            # The same gap in days is told once for memory and compute.
            if proposal.verdict is not Verdict.FITS and proposal.text != said:
                said = proposal.text
                yield Paragraph(said, QUIET_STYLE, indent=1)

    def _cells(self, proposal: Proposal) -> list[Text | Fitted]:
        resource, style = proposal.resource, _STYLES[proposal.verdict]
        dash = self._glyphs.dash
        values = (proposal.present, proposal.peak, proposal.proposed, proposal.saving)
        return [
            Text(str(resource)),
            *(Text(amount(resource, v)) if v is not None else _dash(dash) for v in values),
            _verdict(proposal, style),
        ]


def _dash(dash: str) -> Text:
    return Text(dash, QUIET_STYLE)


def _verdict(proposal: Proposal, style: str) -> Text | Fitted:
    word = VERDICT_WORDS[proposal.verdict]
    if proposal.reason is not None:
        whole = f"{word}: {CANNOT_WORDS[proposal.reason]}"
    elif proposal.target and proposal.verdict in CHANGES:
        whole = f"{word}, as {proposal.target}"
    else:
        return Text(word, style)
    # The sentence below says the reason in full.
    return Fitted(len(whole), lambda room: Text(whole if len(whole) <= room else word, style))


def _priorities(report: SizingReport, width: int) -> Iterator[Text]:
    if not report.priorities:
        return
    yield Text()
    yield Text("priorities", "bold")
    for suggestion in report.priorities:
        of = suggestion.of
        now = "not known" if of.priority is None else of.priority
        yield Text(f"{of.namespace} {of.kind}/{of.name}: {suggestion.proposed} (now {now})")
        yield from wrapped(suggestion.text, QUIET_STYLE, width=width, indent=2)


def _summary(
    report: SizingReport, sized: Sequence[Sized], width: int, glyphs: Glyphs
) -> Iterator[Text]:
    summed = totals(sized)
    verdicts = [
        Text(f"{number} {words[number > 1]}", _STYLES[verdict])
        for verdict, words in _SUMMED.items()
        if (number := summed.verdicts.get(verdict, 0))
    ]
    containers = Text(count(summed.containers, "container"), "bold")
    yield from flowed([containers, *verdicts], width=width)
    if summed.given_back:
        yield Text(f"could be given back: {amounts(summed.given_back)}", "bold")
    if summed.added:
        yield Text(f"needed in addition: {amounts(summed.added)}", OVER_STYLE)
    if summed.cannot:
        reasons = [Text("cannot be sized:", QUIET_STYLE)]
        reasons += [
            Text(f"{number} {CANNOT_WORDS[reason]}", QUIET_STYLE)
            for reason, number in summed.cannot.items()
        ]
        yield from flowed(reasons, width=width)
    window = f"{count(round(report.window_days), 'day')} up to {instant(report.at)}"
    yield Text(f"window: {window}", QUIET_STYLE)


# Of one, and of several.
_SUMMED: Final = {
    Verdict.SMALLER: ("could be smaller", "could be smaller"),
    Verdict.LARGER: ("should be larger", "should be larger"),
    Verdict.FITS: ("fits", "fit"),
    Verdict.CANNOT: ("cannot be sized", "cannot be sized"),
}
