"""Whether there is a Prometheus that answers, and of which release it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpuatlas.doctor.releases import PROMETHEUS, release_of, shown
from gpuatlas.doctor.results import Act, Area, Remedy, Result, State
from gpuatlas.model.doctor import PrometheusFacts

_NAME_IT: Final = Remedy(
    Act.SET, "--prometheus-url http://HOST:9090 (in the chart: prometheus.url)"
)
_FIND: Final = Remedy(
    Act.RUN, "kubectl get services -A | grep -E 'prometheus|thanos|mimir|vmselect'"
)
_UPGRADE: Final = Remedy(Act.SET, f"a Prometheus of {shown(PROMETHEUS.first)} or newer")


def examine_prometheus(prometheus: PrometheusFacts | None) -> Iterator[Result]:
    """Named or not, reached or not; its release; who its alerts go to."""
    if prometheus is None:
        text = (
            "none was named: scrape, rules, alerts and history were not looked at, and what "
            "workloads need is unknown"
        )
        yield _result("reached", State.UNKNOWN, text, _NAME_IT)
        return
    if prometheus.error:
        yield _result("reached", State.FAILED, prometheus.error, _FIND)
        return
    yield _result("reached", State.OK, f"{prometheus.address} answers queries")
    yield _release(prometheus)


def _release(prometheus: PrometheusFacts) -> Result:
    release = release_of(prometheus.version)
    needed = f"{shown(PROMETHEUS.first)} or newer is needed"
    if release is None:
        why = prometheus.unread.get("version", "it is another program that speaks its API")
        return _result("release", State.UNKNOWN, f"its release is not told ({why}); {needed}")
    text = f"Prometheus {prometheus.version}; {needed}"
    if release < PROMETHEUS.first:
        return _result("release", State.TODO, text, _UPGRADE)
    return _result("release", State.OK, text)


def _result(word: str, state: State, text: str, remedy: Remedy | None = None) -> Result:
    return Result(area=Area.PROMETHEUS, word=word, state=state, text=text, remedy=remedy)
