from __future__ import annotations

from collections.abc import Callable

import pytest
import requests

from gpuatlas.model.snapshot import Snapshot
from gpuatlas.runtime.advising import Adviser
from gpuatlas.runtime.exporter import Exporter
from gpuatlas.runtime.observe import Observed
from gpuatlas.runtime.scope import Shard
from gpuatlas.runtime.static import StaticObserver
from gpuatlas_harness import build
from gpuatlas_harness.observed import observations
from gpuatlas_harness.polling import poll
from gpuatlas_harness.pooled import H100, T4

Serve = Callable[..., Exporter]
NAME = "gpuatlas_pool_strategy_advice_info"


def advice_lines(http: requests.Session, exporter: Exporter) -> list[str]:
    page = http.get(exporter.url + "/metrics", timeout=5).text
    return [line for line in page.splitlines() if line.startswith(f"{NAME}{{")]


def test_the_page_has_a_series_for_each_strategy(serve: Serve, http: requests.Session) -> None:
    exporter = serve()
    lines = poll(
        lambda: advice_lines(http, exporter) or None, deadline_seconds=60, waiting_for="advice"
    )

    of = f'{NAME}{{pool="",platform="",model="NVIDIA A10G",strategy='
    assert lines == [
        f'{of}"whole",verdict="no-advice",reason="no-driver-metrics"}} 1',
        f'{of}"mig",verdict="impossible",reason="model-without-mig"}} 1',
        f'{of}"memory-limited",verdict="no-advice",reason="no-driver-metrics"}} 1',
        f'{of}"mps",verdict="no-advice",reason="no-driver-metrics"}} 1',
        f'{of}"time-slicing",verdict="no-advice",reason="no-driver-metrics"}} 1',
    ]


def test_it_goes_with_the_page(
    serve: Serve, http: requests.Session, observer: StaticObserver
) -> None:
    exporter = serve()
    poll(lambda: advice_lines(http, exporter) or None, deadline_seconds=60, waiting_for="advice")
    nothing = Observed(observations=observations([], []), statuses=(), missing=("pods",))
    observer.replace(nothing)
    poll(
        lambda: None if advice_lines(http, exporter) else True,
        deadline_seconds=60,
        waiting_for="a page without advice",
    )


def pools(*models: str) -> Snapshot:
    return build.a_snapshot(
        build.a_node(name=f"n{i}", pool=f"p{i}", cards=(build.a_card(model=model),), allocations=())
        for i, model in enumerate(models)
    )


def test_a_pool_is_published_by_one_shard() -> None:
    whole = pools(*([T4, H100] * 6))
    parts = [[a.pool for a in Adviser(Shard(i, 3)).advice(whole, 0.0)] for i in range(3)]

    assert sorted(name for part in parts for name in part) == sorted(f"p{i}" for i in range(12))
    assert all(parts)


@pytest.mark.parametrize(("later", "model"), [(59.9, T4), (60.0, H100)])
def test_it_is_renewed_after_a_minute(later: float, model: str) -> None:
    adviser = Adviser(Shard())
    adviser.advice(pools(T4), 100.0)

    (advice,) = adviser.advice(pools(H100), 100.0 + later)
    assert advice.model == model


def test_a_pool_is_judged_on_all_its_nodes() -> None:
    nodes = [
        build.a_node(name=name, cards=(build.a_card(node=name),), allocations=())
        for name in ("a", "b", "c")
    ]
    told = [Adviser(Shard(i, 2)).advice(build.a_snapshot(nodes), 0.0) for i in range(2)]
    assert [a.nodes for part in told for a in part] == [("a", "b", "c")]
