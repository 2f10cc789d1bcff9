"""What the board Sizing says beside the containers, on series written by hand."""

from __future__ import annotations

from pathlib import Path

from gpuatlas_dashboards.boards import sizing_queries as queries
from gpuatlas_dashboards.boards.sizing_queries import ROW
from gpuatlas_dashboards.signals import sizing
from gpuatlas_dashboards.workload_variables import KEY
from gpuatlas_harness.board_answers import Samples, faults


def node_row(node: str) -> str:
    return f'{{cluster="c", node="{node}", {ROW}="c/{node}"}}'


def test_the_safe_ratio_stands_beside_the_present_one(tmp_path: Path) -> None:
    """Of a node without a sharing layer only the present one is known, from the recordings."""
    series = {
        'gpuatlas_sizing_node_overcommit_present_ratio{cluster="c", node="a"}': "1.2x5",
        'gpuatlas_sizing_node_overcommit_safe_ratio{cluster="c", node="a"}': "1.4x5",
        'node:gpuatlas_memory_allocated:ratio{cluster="c", node="a"}': "1.1x5",
        'node:gpuatlas_memory_allocated:ratio{cluster="c", node="b"}': "0.5x5",
    }
    asked: dict[str, Samples] = {
        queries.furthest_promised(sizing.PRESENT_RATIO): [
            (node_row("a"), 1.2),
            (node_row("b"), 0.5),
        ],
        queries.furthest_promised(sizing.SAFE_RATIO): [(node_row("a"), 1.4)],
    }

    assert faults(tmp_path, series, asked) == ""


def test_what_fits_names_node_and_workload(tmp_path: Path) -> None:
    owner = 'cluster="c", namespace="red", workload_kind="Deployment", workload="chat"'
    name = "gpuatlas_sizing_node_fits"
    series = {f'{name}{{node="a", {owner}}}': "3x5", f'{name}{{node="b", {owner}}}': "0x5"}
    row = f'{{node="a", {owner}, {KEY}="c/red/Deployment/chat"}}'

    assert faults(tmp_path, series, {queries.FITS: [(row, 3.0)]}) == ""


def test_a_priority_is_proposed_with_its_reasons(tmp_path: Path) -> None:
    owner = 'cluster="c", namespace="red", workload_kind="Deployment", workload="chat"'
    pod = 'cluster="c", namespace="red", pod="chat-0"'
    series = {
        f'gpuatlas_sizing_contended_seconds{{{owner}, role="victim"}}': "3600x5",
        f"gpuatlas_sizing_priority_proposed{{{owner}}}": "0x5",
        f'gpuatlas_allocation_priority{{{pod}, node="n", card="a", container="m"}}': "1x5",
        f'pod:gpuatlas_pod_workload_info:group{{{pod}, workload_kind="Deployment", '
        'workload="chat"}': "1x5",
    }
    row = f'{{{owner}, {KEY}="c/red/Deployment/chat"}}'
    asked: dict[str, Samples] = {
        queries.contended("victim"): [(row, 3600.0)],
        queries.contended("suspect"): [],
        queries.PRIORITY_NOW: [(row, 1.0)],
        queries.PRIORITY_PROPOSED: [(row, 0.0)],
    }

    assert faults(tmp_path, series, asked) == ""


def test_a_service_measured_only_alone_has_a_row(tmp_path: Path) -> None:
    owner = 'cluster="c", namespace="red", workload_kind="Deployment", workload="chat"'
    series = {
        f"workload:gpuatlas_service_speed_alone:avg1d{{{owner}}}": "80x5",
        f"workload:gpuatlas_service_speed_alone:count1d{{{owner}}}": "20x5",
    }
    row = f'{{{owner}, {KEY}="c/red/Deployment/chat"}}'
    asked: dict[str, Samples] = {
        f"({queries.speed(sizing.SPEED_ALONE)}) + 0": [(row, 80.0)],
        queries.speed(sizing.TIME_ALONE): [(row, 1200.0)],
        queries.speed(sizing.SPEED_RATIO): [],
    }

    assert faults(tmp_path, series, asked) == ""


def test_what_the_analysis_lacks_is_listed_once_though_two_exporters_say_it(tmp_path: Path) -> None:
    missing = "gpuatlas_sizing_missing_info"
    rules = 'cluster="c", input="a:b", reason="load the rules"'
    later = 'cluster="d", input="d:e", reason="ask later"'
    series = {
        f'{missing}{{instance="1", {rules}}}': "1x5",
        f'{missing}{{instance="2", {rules}}}': "1x5",
        f'{missing}{{instance="1", {later}}}': "1x5",
    }
    rows: Samples = [(f"{{{rules}}}", 1.0), (f"{{{later}}}", 1.0)]

    assert faults(tmp_path, series, {queries.MISSING: rows}) == ""
