"""`gpuatlas checks --prometheus-url`: a real Prometheus with our rules, and others without."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gpuatlas_harness.alert_rules import ROOT
from gpuatlas_harness.compressed import compressed_rules
from gpuatlas_harness.prometheus import PrometheusServer, scrape_config
from gpuatlas_harness.serving import serving

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import FakeApi, Run

FASTER = 60  # a minute of the rules passes in a second
# In the order of recording_rules/README.md as far as the checks need them.
RECORDINGS = (
    "normalise",
    "card",
    "allocation",
    "namespace",
    "workload",
    "node",
    "cluster",
    "check",
)
ALERTS = ("hardware", "sharing", "operations", "meta")
RULES = [
    *(ROOT / "recording_rules" / f"{name}.yaml" for name in RECORDINGS),
    *(ROOT / "alerts" / f"{name}.yaml" for name in ALERTS),
]
CARD = "GPU-00000001-0000-4000-8000-000000000000"
HARDWARE = f"""
DCGM_FI_DEV_SM_CLOCK{{gpu="0",UUID="{CARD}",modelName="NVIDIA A10G",Hostname="gpu-a"}} 1695
DCGM_FI_DEV_GPU_TEMP{{gpu="0",UUID="{CARD}",modelName="NVIDIA A10G",Hostname="gpu-a"}} 50
DCGM_FI_DEV_ROW_REMAP_FAILURE{{gpu="0",UUID="{CARD}",modelName="NVIDIA A10G",Hostname="gpu-a"}} %d
"""
SHARING = """
gpuatlas_build_info{version="1",revision="",python_version="3"} 1
gpuatlas_card_info{node="gpu-a",card="GPU-1",index="0",sharing="hami",vendor="nvidia"} 1
"""


def sharing(*, state: str, findings: str = "") -> str:
    """A page of our exporter on which every sharing check has the same inputs."""
    lines = [SHARING.strip()]
    for number in range(1, 18):
        for word in ("ok", "missing", "not_applicable"):
            value = int(word == state)
            lines.append(f'gpuatlas_check_inputs{{check="S{number:02}",state="{word}"}} {value}')
    return "\n".join([*lines, findings.strip(), ""])


ABSENT = {
    "check": "S07",
    "signal": "absent",
    "node": "",
    "card": "",
    "namespace": "hami",
    "pod": "",
    "object": "Deployment/hami/s",
    "source": "webhooks",
    "record": "none points to it",
}
FINDING = ",".join(f'{name}="{text}"' for name, text in ABSENT.items())
FOUND = sharing(
    state="ok",
    findings=f"""
gpuatlas_finding_info{{{FINDING}}} 1
gpuatlas_node_check_inputs{{node="gpu-a",check="S10",state="ok"}} 1
""",
)
PAGES = {
    "/east/dcgm": HARDWARE % 1,
    "/east/gpuatlas": FOUND,
    "/west/dcgm": HARDWARE % 0,
    "/west/gpuatlas": sharing(state="not_applicable"),
}


@pytest.fixture
def pages() -> Iterator[str]:
    """The pages, on HOST:PORT."""

    def answer(path: str, _content: str) -> tuple[int, bytes]:
        return 200, PAGES[path].encode()

    with serving(answer, content_type="text/plain; version=0.0.4") as address:
        yield address


def scrapes(address: str) -> list[dict[str, object]]:
    """Each cluster's exporters, as a Prometheus of several clusters has them."""
    return [
        scrape_config(
            f"{cluster}-{job}",
            [],
            metrics_path=f"/{cluster}/{page}",
            honor_labels=True,
            static_configs=[{"targets": [address], "labels": {"cluster": cluster}}],
            relabel_configs=[{"target_label": "job", "replacement": job}],
        )
        for cluster in ("east", "west")
        for job, page in (("dcgm-exporter", "dcgm"), ("gpuatlas", "gpuatlas"))
    ]


def test_a_real_prometheus_with_our_rules(
    pages: str, prometheus_server: Callable[..., PrometheusServer], run: Run, tmp_path: Path
) -> None:
    rules = compressed_rules(RULES, tmp_path, by=FASTER)
    server = prometheus_server(scrapes(pages), rule_files=rules)
    for check in ("H04", "S07"):
        server.wait_for(f'check:gpuatlas_check_state:max{{check="{check}",state="firing"}} == 1')
    server.wait_for('node:gpuatlas_check_state:max{check="S10"} == 1')

    result = run("checks", "--prometheus-url", server.url, "-o", "json")
    assert (result.exit_code, result.stderr) == (1, "")
    document = json.loads(result.stdout)
    assert document["basis"] == {"kind": "prometheus", "address": server.url}
    east, west = document["clusters"]
    assert (east["name"], west["name"]) == ("east", "west")
    _has_what_fires_in_the_east(east)
    assert west["summary"]["severities"] == {}
    assert west["summary"]["states"]["not_applicable"] == 17

    screen = run("checks", "--prometheus-url", server.url, "--cluster", "east").stdout
    assert screen.startswith("cluster east\n2 critical; ")
    assert "cluster west" not in screen
    assert "(value 1); the limit is 0." in " ".join(screen.split())
    quiet = run("checks", "--prometheus-url", server.url, "--cluster", "west")
    assert quiet.exit_code == 0
    other = run("checks", "--prometheus-url", server.url, "--check", "S10", "--node", "gpu-a")
    assert (other.exit_code, "S10  ✓ ok" in other.stdout) == (0, True)


def _has_what_fires_in_the_east(cluster: dict[str, Any]) -> None:
    checks = {check["id"]: check for check in cluster["checks"]}
    assert {c for c, check in checks.items() if check["state"] == "firing"} == {"H04", "S07"}
    (remap,) = checks["H04"]["findings"]
    assert (remap["signal"], remap["severity"], remap["card"]) == ("remap-failed", "critical", CARD)
    assert (remap["node"], remap["index"], remap["state"]) == ("gpu-a", "0", "firing")
    assert remap["since"] is not None
    (quote,) = remap["evidence"]
    assert quote["source"] == "alert GpuMemoryRepair"
    assert "failed to remap a row (value 1)" in quote["record"]
    (absent,) = checks["S07"]["findings"]
    assert absent["evidence"] == [{"source": "webhooks", "record": "none points to it"}]
    # Labels that came out empty are none, whatever ALERTS says of them.
    assert (absent["node"], absent["card"], absent["object"]) == ("", "", "Deployment/hami/s")
    assert checks["H02"]["state"] == "unknown"
    assert [lack["input"] for lack in checks["H02"]["missing"]] == ["DCGM_EXP_XID_ERRORS_COUNT"]
    assert checks["S10"]["node_states"] == {"gpu-a": "ok"}


@pytest.fixture
def empty_prometheus() -> Iterator[str]:
    """A Prometheus that has nothing, neither rules nor pages."""
    yield from _answering([])


def _answering(result: Sequence[object]) -> Iterator[str]:
    def answer(_path: str, content: str) -> tuple[int, bytes]:
        kind = "matrix" if "%5B" in content else "vector"
        data = {"resultType": kind, "result": result if kind == "vector" else []}
        return 200, json.dumps({"status": "success", "data": data}).encode()

    with serving(answer, method="POST") as address:
        yield address


def test_where_the_rules_are_not_loaded_the_cluster_is_looked_at(
    run: Run, api: FakeApi, tmp_path: Path, empty_prometheus: str
) -> None:
    kubeconfig = api.kubeconfig(tmp_path)
    result = run(
        *("checks", "--prometheus-url", f"http://{empty_prometheus}", "--kubeconfig", kubeconfig),
        *("--cluster", "prod"),
    )
    assert result.exit_code == 0
    first, *_ = result.stderr.splitlines()
    assert first == (
        f"warning: http://{empty_prometheus} has no check:gpuatlas_check_state:max"
        '{cluster="prod"}: our rules (recording_rules/, alerts/) are not loaded there, or not for '
        "this cluster; looking at the cluster itself instead"
    )
    assert "One look at one instant." in result.stdout


def test_a_fallback_that_fails_ends_with_3(run: Run, empty_prometheus: str) -> None:
    result = run("checks", "--prometheus-url", f"http://{empty_prometheus}")
    assert (result.exit_code, result.stdout) == (3, "")
    warning, error = result.stderr.splitlines()
    assert warning.startswith("warning: http://")
    assert error.startswith("Error: no Kubernetes configuration")


def test_a_node_that_the_prometheus_does_not_know(run: Run) -> None:
    states: list[tuple[str, dict[str, str]]] = [
        ("check:gpuatlas_check_state:max", {"check": "H01", "state": "ok"}),
        ("node:gpuatlas_check_state:max", {"check": "H01", "state": "ok", "node": "gpu-a"}),
    ]
    result = [{"metric": labels | {"__name__": n}, "value": [1.0, "1"]} for n, labels in states]
    for address in _answering(result):
        answer = run("checks", "--prometheus-url", f"http://{address}", "--node", "gpu-b")
    assert answer.exit_code == 3
    assert "no node with cards is called 'gpu-b'; nodes with cards: gpu-a" in answer.stderr
