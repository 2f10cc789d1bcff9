"""Whether the demo gets a stage, from its options and from what is on this machine."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpuatlas.cli.demonstration.assets import Assets, find_assets
from gpuatlas.cli.demonstration.past_plan import PastPlan, plan_past
from gpuatlas.cli.demonstration.prometheus import find_prometheus
from gpuatlas.cli.demonstration.scrape_targets import EXPORTER, endpoint_targets
from gpuatlas.cli.demonstration.stage import Stage, StageSettings
from gpuatlas.demo.scenario import FaultSpec, Scenario
from gpuatlas.runtime.backfill.durations import seconds_of

if TYPE_CHECKING:
    from gpuatlas.cli.demonstration.demo_exporter import DemoExporter
    from gpuatlas.demo.server import SimulatedCluster


@dataclass(frozen=True, slots=True, kw_only=True)
class Staging:
    """A stage that is going to be around a cluster with these faults.

    `program` is Prometheus', None where there is none; `past` None for no history.
    """

    assets: Assets
    program: str | None
    faults: tuple[FaultSpec, ...]
    past: PastPlan | None

    def stage(self, cluster: SimulatedCluster, exporter: DemoExporter, folder: Path) -> Stage:
        """What to bring up around the running cluster, with its files in `folder`."""
        urls = cluster.exporter_urls
        pages = {target: urls[key] for key, target in endpoint_targets(cluster.world()).items()}
        settings = StageSettings(
            assets=self.assets,
            program=self.program,
            targets={EXPORTER: f"{exporter.url}/metrics", **pages},
            folder=folder,
            past=self.past,
            known=exporter.observer.size_by,
        )
        return Stage(settings, click.echo)


def choose_staging(
    options: Mapping[str, Any], scenario: Scenario, faults: Sequence[FaultSpec]
) -> Staging | None:
    """The plan for the options of `gpuatlas demo`, None for a demo without a stage.

    Raises:
        click.UsageError: an option has no meaning.
    """
    seconds = _history_seconds(options)
    # Prometheus stamps what it scrapes with the real time.
    simulated = options["at"] is not None or options["speed"] != 1.0
    if options["no_prometheus"] or simulated:
        return None
    assets = find_assets()
    if assets is None:
        return None
    program = find_prometheus()
    # Of two faults of one kind at one place the later is meant, as where they are switched on.
    meant = tuple({fault.target: fault for fault in faults}.values())
    past = None
    if program is not None and seconds:
        past = plan_past(
            scenario,
            meant,
            seed=options["seed"],
            healthy=options["healthy"],
            seconds=seconds,
            now=time.time(),
            rule_files=assets.rule_files,
        )
    return Staging(
        assets=assets,
        program=program,
        faults=meant if past is None else past.faults,
        past=past,
    )


def _history_seconds(options: Mapping[str, Any]) -> float:
    if options["no_history"]:
        return 0.0
    try:
        return seconds_of(options["history"])
    except ValueError as error:
        message = f"--history: {error}"
        raise click.UsageError(message) from error
