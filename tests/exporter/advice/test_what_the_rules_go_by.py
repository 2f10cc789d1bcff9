"""What a rule counts, and what it passes on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.advice.advise import advise
from gpuatlas.advice.rule import LIMITED, MIG, NO_ADVICE, SUITS
from gpuatlas.advice.rules import RULES
from gpuatlas.model.advice import Reason, Verdict
from gpuatlas.model.readings import Unknown
from gpuatlas.model.snapshot import NodeSnapshot, PartitionKind, Sharing
from gpuatlas_harness import build
from gpuatlas_harness.advised import BATCH, VLLM, of, sharing
from gpuatlas_harness.pooled import H100, a_pool, in_another


def silent_node(name: str) -> NodeSnapshot:
    return build.a_node(name=name, pool="main", platform="", cards=(), allocations=())


def test_nodes_that_name_no_card_count_as_unseen() -> None:
    snapshot = in_another(a_pool([BATCH, BATCH]), silent_node("gpu-b"), silent_node("gpu-c"))
    (advice,) = advise(snapshot)
    assert {(j.reasons[0].word, j.reasons[0].text) for j in advice.strategies} == {
        (
            "few-cards-seen",
            "only 2 of 2 cards on 3 nodes are measured; nodes that name no card: 2",
        )
    }


def test_every_row_names_its_source() -> None:
    assert [rule.word for rule in RULES if not rule.source] == []


def test_the_reason_of_an_unmeasured_card_is_passed_on() -> None:
    silent = a_pool([BATCH, BATCH], card={"compute_utilization": Unknown("no dcgm-exporter here")})
    (advice,) = advise(silent)
    assert advice.strategies[0].reasons == (
        Reason(
            NO_ADVICE,
            "no-driver-metrics",
            "no card's memory and work are measured: no dcgm-exporter here",
            "DESIGN 7",
        ),
    )


def test_a_program_that_takes_memory_ahead_within_a_limit_proves_that_it_fits() -> None:
    share = build.a_partition(id="vgpu", kind=PartitionKind.VGPU)
    pods = [replace(VLLM, cards=(0,), partition="vgpu", reserved_mib=8_000)] * 2
    snapshot = a_pool(pods, partitions=[share], card=sharing(Sharing.HAMI))
    (advice,) = advise(snapshot)
    limited = next(j for j in advice.strategies if j.strategy is LIMITED)
    assert limited.verdict is SUITS
    assert "the two smallest need 16,000 MiB" in limited.reasons[0].text


@pytest.mark.parametrize(
    ("share", "setting", "verdict"),
    [
        pytest.param(None, "", NO_ADVICE, id="the runtime does so unasked"),
        pytest.param(0.9, "--gpu-memory-utilization", NO_ADVICE, id="the spec says so"),
        pytest.param(None, "--gpu-memory-utilization", NO_ADVICE, id="a share nobody can read"),
        pytest.param(0.0, "TF_FORCE_GPU_ALLOW_GROWTH", SUITS, id="the spec forbids it"),
    ],
)
def test_what_the_spec_says_of_memory_counts(
    share: float | None, setting: str, verdict: Verdict
) -> None:
    pod = replace(VLLM, memory_ahead=share, memory_ahead_setting=setting)
    (advice,) = advise(a_pool([pod, pod]))
    assert {j.strategy: j.verdict for j in advice.strategies}[LIMITED] is verdict


def test_an_instance_works_by_its_share_of_the_card() -> None:
    part = build.a_partition(id="MIG-1", kind=PartitionKind.MIG, profile="3g.40gb")
    pods = [replace(BATCH, partition="MIG-1", compute=0.5), BATCH]
    (advice,) = advise(a_pool(pods, card=of(H100), partitions=[part]))
    mig = next(j for j in advice.strategies if j.strategy is MIG)
    # Half of three sevenths.
    assert "2 of 2 pods fit 2g.20gb: the largest of them needs 2,000 MiB and 21%" in (
        mig.reasons[-1].text
    )
