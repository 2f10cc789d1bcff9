"""What a Prometheus knows of an installation: a real one, and servers that answer otherwise."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.doctor.recordings import GROUPS
from gpuatlas.model.doctor import DcgmSeries, LoadedRule, PrometheusFacts, Scraped, SourceSight
from gpuatlas.sources.promapi.installation import _rules, read_installation
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.prometheus import PrometheusServer, scrape_config

NOW = 1_800_000_000.0
CARD = "GPU-00000001-0000-4000-8000-000000000000"
OURS = f"""\
gpuatlas_build_info{{version="1.2",revision="",python_version="3"}} 1
gpuatlas_card_info{{node="gpu-a",card="{CARD}",index="0"}} 1
gpuatlas_allocation_info{{node="gpu-a",card="{CARD}",namespace="a",pod="chat-0"}} 1
gpuatlas_source_up{{source="dcgm"}} 0
gpuatlas_source_up{{source="kubernetes-nodes"}} 1
"""
DCGM = f"""\
DCGM_FI_DEV_GPU_TEMP{{gpu="0",UUID="{CARD}",Hostname="gpu-a",namespace="a",pod="chat-0"}} 50
DCGM_FI_DEV_GPU_TEMP{{gpu="1",UUID="{CARD[:-1]}1"}} 50
"""
PAGES = {"/gpuatlas": OURS, "/dcgm": DCGM}
RULES = """
groups:
  - name: card
    rules:
      - {record: "card:gpuatlas_memory_physical_bytes:max", expr: vector(1)}
  - name: mine
    rules:
      - {record: "x:y:z", expr: vector(1)}
      - {alert: GpuXidHardware, expr: vector(1), labels: {check: H01}}
"""


@contextmanager
def served(answer: Callable[[str, str], tuple[int, bytes]]) -> Iterator[str]:
    """A server on HOST:PORT: path and query (with its instants) → status and body."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply("")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = parse_qs(body)
            instants = [form[name][0] for name in ("start", "end", "step") if name in form]
            self._reply(" ".join([form["query"][0], *instants]))

        def _reply(self, query: str) -> None:
            status, body = answer(self.path, query)
            self.send_response(status)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def facts(address: str, **matchers: str) -> PrometheusFacts:
    found = PrometheusSettings(url=f"http://{address}", matchers=matchers)
    return read_installation(found, GROUPS.values(), now=NOW)


# A real Prometheus


def job(address: str, name: str, *, honest: bool) -> dict[str, object]:
    """As the operator has it: the scrape has labels of the exporter's own pod."""
    own = {"namespace": "gpu", "pod": f"{name}-0", "node": "cpu-1"}
    targets = [{"targets": [address], "labels": own}]
    return scrape_config(
        name, [], metrics_path=f"/{name}", honor_labels=honest, static_configs=targets
    )


@pytest.fixture
def pages() -> Iterator[str]:
    with served(lambda path, _: (200, PAGES[path].encode())) as address:
        yield address


@pytest.mark.parametrize("honest", [True, False])
def test_a_real_prometheus(
    *,
    honest: bool,
    pages: str,
    tmp_path: Path,
) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(RULES)
    jobs = [job(pages, "gpuatlas", honest=honest), job(pages, "dcgm", honest=honest)]
    with PrometheusServer(
        jobs, work_dir=tmp_path, rule_files=[rules], alertmanagers=["127.0.0.1:9"]
    ) as server:
        for expression in ("gpuatlas_card_info", "DCGM_FI_DEV_GPU_TEMP", GROUPS["card"], "x:y:z"):
            server.wait_for(expression)
        found = facts(server.url.removeprefix("http://"))

    assert found.error == ""
    assert found.unread == {}
    assert found.version.split(".")[0] in {"2", "3"}
    assert found.exporters == (
        Scraped(job="gpuatlas", instance=pages, namespace="gpu", pod="gpuatlas-0", version="1.2"),
    )
    assert found.gone == ("gpuatlas",)
    labels = ("exported_namespace", "exported_node", "exported_pod")
    assert found.renamed == ({} if honest else {"gpuatlas": labels})
    assert found.holders == frozenset({("a", "chat-0") if honest else ("gpu", "gpuatlas-0")})
    # The second card names no node by itself; the scrape gives it the exporter's.
    assert found.dcgm == DcgmSeries(series=2, nodeless=0, pods=1)
    assert found.rules == (
        LoadedRule(group="card", name=GROUPS["card"]),
        LoadedRule(group="mine", name="x:y:z"),
        LoadedRule(group="mine", name="GpuXidHardware", check="H01"),
    )
    assert found.recorded == frozenset({GROUPS["card"]})
    assert found.history_days == 0
    assert found.alertmanagers == 1
    assert found.sources == (
        SourceSight(source="dcgm", up=False, namespace="gpu", pod="gpuatlas-0"),
        SourceSight(source="kubernetes-nodes", up=True, namespace="gpu", pod="gpuatlas-0"),
    )
    assert found.blind == ()


def test_a_real_prometheus_with_other_labels(pages: str, tmp_path: Path) -> None:
    static = [{"targets": [pages], "labels": {"cluster": "dev"}}]
    scraped = scrape_config("gpuatlas", [], metrics_path="/gpuatlas", static_configs=static)
    with PrometheusServer([scraped], work_dir=tmp_path) as server:
        server.wait_for("gpuatlas_card_info")
        address = server.url.removeprefix("http://")
        other, right, absent = (
            facts(address, cluster="prod"),
            facts(address, cluster="dev"),
            facts(address, tenant="a"),
        )

    assert (other.exporters, other.labelled) == ((), ({"cluster": "dev"},))
    assert [one.job for one in right.exporters or ()] == ["gpuatlas"]
    assert right.labelled is None
    assert (absent.exporters, absent.labelled) == ((), ({"tenant": ""},))


# Others


def vector(*series: Mapping[str, str]) -> bytes:
    result = [{"metric": labels, "value": [NOW, "1"]} for labels in series]
    data = {"resultType": "vector", "result": result}
    return json.dumps({"status": "success", "data": data}).encode()


def answering(
    *, paths: Mapping[str, object] | None = None, series: Mapping[str, Mapping[str, str]]
) -> Callable[[str, str], tuple[int, bytes]]:
    """Answers queries that hold a text with one series; of other paths it has `paths`."""

    def answer(path: str, query: str) -> tuple[int, bytes]:
        if path == "/api/v1/query":
            return 200, vector(*(labels for text, labels in series.items() if text in query))
        if path == "/api/v1/query_range":
            points = [[NOW - 86_400 * day, "1"] for day in range(9)]
            data = {"resultType": "matrix", "result": [{"metric": {}, "values": points}]}
            return 200, json.dumps({"status": "success", "data": data}).encode()
        if paths is not None and path in paths:
            return 200, json.dumps({"status": "success", "data": paths[path]}).encode()
        return 404, b"404 page not found"

    return answer


def test_a_server_with_the_query_api_alone() -> None:
    """As a Mimir or Thanos querier: what it does not serve is not known, and it is said why."""
    series = {"gpuatlas_build_info": {"job": "gpuatlas"}, "__name__=~": {"__name__": "a:b:c"}}
    with served(answering(series=series)) as address:
        found = facts(address)
    assert (found.error, found.version) == ("", "")
    assert (found.rules, found.alertmanagers) == (None, None)
    assert found.unread.keys() == {"version", "rules", "alertmanagers"}
    assert found.unread["rules"] == (
        "the server does not serve that part of the API "
        f"(HTTP 404 from http://{address}: 404 page not found)"
    )
    assert found.recorded == frozenset({"a:b:c"})
    assert found.history_days == 9


@pytest.mark.parametrize(
    ("told", "version"),
    [
        ({"version": "3.5.0", "revision": "abc"}, "3.5.0"),
        ({"version": "2.24.0"}, ""),  # VictoriaMetrics says so to please Grafana
        ({"version": "2.15.0", "revision": "abc", "application": "Grafana Mimir"}, ""),
        ([], ""),
        (None, ""),
    ],
)
def test_releases_of_other_programs_are_not_prometheus(told: object, version: str) -> None:
    with served(answering(paths={"/api/v1/status/buildinfo": told}, series={})) as address:
        assert facts(address).version == version


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (200, b"<html>Grafana</html>", "gives no answer of the Prometheus HTTP API; check the URL"),
        (200, b'{"data":{"resultType":"matrix","result":[]}}', "another type than vector"),
        (401, b"who?", "HTTP 401 from"),
        (502, b"no upstream", "HTTP 502 from"),
    ],
)
def test_what_is_no_prometheus(status: int, body: bytes, error: str) -> None:
    with served(lambda *_: (status, body)) as address:
        found = facts(address)
    assert error in found.error
    assert (found.exporters, found.rules, found.unread) == (None, None, {})


def test_days_of_history_are_whole_days_before_today() -> None:
    asked: list[str] = []

    def answer(path: str, query: str) -> tuple[int, bytes]:
        if path == "/api/v1/query_range":
            asked.append(query)
        return answering(series={})(path, query)

    with served(answer) as address:
        facts(address)
    first, last = NOW - 30 * 86_400, NOW - 86_400
    expression = "group(last_over_time(cluster:gpuatlas_watched:ratio1d{}[1h]))"
    assert asked == [f"{expression} {first:.3f} {last:.3f} 86400.000"]


LABELLED = (
    'group by (cluster, tenant) ({__name__=~"up|gpuatlas_build_info|DCGM_FI_DEV_GPU_TEMP|'
    'DCGM_FI_DEV_FB_USED"})'
)


def asking(
    asked: list[str], series: Mapping[str, Mapping[str, str]]
) -> Callable[[str, str], tuple[int, bytes]]:
    """As `answering`, and remembers the queries."""

    def answer(path: str, query: str) -> tuple[int, bytes]:
        asked.append(query)
        return answering(series=series)(path, query)

    return answer


def test_the_matchers_are_in_every_query_but_that_for_what_there_is_instead() -> None:
    asked: list[str] = []
    with served(asking(asked, {})) as address:
        found = facts(address, tenant="a", cluster="prod")
    selecting = [query for query in asked if "{" in query]
    assert len(selecting) >= 10
    assert [query for query in selecting if 'cluster="prod"' not in query] == [LABELLED]
    assert (found.matchers, found.labelled) == ({"tenant": "a", "cluster": "prod"}, ())


def test_labels_that_others_have_are_read_in_one_query() -> None:
    there: list[dict[str, str]] = [{"cluster": "prod", "tenant": "b"}, {"cluster": "\x07dev"}, {}]

    def answer(path: str, query: str) -> tuple[int, bytes]:
        if query == LABELLED:
            return 200, vector(*there)
        return answering(series={})(path, query)

    with served(answer) as address:
        found = facts(address, tenant="a", cluster="prod")
    assert found.labelled == (
        {"cluster": "", "tenant": ""},
        {"cluster": "prod", "tenant": "b"},
        {"cluster": "\N{REPLACEMENT CHARACTER}dev", "tenant": ""},
    )


@pytest.mark.parametrize(
    "series",
    [
        "gpuatlas_build_info",
        "last_over_time(gpuatlas_build_info",
        "DCGM_FI_DEV_GPU_TEMP",
        GROUPS["card"],
    ],
)
def test_where_something_is_found_nobody_asks_for_labels(series: str) -> None:
    asked: list[str] = []
    with served(asking(asked, {series: {"__name__": "x"}})) as address:
        found = facts(address, cluster="prod")
    assert [query for query in asked if "group by (cluster)" in query] == []
    assert found.labelled is None


def test_nor_without_a_matcher() -> None:
    asked: list[str] = []
    with served(asking(asked, {})) as address:
        found = facts(address)
    assert [query for query in asked if '"up|' in query] == []
    assert (found.matchers, found.labelled) == ({}, None)


def test_labels_that_the_server_does_not_give_are_unread() -> None:
    def answer(path: str, query: str) -> tuple[int, bytes]:
        if query == LABELLED:
            return 422, b"too many"
        return answering(series={})(path, query)

    with served(answer) as address:
        found = facts(address, tenant="a", cluster="prod")
    assert found.labelled is None
    assert found.unread["labelled"] == f"HTTP 422 from http://{address}: too many"


@pytest.mark.parametrize("value", ["1e308", "-1", "1e300"])
def test_counts_that_cannot_be_cost_their_question_only(value: str) -> None:
    result = [{"metric": {"a": name}, "value": [NOW, value]} for name in "xy"]
    data = {"resultType": "vector", "result": result}
    with served(lambda *_: (200, json.dumps({"data": data}).encode())) as address:
        found = facts(address)
    assert (found.error, found.dcgm) == ("", None)
    assert "series" in found.unread["dcgm"]


@pytest.mark.parametrize("data", [{}, {"groups": 3}, [], None, {"activeAlertmanagers": "x"}])
def test_lists_in_another_shape_are_no_answer(data: object) -> None:
    paths = {"/api/v1/rules": data, "/api/v1/alertmanagers": data}
    with served(answering(paths=paths, series={})) as address:
        found = facts(address)
    assert (found.rules, found.alertmanagers) == (None, None)
    for name in ("rules", "alertmanagers"):
        assert "gives no answer of the Prometheus HTTP API" in found.unread[name]


def test_a_rule_that_fails_says_why() -> None:
    failing = {"name": "a", "type": "recording", "health": "err", "lastError": "many-to\nmany"}
    mute = {"name": "b", "type": "alerting", "health": "err", "labels": {"check": "H01"}}
    group = {"name": "card", "rules": [failing, mute, {"health": "ok"}, 3]}
    assert list(_rules(group)) == [
        LoadedRule(group="card", name="a", error="many-to many"),
        LoadedRule(group="card", name="b", check="H01", error="no reason was given"),
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "rules", "labels", "type", "health", "check", "lastError"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=150)
@given(JSON)
def test_no_group_of_rules_breaks_the_reader(group: object) -> None:
    for rule in _rules(group):
        assert rule.name.isprintable() or rule.name
        assert len(rule.error) <= 300


def test_names_of_rules_and_groups_are_one_clean_line() -> None:
    """A tenant who may make rules names them as he likes."""
    (rule,) = _rules({"name": "g\n\x1b[2J", "rules": [{"name": "a\x07b\n" + "c" * 10_000}]})
    assert rule.group.isprintable()
    assert rule.name.isprintable()
    assert len(rule.name) < 1000


def test_a_slow_server_is_not_asked_for_minutes() -> None:
    """Twenty seconds for each question: three are answered, then it ends."""
    instants = iter(range(0, 2_000, 20))
    asked: list[str] = []
    with served(asking(asked, {})) as address:
        found = read_installation(
            PrometheusSettings(url=f"http://{address}"),
            GROUPS.values(),
            now=NOW,
            monotonic=lambda: next(instants),
        )
    assert [query for query in asked if "DCGM" in query] == []
    assert found.exporters == ()
    assert {found.unread[name] for name in ("rules", "recorded", "sources", "blind")} == {
        "not asked: what was asked before took 60 s"
    }
    assert (found.holders, found.dcgm, found.rules) == (None, None, None)
