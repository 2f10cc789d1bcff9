"""Whether the labels that all series must have are on any: nothing is found by those on none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gpuatlas.doctor.results import Act, Area, Remedy, Result, State
from gpuatlas.model.doctor import PrometheusFacts

_SHOWN: Final = 5
_CHANGE: Final = Remedy(
    Act.SET,
    "--prometheus-matcher to a value that is there (in the chart: prometheus.matchers)",
)
_LEAVE_OUT: Final = Remedy(
    Act.SET,
    "no --prometheus-matcher where this Prometheus has one cluster alone (in the chart: no "
    "prometheus.matchers); else --prometheus-url to what it sends its series to, which has them "
    "with its external_labels",
)


def matches_nothing(prometheus: PrometheusFacts | None) -> bool:
    """Whether there are series, and none that has these labels."""
    if prometheus is None or not prometheus.labelled:
        return False
    return prometheus.matchers not in prometheus.labelled


def examine_matchers(prometheus: PrometheusFacts) -> Iterator[Result]:
    """Nothing where they match something."""
    if why := prometheus.unread.get("labelled", ""):
        text = f"whether any series has {wanted(prometheus)} (--prometheus-matcher): {why}"
        yield _result(State.UNKNOWN, text)
    elif matches_nothing(prometheus):
        yield _nothing(prometheus)


def wanted(prometheus: PrometheusFacts) -> str:
    """The matchers as the option has them."""
    return " ".join(f"{name}={value}" for name, value in sorted(prometheus.matchers.items()))


def _nothing(prometheus: PrometheusFacts) -> Result:
    there = prometheus.labelled or ()
    text = f"no up, gpuatlas or DCGM series has {wanted(prometheus)} (--prometheus-matcher)"
    absent = [name for name in prometheus.matchers if not any(one[name] for one in there)]
    if absent:
        labels = f"label{'s' if len(absent) > 1 else ''} {' and '.join(sorted(absent))}"
        return _result(State.TODO, f"{text}, and none has the {labels}", _LEAVE_OUT)
    found = [_written(one) for one in there if any(one.values())]
    return _result(State.TODO, f"{text}; there are {_listed(found)}", _CHANGE)


def _listed(texts: list[str]) -> str:
    """The first, and how many more there are."""
    more = len(texts) - _SHOWN
    shown = ", ".join(texts[:_SHOWN])
    return f"{shown} and {more:,} more" if more > 0 else shown


def _written(labels: Mapping[str, str]) -> str:
    """Those that are there, as the option has them."""
    return " ".join(f"{name}={value}" for name, value in sorted(labels.items()) if value)


def _result(state: State, text: str, remedy: Remedy | None = None) -> Result:
    return Result(area=Area.PROMETHEUS, word="matcher", state=state, text=text, remedy=remedy)
