"""What the exporter itself says of its sources."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote

from gpuatlas.doctor.results import Act, Area, Remedy, Result, State
from gpuatlas.model.doctor import PrometheusFacts, SourceSight


def examine_exporter(prometheus: PrometheusFacts) -> Iterator[Result]:
    """The sources that it cannot read, one by one."""
    sources = prometheus.sources
    if sources is None:
        yield _result(State.UNKNOWN, prometheus.unread.get("sources", "it was not read"))
        return
    if not sources:
        yield _result(State.UNKNOWN, "no gpuatlas_source_up: no exporter says what it can read")
        return
    failing = [source for source in sources if not source.up]
    for source in failing:
        text = f"the exporter{_place(source)} cannot read {source.source}; its log says why"
        yield _result(State.TODO, text, _log(source))
    if not failing:
        number = len({source.source for source in sources})
        yield _result(State.OK, f"the exporter can read all of its sources ({number})")


def _place(source: SourceSight) -> str:
    return f" {source.namespace}/{source.pod}" if source.pod else ""


def _log(source: SourceSight) -> Remedy:
    # Whoever can have a page scraped can give it any of these labels, and people copy the command.
    name = quote(source.source)
    if source.namespace and source.pod:
        command = f"kubectl -n {quote(source.namespace)} logs {quote(source.pod)} | grep {name}"
    else:
        command = f"curl -s http://EXPORTER:9836/ | grep {name}"
    return Remedy(Act.RUN, command)


def _result(state: State, text: str, remedy: Remedy | None = None) -> Result:
    return Result(area=Area.EXPORTER, word="sources", state=state, text=text, remedy=remedy)
