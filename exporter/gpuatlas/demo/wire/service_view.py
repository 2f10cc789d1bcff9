"""One server of a service as its page sees it: numbers of the moment, and counters. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from gpuatlas.demo.randomness import fraction
from gpuatlas.demo.scenario import WorkloadSpec
from gpuatlas.demo.services import Flow, cache_of, cache_use, flow_of, traffic_of
from gpuatlas.demo.serving import Cache, Traffic
from gpuatlas.demo.slowdowns import speed_of
from gpuatlas.demo.state import PodState, World
from gpuatlas.demo.tallies import Tallies, Tally
from gpuatlas.demo.usage import load_of

# How much longer slowed requests take in the histograms, and how sharply times are bunched.
_SLOWED: Final = 4.0
_SHARPNESS: Final = 4
_DITHER_SECONDS: Final = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceView:
    """`tally` is None in a past of which nobody asks for counters: its page has none.

    Where nobody asks for `buckets`, histograms have sums and counts alone.
    """

    pod: PodState
    flow: Flow
    tally: Tally | None
    dither: tuple[float, float]
    buckets: bool = True

    @property
    def workload(self) -> WorkloadSpec:
        """Whose server it is."""
        return self.pod.workload

    @property
    def traffic(self) -> Traffic:
        """What is asked of it."""
        return traffic_of(self.workload)

    @property
    def running(self) -> int:
        """Requests that are being answered now."""
        return int(self.flow.running + self.dither[0])

    @property
    def waiting(self) -> int:
        """Requests that wait now."""
        return int(self.flow.waiting + self.dither[1])

    @property
    def cache(self) -> Cache:
        """Its key-value cache."""
        return cache_of(self.workload)

    @property
    def cache_used(self) -> float:
        """The share of the cache in use, in four digits."""
        return round(cache_use(self.workload, self.flow), 4)


def view_of(world: World, pod: PodState, tallies: Tallies | None) -> ServiceView:
    """The server in a pod that is ready."""
    load = load_of(pod, world.seed, world.at)
    # Requests are whole: 0.4 of one is one request for four tenths of the time.
    moment = int(world.at // _DITHER_SECONDS)
    return ServiceView(
        pod=pod,
        flow=flow_of(traffic_of(pod.workload), load, speed_of(world, pod)),
        tally=tallies.of(world, pod) if tallies else None,
        buckets=tallies is None or tallies.buckets,
        dither=(
            fraction("running", world.seed, pod.uid, moment),
            fraction("waiting", world.seed, pod.uid, moment),
        ),
    )


def counted_below(bounds: Iterable[float], tally: Tally, usual: float) -> Iterator[int]:
    """How many requests took no longer than each bound, where they usually take `usual` seconds."""
    for bound in bounds:
        fast = tally.usual * _share_below(bound, usual)
        yield int(fast + tally.slowed * _share_below(bound, _SLOWED * usual))


def _share_below(bound: float, usual: float) -> float:
    """A bell over the logarithm: half of the requests take less than what is usual."""
    return 1 / (1 + (usual / bound) ** _SHARPNESS)
