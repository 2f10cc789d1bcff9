"""What sizing has to say of the memory of each container with a promise, over 14 days (DESIGN 7).

The verdicts are computed here from the simulator's own state, in nobody's code but the test's.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

import pytest

from gpuatlas.demo.lifecycle import revision_at
from gpuatlas.demo.scenario import Scenario, WorkloadSpec
from gpuatlas.demo.services import cache_of, cache_use, flow_of, traffic_of
from gpuatlas.demo.slowdowns import speed_of
from gpuatlas.demo.state import TenantState
from gpuatlas.demo.usage import load_of
from gpuatlas.demo.world import build_world

DAYS: Final = 14
DAY: Final = 86_400.0
STEP: Final = 1_800.0
GRANT_MIB: Final = 256
LEAST_SAVING_MIB: Final = 2_048
AT_LIMIT: Final = 0.98
FILLS_MEMORY: Final = frozenset({"vllm", "vllm-half", "sglang"})
TAKEN: Final = 0.9  # of the card that it sees: what vLLM takes untold

# Workload → the verdict, or why there is none, and the proposed MiB.
NEEDS: Final = {
    # Right, so that nothing is said.
    "search/embed": ("fits", None),
    "search/rerank": ("fits", None),
    "lab/notebook-ann": ("fits", None),
    "lab/notebook-bo": ("fits", None),
    "vision/caption": ("fits", None),
    "batch/backfill": ("fits", None),
    "batch/thumbnails": ("fits", None),  # short runs, one after the other
    "batch/nightly-embeddings": ("fits", None),  # while a run of it holds a card
    "platform/asr": ("fits", None),
    "assistants/translate": ("fits", None),
    # too large
    "vision/detector": ("smaller", 7_680),
    "search/vectors": ("smaller", 6_656),
    "search/index-refresh": ("smaller", 7_168),
    "lab/notebook-cy": ("smaller", 5_632),  # idle, and it holds what it once took
    # at its limit
    "vision/segment": ("larger", 6_656),
    # vLLM, told how large its cache is: weights and the part of the cache that was ever in use
    "assistants/chat-7b": ("fits", None),
    "assistants/support": ("fits", None),
    "assistants/summarise": ("smaller", 10_240),
    # and one that took what was left
    "assistants/chat-13b": ("memory-taken-ahead", None),
    # another pod template inside the window
    "media/tagger": ("rollout", None),
}


@dataclass
class Seen:
    """What one workload did in the window; MiB of its fullest container."""

    workload: WorkloadSpec
    peak: int = 0
    cache_peak: float = 0.0
    revisions: set[int] = field(default_factory=set)


def on_hami(scenario: Scenario) -> dict[str, WorkloadSpec]:
    """The workloads of which HAMi's monitor tells what they use."""
    measured = {node.name for node in scenario.nodes if node.hami and node.card.vendor == "nvidia"}
    return {
        workload.key: workload
        for workload in scenario.workloads
        if any(place.node in measured for place in workload.places)
    }


@pytest.fixture(scope="module")
def seen(scenario: Scenario, thursday: float) -> dict[str, Seen]:
    found = {key: Seen(workload) for key, workload in on_hami(scenario).items()}
    for number in range(int(DAYS * DAY / STEP)):
        at = thursday - number * STEP
        world = build_world(scenario, seed=1, at=at)
        tenants = [
            tenant
            for node in ("a10g-1", "a10g-2")
            for card in world.node(node).cards
            for tenant in card.tenants
        ]
        for tenant in tenants:
            own = found[tenant.pod.workload.key]
            own.peak = max(own.peak, tenant.counted_mib, tenant.resident_mib)
            own.revisions.add(revision_at(own.workload, scenario.since, 1, at)[0])
            if own.workload.runtime in FILLS_MEMORY:
                load = load_of(tenant.pod, 1, at)
                flow = flow_of(traffic_of(own.workload), load, speed_of(world, tenant.pod))
                own.cache_peak = max(own.cache_peak, cache_use(own.workload, flow))
    return found


def judged(own: Seen) -> tuple[str, int | None]:
    """DESIGN 7, for memory that a sharing layer promised."""
    assert own.workload.ask is not None
    promised, needed = own.workload.ask.memory_mib, own.peak
    if len(own.revisions) > 1:
        return "rollout", None
    if own.workload.runtime in FILLS_MEMORY:
        cache = cache_of(own.workload)
        if not cache.told:
            return "memory-taken-ahead", None
        needed -= math.floor(cache.mib * (1 - own.cache_peak))
    wanted = needed + max(needed / 10, 512)
    if own.workload.runtime in FILLS_MEMORY:
        # It takes the same share of less, which must leave room for what is beside it.
        outside = own.peak - TAKEN * promised
        wanted = max(wanted / min(TAKEN, own.peak / promised), outside / (1 - TAKEN))
    proposed = math.ceil(wanted / GRANT_MIB) * GRANT_MIB
    saving = promised - proposed
    if own.workload.runtime not in FILLS_MEMORY and own.peak >= AT_LIMIT * promised:
        return "larger", proposed
    if saving >= max(LEAST_SAVING_MIB, 0.2 * promised):
        return "smaller", proposed
    return "fits", None


def test_every_measured_workload_is_in_the_table(scenario: Scenario) -> None:
    assert NEEDS.keys() == on_hami(scenario).keys()


@pytest.mark.parametrize("key", NEEDS)
def test_a_workload_needs_this(key: str, seen: dict[str, Seen]) -> None:
    assert judged(seen[key]) == NEEDS[key]


def test_there_is_each_kind_of_answer() -> None:
    assert Counter(verdict for verdict, _ in NEEDS.values()) == {
        "fits": 12, "smaller": 5, "larger": 1, "memory-taken-ahead": 1, "rollout": 1,
    }  # fmt: skip


def test_no_tenant_holds_more_than_its_promise(seen: dict[str, Seen]) -> None:
    for own in seen.values():
        assert own.workload.ask is not None
        assert 0 < own.peak <= own.workload.ask.memory_mib


def test_a_deployment_is_rolled_out_inside_any_two_weeks(
    scenario: Scenario, thursday: float
) -> None:
    (tagger,) = [w for w in scenario.workloads if w.name == "tagger"]
    begins = {
        revision_at(tagger, scenario.since, seed, thursday - day * DAY)[1]
        for seed in range(20)
        for day in range(DAYS)
    }
    assert all((begin - scenario.since) % 1 == 0 for begin in begins)
    for seed in range(20):
        now, before = (
            revision_at(tagger, scenario.since, seed, at)[0]
            for at in (thursday, thursday - DAYS * DAY)
        )
        assert now > before


def test_tenants_are_what_the_table_speaks_of(scenario: Scenario, thursday: float) -> None:
    world = build_world(scenario, seed=1, at=thursday)
    held: list[TenantState] = [
        tenant
        for node in ("a10g-1", "a10g-2")
        for card in world.node(node).cards
        for tenant in card.tenants
    ]
    assert {tenant.pod.workload.key for tenant in held} <= NEEDS.keys()
