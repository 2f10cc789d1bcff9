"""The advice screen: for each pool a line per strategy, with the reasons beside the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from gpuatlas.advice.advise import LOOK_DAYS
from gpuatlas.cli.screens.glyphs import QUIET_STYLE, Glyphs
from gpuatlas.cli.screens.layout import Column, Line, Row, Sheet, flowed, wrapped
from gpuatlas.cli.screens.wording import count, instant, listed
from gpuatlas.model.advice import PoolAdvice, Reason, Strategy, StrategyAdvice, Verdict

_COLUMNS: Final = (
    Column(title="strategy"),
    Column(title="verdict"),
    Column(title="because", flexible=True, least=20),
)
_STYLES: Final = {
    Verdict.SUITS: "green",
    Verdict.POSSIBLE: "none",
    Verdict.NO_ADVICE: QUIET_STYLE,
    Verdict.UNSAFE: "bold red",
    Verdict.IMPOSSIBLE: QUIET_STYLE,
}
_WORDS: Final = {Verdict.NO_ADVICE: "no advice"}
# What stands before the reasons: the longest strategy and verdict, and the gaps behind them.
_BEFORE: Final = max(map(len, Strategy)) + max(map(len, Verdict)) + 4
_MARK_WIDTH: Final = 2  # "+ " before what speaks for a strategy, "- " before what does not
# Longer lines are hard to read, however wide the terminal is.
_WIDEST_REASON: Final = 120
_NOTHING: Final = "No node with accelerator cards was found, or none that the filters leave."
_BASIS: Final = (
    f"This judges what runs now, at one instant, also where a Prometheus was read. A peak may come "
    f"at another hour: look for at least {LOOK_DAYS} days before you change a pool."
)


def advice_screen(
    pools: Sequence[PoolAdvice], at: float, *, width: int, glyphs: Glyphs
) -> Iterator[Text]:
    """The whole screen: pools, what the advice rests on, summary."""
    if not pools:
        yield from wrapped(_NOTHING, "", width=width)
        return
    sheet = Sheet(_COLUMNS, glyphs.ellipsis)
    for advice in pools:
        sheet.body.append(Line(Text()))
        sheet.body += _heading(advice, width, glyphs)
        for name, judged in _judged(advice):
            sheet.body += _rows(name, judged, min(width - _BEFORE, _WIDEST_REASON))
    yield from sheet.render(width)
    yield Text()
    yield from wrapped(_BASIS, "yellow", width=width)
    yield from flowed(_summary(pools, at), width=width)


def _heading(advice: PoolAdvice, width: int, glyphs: Glyphs) -> Iterator[Line]:
    name = f"pool {advice.pool}" if advice.pool else "no pool label"
    text = Text().append(name, "bold")
    facts = [
        advice.model or "cards that nothing names",
        advice.platform,
        f"{count(advice.cards, 'card')} on {count(len(advice.nodes), 'node')}",
        count(advice.tenants, "pod"),
        f"now {', '.join(advice.in_use)}" if advice.in_use else "",
    ]
    for fact in filter(None, facts):
        text.append(f" {glyphs.dot} {fact}", QUIET_STYLE)
    yield Line(text)
    yield Line(Text(listed(advice.nodes, width, glyphs.ellipsis), QUIET_STYLE))


def _judged(advice: PoolAdvice) -> Iterator[tuple[str, StrategyAdvice]]:
    """Name and verdict of each strategy; one line for all where nothing can be said of any."""
    first = advice.strategies[0]
    if all(judged.reasons == first.reasons for judged in advice.strategies):
        yield "all", first
        return
    for judged in advice.strategies:
        yield judged.strategy, judged


def _rows(name: str, judged: StrategyAdvice, room: int) -> Iterator[Row]:
    """The first line carries strategy and verdict, each reason begins on a line of its own."""
    style = _STYLES[judged.verdict]
    cells = [Text(name, style), Text(_WORDS.get(judged.verdict, judged.verdict), style)]
    for reason in judged.reasons:
        for number, line in enumerate(wrapped(reason.text, "", width=room - _MARK_WIDTH)):
            mark = " " * _MARK_WIDTH if number else _mark(reason)
            yield Row([*cells, Text(mark).append_text(line)])
            cells = [Text(), Text()]


def _mark(reason: Reason) -> str:
    return "+ " if reason.verdict is Verdict.SUITS else "- "


def _summary(pools: Sequence[PoolAdvice], at: float) -> Iterator[Text]:
    yield Text(count(len(pools), "pool"), "bold")
    suited = Counter(j.strategy for a in pools for j in a.strategies if j.verdict is Verdict.SUITS)
    for strategy in Strategy:
        if suited[strategy]:
            yield Text(f"{strategy} suits {suited[strategy]}", _STYLES[Verdict.SUITS])
    yield Text(instant(at), QUIET_STYLE)
