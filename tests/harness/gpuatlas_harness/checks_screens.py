"""What `gpuatlas checks` shows of the simulated cluster: healthy, and with several faults.

After a change that is meant: PYTHONPATH=tests/harness python -m gpuatlas_harness.checks_screens
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from gpuatlas.cli.judged import Verdict
from gpuatlas.cli.live_checks import judge_look
from gpuatlas.cli.looking import joined
from gpuatlas.cli.screens.checks import checks_screen
from gpuatlas.cli.screens.glyphs import UNICODE
from gpuatlas.demo.scenario import FaultSpec
from gpuatlas.demo.server import SimulatedCluster
from gpuatlas.runtime.once import ClusterSettings, NoProgress, look_at_cluster
from gpuatlas.sources.catalogue import load_catalogue
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.layer.settings import LayerSettings
from gpuatlas_harness.check_faults import CHECK_FAULTS

from .simulated import EVENING

GOLDEN: Final = Path(__file__).parents[2] / "exporter" / "cli" / "golden"
WIDTHS: Final = (80, 200)


def fault_of(check: str, number: int = 0) -> FaultSpec:
    """One of the faults that make a check fire, as a rule its plainest."""
    return CHECK_FAULTS[check][number].spec


# Hardware and sharing, critical and not, of a card, a pod, a node and the cluster.
FAULTS: Final = tuple(map(fault_of, ("H01", "H04", "H10", "S01", "S04", "S11", "S14")))
STATES: Final[Mapping[str, tuple[FaultSpec, ...]]] = {"healthy": (), "faults": FAULTS}


@contextmanager
def kubeconfig_of(*faults: FaultSpec) -> Iterator[tuple[Path, float]]:
    """A simulated cluster that stands still, and its instant."""
    with (
        tempfile.TemporaryDirectory() as folder,
        SimulatedCluster(seed=3, start=EVENING, speed=0, faults=faults) as cluster,
    ):
        yield cluster.kubeconfig(Path(folder) / "kubeconfig"), EVENING


def verdict_on(*faults: FaultSpec) -> Verdict:
    """The checks of the simulated cluster with these faults, its webhooks probed."""
    with kubeconfig_of(*faults) as (kubeconfig, now):
        settings = ClusterSettings(
            kubernetes=KubernetesSettings(kubeconfig=kubeconfig), layer=LayerSettings(probe=True)
        )
        seen = look_at_cluster(settings, clock=lambda: now, progress=NoProgress())
    snapshot, _ = joined(seen)
    return judge_look(seen.observed.observations, snapshot, load_catalogue())


def screen_of(verdict: Verdict, width: int, *, everything: bool = False) -> str:
    """The screen as a pipe gets it."""
    lines = checks_screen(verdict, everything=everything, width=width, glyphs=UNICODE)
    return "".join(f"{line.plain}\n" for line in lines)


def main() -> None:
    """Write the golden screens again."""
    for name, faults in STATES.items():
        verdict = verdict_on(*faults)
        for width in WIDTHS:
            (GOLDEN / f"checks-{name}-{width}.txt").write_text(screen_of(verdict, width), "utf-8")


if __name__ == "__main__":
    main()
