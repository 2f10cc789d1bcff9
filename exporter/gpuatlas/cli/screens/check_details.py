"""What stands below a check's line: what fails it with the record quoted, or what it lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from rich.text import Text

from gpuatlas.cli.judged import JudgedCheck, Occurrence
from gpuatlas.cli.screens.check_marks import SEVERITY_STYLES
from gpuatlas.cli.screens.glyphs import QUIET_STYLE, Glyphs
from gpuatlas.cli.screens.layout import wrapped
from gpuatlas.cli.screens.wording import duration, listed
from gpuatlas.model.catalogue import Severity
from gpuatlas.model.checks import CheckState, MissingInput

# Below the state, which the widest id (S17) and a gap stand before.
_SIGNAL_INDENT: Final = 5
_PLACE_INDENT: Final = _SIGNAL_INDENT + 2
_RECORD_INDENT: Final = _PLACE_INDENT + 2
# One cause can fail every card of a cluster: --all and the JSON output have them all.
_MOST_PLACES: Final = 4
_MOST_LACKS: Final = 3
_NAMES_ROOM: Final = 48
# Longer lines are hard to read, however wide the terminal is.
_WIDEST: Final = 140


class Details:
    """Renders for one screen; what several checks lack alike is told once.

    `at` is the instant that ages are counted to, `everything` leaves nothing out.
    """

    def __init__(self, at: float, width: int, glyphs: Glyphs, *, everything: bool) -> None:
        self._at = at
        self._width = min(width, _WIDEST)
        self._glyphs = glyphs
        self._everything = everything
        self._told: dict[tuple[str, ...], str] = {}

    def lines(self, check: JudgedCheck) -> Iterator[Text]:
        """The lines below the check's own."""
        for occurrences in _signals(check.occurrences):
            yield from self._signal(check, occurrences)
        if check.missing and (self._everything or check.sight is CheckState.UNKNOWN):
            yield from self._lacks(check)
        if check.unseen and self._everything:
            said = f"an instant does not show: {', '.join(check.unseen)}"
            yield from self._wrapped(said, QUIET_STYLE, _SIGNAL_INDENT)

    def _wrapped(self, text: str, style: str, indent: int) -> Iterator[Text]:
        return wrapped(text, style, width=self._width, indent=indent)

    def _signal(self, check: JudgedCheck, alike: Sequence[Occurrence]) -> Iterator[Text]:
        first = alike[0]
        other = first.severity if first.severity is not check.severity else ""
        words = [first.signal, other, "pending" if first.pending else ""]
        name = ", ".join(filter(None, words))
        said = ": ".join(filter(None, (name, first.cause)))
        yield from self._wrapped(said, _heading_style(first), _SIGNAL_INDENT)
        shown = alike if self._everything else alike[:_MOST_PLACES]
        for number, each in enumerate(shown):
            yield from self._occurrence(each)
            if number + 1 == len(shown) or shown[number + 1].action != each.action:
                yield from self._wrapped(f"do: {each.action}", "", _PLACE_INDENT)
        if left := len(alike) - len(shown):
            yield from self._wrapped(f"and {left} more: --all", QUIET_STYLE, _PLACE_INDENT)

    def _occurrence(self, each: Occurrence) -> Iterator[Text]:
        place = f" {self._glyphs.dot} ".join(self._place(each))
        yield from self._wrapped(place or "the cluster", "bold", _PLACE_INDENT)
        for source, record in each.evidence:
            yield from self._wrapped(_quoted(source, record), "", _RECORD_INDENT)

    def _place(self, each: Occurrence) -> Iterator[str]:
        if each.node:
            yield f"node {each.node}"
        if each.card:
            yield f"card {each.index} {each.card}" if each.index else f"card {each.card}"
        if each.pod:
            yield f"pod {each.namespace}/{each.pod}"
        if each.object and each.object != f"Node/{each.node}":
            yield each.object
        if each.count > 1:
            yield f"and {each.count - 1} more like it"
        if each.pods and each.pods != (f"{each.namespace}/{each.pod}",):
            yield f"pods {listed(each.pods, _NAMES_ROOM, self._glyphs.ellipsis)}"
        if each.since is not None:
            yield f"for {duration(max(0.0, self._at - each.since))}"

    def _lacks(self, check: JudgedCheck) -> Iterator[Text]:
        lacks = tuple(_lack_lines(check.missing))
        before = self._told.setdefault(lacks, check.entry.id)
        if before != check.entry.id:
            yield from self._wrapped(f"lacks the same as {before}", QUIET_STYLE, _SIGNAL_INDENT)
            return
        shown = lacks if self._everything else lacks[:_MOST_LACKS]
        for line in shown:
            yield from self._wrapped(line, "", _SIGNAL_INDENT)
        if left := len(lacks) - len(shown):
            yield from self._wrapped(f"and {left} more: --all", QUIET_STYLE, _SIGNAL_INDENT)


def _quoted(source: str, record: str) -> str:
    """A sample names its metric itself."""
    kind, _, name = source.partition(" ")
    return f"{kind} {record}" if name and record.startswith(name) else f"{source}: {record}"


def _signals(occurrences: Sequence[Occurrence]) -> Iterator[list[Occurrence]]:
    """Those of one signal, severity and cause together, the gravest first."""
    order = list(Severity)

    def kind(each: Occurrence) -> tuple[bool, int, str, str]:
        return (each.pending, order.index(each.severity), each.signal, each.cause)

    for _, alike in groupby(sorted(occurrences, key=kind), key=kind):
        yield list(alike)


def _heading_style(each: Occurrence) -> str:
    return QUIET_STYLE if each.pending else SEVERITY_STYLES[each.severity].split(" on ")[0]


def _lack_lines(missing: Sequence[MissingInput]) -> Iterator[str]:
    """One for each reason, with what is missing for it and on which nodes."""
    reasons: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for lack in missing:
        inputs, nodes = reasons.setdefault(lack.reason, ({}, {}))
        inputs[lack.input] = None
        if lack.node:
            nodes[lack.node] = None
    for reason, (inputs, nodes) in reasons.items():
        where = f" on {listed(list(nodes), _NAMES_ROOM)}" if nodes else ""
        said = f"lacks {', '.join(inputs)}{where}"
        yield f"{said}: {reason}" if reason else said
