"""Samples and rules of the past, written into a real Prometheus and asked for again."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Final

import pytest

from gpuatlas.runtime.backfill.evaluation import PastEvaluator
from gpuatlas.runtime.backfill.range_query import Grid, RangeQuery, RangeQueryError
from gpuatlas.runtime.backfill.remote_write import RemoteWriteError, RemoteWriter
from gpuatlas.runtime.backfill.rule_files import Rule, RuleFileError, RuleGroup
from gpuatlas.runtime.backfill.series import NAME, NO_SAMPLE, Block, series_key
from gpuatlas_harness.http import loopback_session
from gpuatlas_harness.past import PastServer, past_server

BEGAN: Final = 1_793_292_000.0
HOT: Final = series_key({NAME: "temperature", "card": "a", "node": "n1"})
COLD: Final = series_key({NAME: "temperature", "card": "b", "node": "n1"})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PastServer]:
    with past_server(tmp_path_factory.mktemp("prometheus")) as running:
        yield running


class Past:
    """Writes samples of one metric a minute, each test under a time of its own."""

    def __init__(self, server: PastServer, hours: float) -> None:
        self.server = server
        self.began = BEGAN + hours * 3600
        self.session = loopback_session()
        self.writer = RemoteWriter(server.url, self.session)
        self.queries = RangeQuery(server.url, self.session)

    def grid(self, first: int, count: int) -> Grid:
        begin = self.began + first * 60
        return Grid(first=begin, last=begin + (count - 1) * 60, step=60)

    def write(self, first: int, **columns: list[float]) -> None:
        block = Block(
            instants=self.grid(first, len(next(iter(columns.values())))).instants,
            columns={{"hot": HOT, "cold": COLD}[k]: array("d", v) for k, v in columns.items()},
        )
        self.writer.write(block, writer="scrape")

    def values(self, promql: str, minutes: range) -> list[list[tuple[str, float]]]:
        """For each minute the cards and values."""
        return [
            sorted(
                (labels.get("card", ""), value)
                for labels, value in self.server.query(promql, self.began + minute * 60)
            )
            for minute in minutes
        ]


def test_what_was_written_is_there_and_ends_when_it_ended(server: PastServer) -> None:
    past = Past(server, hours=0)
    past.write(0, hot=[70, 71, NO_SAMPLE], cold=[NO_SAMPLE, 30, 31])
    past.write(3, hot=[72.5])

    assert past.values("temperature", range(-1, 5)) == [
        [],
        [("a", 70)],
        [("a", 71), ("b", 30)],
        [("b", 31)],  # not a look-back of five minutes
        [("a", 72.5)],
        [("a", 72.5)],
    ]


def test_rules_are_evaluated_at_their_own_pace_and_in_order(server: PastServer) -> None:
    past = Past(server, hours=1)
    groups = (
        RuleGroup(
            name="minute",
            interval_seconds=60,
            rules=(
                Rule(
                    record="card:temperature:max",
                    expression="max by (card) (temperature)",
                    labels={"unit": "celsius"},
                ),
                Rule(record="card:half:max", expression="card:temperature:max / 2"),
            ),
        ),
        RuleGroup(
            name="slow",
            interval_seconds=120,
            rules=(Rule(record="card:slow:max", expression="card:half:max"),),
        ),
    )
    evaluator = PastEvaluator(groups, past.queries, past.writer)
    for first, hot in ((0, [80.0, NO_SAMPLE]), (2, [90.0, 92.0])):
        past.write(first, hot=hot)
        evaluator.evaluate(past.grid(first, 2))

    assert past.values('card:half:max{unit="celsius"}', range(4)) == [
        [("a", 40)],
        [],
        [("a", 45)],
        [("a", 46)],
    ]
    assert past.values("timestamp(card:slow:max)", range(4)) == [
        [("a", past.began)],
        [("a", past.began)],
        [("a", past.began + 120)],
        [("a", past.began + 120)],
    ]


def test_a_series_that_changes_its_branch_is_whole(server: PastServer) -> None:
    """One branch keeps the name of its series, the other has none: two series of one answer."""
    past = Past(server, hours=1.5)
    state = Rule(
        record="card:is_hot:max",
        expression="(temperature * 0 + 1 and temperature > 85) or temperature * 0",
    )
    named = Rule(
        record="card:hot:max", expression="(temperature and temperature > 85) or temperature * 0"
    )
    group = RuleGroup(name="branches", interval_seconds=60, rules=(state, named))
    past.write(0, hot=[80.0, 90.0, 80.0, 95.0])
    PastEvaluator((group,), past.queries, past.writer).evaluate(past.grid(0, 4))

    assert past.values("card:is_hot:max", range(4)) == [[("a", value)] for value in (0, 1, 0, 1)]
    assert past.values("card:hot:max", range(4)) == [[("a", value)] for value in (0, 90, 0, 95)]


HOT_ALERT: Final = Rule(
    alert="Hot",
    expression="temperature > 85",
    for_seconds=60,
    labels={"severity": "critical", "node": "{{ $labels.node }}!", "lost": "{{ $labels.none }}"},
)


def test_alerts_become_the_series_that_prometheus_writes(server: PastServer) -> None:
    past = Past(server, hours=2)
    group = RuleGroup(name="alerts", interval_seconds=60, rules=(HOT_ALERT,))
    evaluator = PastEvaluator([group], past.queries, past.writer)
    for first, hot in ((0, [80.0, 90.0]), (2, [91.0, 92.0, 60.0])):
        past.write(first, hot=hot)
        evaluator.evaluate(past.grid(first, len(hot)))

    assert past.values('ALERTS{alertstate="pending"}', range(5)) == [[], [("a", 1)], [], [], []]
    firing = past.values('ALERTS{alertstate="firing"}', range(5))
    assert firing == [[], [], [("a", 1)], [("a", 1)], []]
    assert past.values("ALERTS_FOR_STATE", range(1, 4)) == [[("a", past.began + 60)]] * 3
    ((labels, _),) = server.query("ALERTS", past.began + 120)
    assert labels == {
        "__name__": "ALERTS",
        "alertname": "Hot",
        "alertstate": "firing",
        "card": "a",
        "node": "n1!",
        "severity": "critical",
    }


def test_alerts_go_on_where_another_evaluation_ended(server: PastServer) -> None:
    past = Past(server, hours=3)
    other = Rule(alert="Hot", expression="temperature > 85", labels={"severity": "info"})
    group = RuleGroup(name="alerts", interval_seconds=60, rules=(HOT_ALERT, other))
    past.write(0, hot=[90, 90, 90], cold=[20, 20, 90])
    PastEvaluator([group], past.queries, past.writer).evaluate(past.grid(0, 3))
    past.write(3, hot=[90], cold=[90])
    later = PastEvaluator([group], past.queries, past.writer)
    later.resume(past.began + 120)
    later.evaluate(past.grid(3, 1))

    at = past.began + 180
    fired = server.query('ALERTS{severity="critical", alertstate="firing"}', at)
    assert sorted(labels["card"] for labels, _ in fired) == ["a", "b"]
    since = server.query('ALERTS_FOR_STATE{severity="critical"}', at)
    assert {labels["card"]: value for labels, value in since} == {
        "a": past.began,
        "b": past.began + 120,
    }
    assert len(server.query('ALERTS{severity="info"}', at)) == 2


def test_what_prometheus_refuses_is_told(server: PastServer) -> None:
    past = Past(server, hours=4)
    past.write(0, hot=[1])

    with pytest.raises(RangeQueryError, match=r"parse error.*: sum"):
        past.queries.ask("sum(", past.grid(0, 1))
    with pytest.raises(RemoteWriteError, match=r"/api/v1/write: 400: "):
        past.write(0, hot=[2])


def test_a_label_template_that_needs_more_than_labels_is_refused(server: PastServer) -> None:
    past = Past(server, hours=5)
    past.write(0, hot=[90])
    rule = Rule(alert="Hot", expression="temperature > 85", labels={"value": "{{ $value }}"})
    group = RuleGroup(name="alerts", interval_seconds=60, rules=(rule,))

    with pytest.raises(RuleFileError, match="names more than a label"):
        PastEvaluator([group], past.queries, past.writer).evaluate(past.grid(0, 1))


def test_nothing_listens_there() -> None:
    with loopback_session() as session:
        with pytest.raises(RemoteWriteError, match="Connection refused"):
            RemoteWriter("http://127.0.0.1:9", session).write(
                Block(instants=(BEGAN,), columns={HOT: array("d", [1.0])}), writer="scrape"
            )
        with pytest.raises(RangeQueryError, match="Connection refused"):
            RangeQuery("http://127.0.0.1:9", session).ask("up", Grid(first=0, last=0, step=1))


def daily() -> RuleGroup:
    return RuleGroup(
        name="days",
        interval_seconds=60,
        rules=(
            Rule(record="card:temperature:max", expression="max by (card) (temperature)"),
            Rule(record="card:temperature:max1d", expression="max_over_time(temperature[1d])"),
            Rule(alert="Hot", expression="temperature > 1"),
        ),
    )


def test_what_looks_back_over_a_day_is_recorded_once_an_hour(server: PastServer) -> None:
    past = Past(server, 40)
    past.write(0, hot=[float(number) for number in range(70)])

    evaluator = PastEvaluator([daily()], past.queries, past.writer)
    evaluator.evaluate(past.grid(0, 70))

    assert past.values("card:temperature:max", range(68, 70)) == [[("a", 68.0)], [("a", 69.0)]]
    assert past.values("card:temperature:max1d", range(58, 62)) == [
        [("a", 0.0)], [("a", 0.0)], [("a", 60.0)], [("a", 60.0)],
    ]  # fmt: skip


def test_now_and_then_what_was_recorded_stands_until_the_next_look(server: PastServer) -> None:
    past = Past(server, 60)
    past.write(0, hot=[1.0] * 4 + [2.0] * 4 + [NO_SAMPLE] * 2)

    evaluator = PastEvaluator([daily()], past.queries, past.writer)
    names = {"card:temperature:max"}
    grid = past.grid(0, 10)
    evaluator.evaluate_now_and_then(grid, every=4, only=names, standing=names)

    assert past.values("card:temperature:max", range(10)) == [
        *([[("a", 1.0)]] * 4), *([[("a", 2.0)]] * 4), [], [],
    ]  # fmt: skip
    assert past.values("card:temperature:max1d or ALERTS", range(10)) == [[]] * 10


def test_what_does_not_stand_is_there_at_looks_alone(server: PastServer) -> None:
    past = Past(server, 80)
    past.write(0, hot=[1.0] * 9)

    evaluator = PastEvaluator([daily()], past.queries, past.writer)
    names = {"card:temperature:max"}
    evaluator.evaluate_now_and_then(past.grid(0, 9), every=8, only=names, standing=())

    counted = past.values("count_over_time(card:temperature:max[9m])", range(8, 9))
    assert counted == [[("a", 2.0)]]
