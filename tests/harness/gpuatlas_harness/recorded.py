"""A Prometheus on loopback that has what a test recorded, at `/api/v1/query` and `query_range`.

It knows selectors and `last_over_time` of them, no other PromQL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qs

from .serving import serving

DAY: Final = 86_400.0
# How far a plain selector looks back.
_LOOK_BACK: Final = 300.0
_QUERY: Final = re.compile(r"(?:last_over_time\()?([^{]*)\{(.*?)\}(?:\[(\d+)s\]\))?", re.DOTALL)
_MATCHER: Final = re.compile(r'(\w+)(=~?)"((?:[^"\\]|\\.)*)"')


@dataclass
class RecordedPrometheus:
    """`samples` are (labels with `__name__`, instant, value). `now` is its clock.

    `moves` lets it move instants of ranges to midnight, as Thanos' query frontend does. `broken`
    may answer a query instead.
    """

    now: float
    samples: list[tuple[dict[str, str], float, object]] = field(default_factory=list)
    moves: bool = False
    warnings: list[str] = field(default_factory=list)
    broken: Callable[[str], tuple[int, bytes] | None] = lambda _query: None
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    url: str = ""

    def add(self, name: str, value: object, at: float | None = None, /, **labels: str) -> None:
        """One sample, of now unless another instant is given."""
        self.samples.append(({"__name__": name, **labels}, self.now if at is None else at, value))

    def days(self, name: str, values: Sequence[object], /, **labels: str) -> None:
        """A sample a day, the last one of now; None for none."""
        for back, value in enumerate(reversed(values)):
            if value is not None:
                self.add(name, value, self.now - back * DAY, **labels)

    def names(self) -> set[str]:
        """What it was asked for."""
        return {_QUERY.fullmatch(form["query"])[1] for _, form in self.asked}  # type: ignore[index]

    def answer(self, path: str, form: dict[str, str]) -> tuple[int, bytes]:
        self.asked.append((path, form))
        broken = self.broken(form["query"])
        if broken is not None:
            return broken
        if path.endswith("/query_range"):
            start, end, step = (float(form[name]) for name in ("start", "end", "step"))
            data = self._range(form["query"], self._instants(start, end, step))
        else:
            data = self._vector(form["query"])
        answer = {"status": "success", "data": data, "warnings": self.warnings}
        return 200, json.dumps(answer).encode()

    def _instants(self, start: float, end: float, step: float) -> list[float]:
        if self.moves:
            start, end = start // step * step, end // step * step
        return [start + index * step for index in range(int((end - start) / step) + 1)]

    def _range(self, query: str, instants: list[float]) -> dict[str, object]:
        found: dict[str, dict[str, object]] = {}
        for instant in instants:
            for labels, value in self._at(query, instant):
                key = json.dumps(labels, sort_keys=True)
                entry = found.setdefault(key, {"metric": labels, "values": []})
                entry["values"].append([instant, str(value)])  # type: ignore[attr-defined]
        return {"resultType": "matrix", "result": list(found.values())}

    def _vector(self, query: str) -> dict[str, object]:
        result = [
            {"metric": labels, "value": [self.now, str(value)]}
            for labels, value in self._at(query, self.now)
        ]
        return {"resultType": "vector", "result": result}

    def _at(self, query: str, instant: float) -> list[tuple[Mapping[str, str], object]]:
        """The newest sample of each series that the query selects."""
        parts = _QUERY.fullmatch(query)
        assert parts is not None, query
        name, matchers, window = parts[1], _MATCHER.findall(parts[2]), parts[3]
        oldest = instant - (float(window) if window else _LOOK_BACK)
        newest: dict[str, tuple[float, Mapping[str, str], object]] = {}
        for labels, at, value in self.samples:
            if oldest < at <= instant and name in {"", labels["__name__"]}:
                key = json.dumps(labels, sort_keys=True)
                if _matches(labels, matchers) and at >= newest.get(key, (oldest,))[0]:
                    newest[key] = (at, labels, value)
        return [(labels, value) for _, labels, value in newest.values()]


def _matches(labels: Mapping[str, str], matchers: list[tuple[str, str, str]]) -> bool:
    for name, operator, quoted in matchers:
        wanted = quoted.replace('\\"', '"').replace("\\\\", "\\")
        value = labels.get(name, "")
        if not (value == wanted if operator == "=" else re.fullmatch(wanted, value)):
            return False
    return True


@contextmanager
def recorded_prometheus(now: float) -> Iterator[RecordedPrometheus]:
    """One that serves on a free port until the end of the block."""
    fake = RecordedPrometheus(now=now)

    def answer(path: str, content: str) -> tuple[int, bytes]:
        return fake.answer(path, {name: given[0] for name, given in parse_qs(content).items()})

    with serving(answer, method="POST") as address:
        fake.url = f"http://{address}"
        yield fake
