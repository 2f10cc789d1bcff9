"""One node in three ways of sharing, three weeks of it: the example of `gpuatlas report`.

Four cards of 80 GiB and more services than cards. First each has a card; then a sharing layer hands
out parts of 16 GiB, of which five fit a card; then the node's memory is promised 1.2 times, and six
do. How much each uses follows the hours of the day. What sharing costs in speed is made up here: it
is the scenario's, not a measurement.

`python -m gpuatlas_harness.three_configurations` writes docs/effect-report.md with it, by a real
Prometheus.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from gpuatlas.cli.effects import look_at_effect
from gpuatlas.cli.screens.report import report_markdown
from gpuatlas.report.effect import EffectReport
from gpuatlas.report.scope import Scope
from gpuatlas.report.windows import Change, Window, lay
from gpuatlas.sources.promapi.settings import PrometheusSettings

from .binaries import system_binary
from .processes import LOOPBACK, Readiness, ServerProcess, free_ports
from .prometheus import promtool

DOCUMENT: Final = Path(__file__).parents[3] / "docs" / "effect-report.md"
MIB: Final = 1024 * 1024
DAY: Final = 86_400.0
BEGAN: Final = 1_785_542_400.0  # 2026-08-01T00:00:00Z
ENDED: Final = BEGAN + 21 * DAY
STEP: Final = 300.0
NODE: Final = "a100-1"
CARDS: Final = tuple(f"GPU-{number:08x}-0000-4000-8000-000000000000" for number in range(4))
PHYSICAL: Final = 81_920 * MIB
PROMISE: Final = 16_384 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """How many services share a card, what each is promised, and what that costs them."""

    name: str
    services: int
    promise: int
    speed: float  # of what a service does alone
    first_token: float  # seconds
    slowed: float  # share of the busy hours in which one of a card's services is slowed


CONFIGURATIONS: Final = (
    Configuration(
        name="whole cards", services=1, promise=PHYSICAL, speed=1.0, first_token=0.18, slowed=0.0
    ),
    Configuration(
        name="shared by memory",
        services=5,
        promise=PROMISE,
        speed=0.86,
        first_token=0.24,
        slowed=0.05,
    ),
    Configuration(
        name="overcommitted",
        services=6,
        promise=PROMISE,
        speed=0.78,
        first_token=0.41,
        slowed=0.30,
    ),
)


def windows() -> tuple[Window, ...]:
    """A week of each, less the hour after a change."""
    changes = [Change(BEGAN + n * 7 * DAY, CONFIGURATIONS[n].name) for n in (1, 2)]
    return lay(changes, now=ENDED, since=Change(BEGAN, CONFIGURATIONS[0].name), settle=3600.0)


Sample = tuple[str, dict[str, str], float]


def samples(at: float) -> Iterator[Sample]:
    """What is recorded at an instant."""
    now = CONFIGURATIONS[min(int((at - BEGAN) // (7 * DAY)), 2)]
    busy = _busy(at)
    for number, card in enumerate(CARDS):
        of = {"node": NODE, "card": card}
        resident = now.services * (8_200 + 4_900 * busy + 120 * _noise(at, number)) * MIB
        compute = min(1.0, 0.04 + 0.15 * busy * now.services * now.speed)
        yield "gpuatlas_card_tenants", {**of, "index": str(number)}, float(now.services)
        yield "card:gpuatlas_card_info:group", of, 1.0
        dcgm = {"UUID": card, "gpu": str(number), "Hostname": NODE}
        yield "DCGM_FI_DEV_XID_ERRORS", dcgm, 31.0 * min(_accidents(at), 1)
        if number == 0 and _accidents(at) > _accidents(at - 3600):
            yield "gpu:dcgm_new_xid:max", {**dcgm, "xid": "31"}, 1.0
        yield "card:gpuatlas_memory_physical_bytes:max", of, PHYSICAL
        yield "card:gpuatlas_memory_allocated_bytes:max", of, now.services * now.promise
        yield "card:gpuatlas_memory_resident_bytes:max", of, min(resident, 0.995 * PHYSICAL)
        yield "card:gpuatlas_compute_utilization_ratio:max", of, compute
        contended = busy * (compute > 0.6)
        yield "card:gpuatlas_contended_ratio:rate10m", of, contended
        if now.services * now.promise > PHYSICAL and resident > 0.95 * PHYSICAL:
            yield "card:gpuatlas_out_of_memory_risk:group", of, 1.0
        for service in range(now.services):
            yield from _service(at, now, f"llm-{number}-{service}", of, busy)


def _service(
    at: float, now: Configuration, name: str, card: dict[str, str], busy: float
) -> Iterator[Sample]:
    of = {"namespace": "serving", "workload_kind": "Deployment", "workload": name}
    number = sum(map(ord, name))
    yield "workload:gpuatlas_card_info:group", {**of, **card}, 1.0
    yield "gpuatlas_workload_restarts", of, float(_accidents(at) * (name == "llm-0-0"))
    served = {**of, "runtime": "vllm"}
    tokens = (20 + 480 * busy) * now.speed * (1 + 0.03 * _noise(at, number))
    latency = (now.first_token * (0.6 + 0.4 * busy)) * (1 + 0.05 * _noise(at, number + 7))
    yield "workload:gpuatlas_service_tokens:rate5m", served, tokens
    yield "workload:gpuatlas_service_first_token_seconds:avg5m", served, latency
    yield "workload:gpuatlas_service_running:sum", served, 1 + 9 * busy
    yield "workload:gpuatlas_service_waiting:sum", served, max(0.0, 12 * busy * (1 - now.speed))
    if now.slowed and name.endswith("-0"):
        suspect = {"suspect_namespace": "serving", "suspect_kind": "Deployment"}
        suspect |= {"suspect": name.replace("-0", "-1"), "grade": "3"}
        yield "workload:gpuatlas_slowed_ratio:rate10m", {**of, **suspect}, now.slowed * busy


def _busy(at: float) -> float:
    """0 in the night, 1 in the afternoon."""
    hour = at % DAY / 3600
    return max(0.0, math.sin((hour - 6) / 24 * 2 * math.pi)) * 0.9 + 0.1


def _accidents(at: float) -> int:
    """How often a service of the first card has run out of memory: once a day, overcommitted."""
    return max(0, int((at - BEGAN - 14 * DAY - 13 * 3600) // DAY) + 1)


def _noise(at: float, number: int) -> float:
    """Between -1 and 1, the same each time."""
    return math.sin(at / 977 + number * 1.7) * math.cos(at / 3_571 + number)


def exposition() -> str:
    """All samples as OpenMetrics, which `promtool tsdb` takes: a family at a time."""
    families: dict[str, list[str]] = {}
    for index in range(int((ENDED - BEGAN) / STEP) + 1):
        at = BEGAN + index * STEP
        for name, labels, value in samples(at):
            written = ",".join(f"{key}={json.dumps(text)}" for key, text in labels.items())
            families.setdefault(name, []).append(f"{name}{{{written}}} {value:.10g} {at:.0f}")
    return (
        "".join(
            f"# TYPE {name} gauge\n" + "\n".join(lines) + "\n" for name, lines in families.items()
        )
        + "# EOF\n"
    )


@contextmanager
def prometheus_of_three(folder: Path) -> Iterator[str]:
    """A real Prometheus that has the three weeks; its URL."""
    text = folder / "samples.om"
    text.write_text(exposition(), encoding="utf-8")
    blocks = folder / "tsdb"
    made = promtool(
        ["tsdb", "create-blocks-from", "openmetrics", "--max-block-duration=8760h", text, blocks]
    )
    if made.returncode:
        raise AssertionError(made.stderr)
    config = folder / "prometheus.yml"
    config.write_text("{}", encoding="utf-8")
    address = f"{LOOPBACK}:{free_ports(1)[0]}"
    server = ServerProcess(
        "prometheus",
        [
            system_binary("prometheus", package="prometheus"),
            f"--config.file={config}",
            f"--storage.tsdb.path={blocks}",
            "--storage.tsdb.retention.time=100y",
            f"--web.listen-address={address}",
        ],
        readiness=Readiness(f"http://{address}/-/ready"),
        log_dir=folder,
    )
    server.start()
    try:
        yield f"http://{address}"
    finally:
        server.stop()


def report_of_three(url: str) -> EffectReport:
    """The report on the node, as the command makes it."""
    settings = PrometheusSettings(url=url)
    report, _ = look_at_effect(settings, Scope(node=NODE), windows(), now=ENDED)
    return report


ABOUT: Final = """\
<!-- Made by `python -m gpuatlas_harness.three_configurations`: do not edit. -->

> An example of `gpuatlas report`. The node, its services and what sharing costs them are simulated
> ([the scenario](../tests/harness/gpuatlas_harness/three_configurations.py)): four cards of 80 GiB,
> services that use at most 12.9 GiB each, first a card for each, then parts of 16 GiB, then 1.2
> times the memory promised. A real Prometheus has the three weeks, and this is what it gave:
>
> `gpuatlas report --prometheus-url http://prometheus:9090 --node a100-1
> --since '2026-08-01=whole cards' --changed '2026-08-08=shared by memory'
> --changed '2026-08-15=overcommitted'`

"""


def document(report: EffectReport) -> str:
    """The page."""
    return ABOUT + "".join(f"{line}\n" for line in report_markdown(report))


def main() -> None:
    with TemporaryDirectory() as folder, prometheus_of_three(Path(folder)) as url:
        DOCUMENT.write_text(document(report_of_three(url)), encoding="utf-8")


if __name__ == "__main__":
    main()
