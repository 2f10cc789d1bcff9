"""Each row of the table at least once, with its whole text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gpuatlas.advice.advise import advise
from gpuatlas.advice.rules import RULES
from gpuatlas.model.advice import Reason, Strategy, Verdict
from gpuatlas.model.readings import Unknown
from gpuatlas.model.snapshot import PartitionKind, Sharing, Snapshot
from gpuatlas.model.units import MIB
from gpuatlas_harness import build
from gpuatlas_harness.pooled import H100, T4, PodOf, a_pool, in_another

WHOLE, MIG, LIMITED = Strategy.WHOLE, Strategy.MIG, Strategy.MEMORY_LIMITED
MPS, SLICING = Strategy.MPS, Strategy.TIME_SLICING
ALL, SHARED = tuple(Strategy), (MIG, LIMITED, MPS, SLICING)
IMPOSSIBLE, UNSAFE, NO_ADVICE = Verdict.IMPOSSIBLE, Verdict.UNSAFE, Verdict.NO_ADVICE
POSSIBLE, SUITS = Verdict.POSSIBLE, Verdict.SUITS

BATCH = PodOf(kind="Job", workload="sweep")
NOTEBOOK = PodOf(kind="Notebook", runtime="jupyter")
VLLM = PodOf(runtime="vllm", workload="chat")
TRITON = PodOf(runtime="triton", workload="rank")
WIDE = PodOf(kind="PyTorchJob", cards=(0, 1), workload="train")
BIG = replace(BATCH, mib=60_000)
OTHER_TEAM = replace(BATCH, namespace="team-b", workload="tune")


def of(model: str, **fields: Any) -> dict[str, Any]:
    return {"model": model, **fields}


def sharing(word: Sharing) -> dict[str, Any]:
    return {"sharing": word}


def working(share: float) -> dict[str, Any]:
    return {"compute_utilization": build.known(share)}


def silent_node(name: str) -> Any:
    return build.a_node(name=name, pool="main", platform="", cards=(), allocations=())


def half_kai(pods: list[PodOf]) -> Snapshot:
    """Two cards that KAI shares and, on another node of the pool, two whole ones."""
    (node,) = a_pool(pods, card=sharing(Sharing.KAI)).nodes.values()
    return in_another(a_pool(pods), replace(node, name="kai-1"))


CASES: list[tuple[str, Snapshot, tuple[Strategy, ...], Verdict, str]] = [
    (
        "not-nvidia",
        a_pool([BATCH, BATCH], card=of("Ascend910B3", vendor="ascend")),
        (MIG, MPS, SLICING),
        IMPOSSIBLE,
        "it is made for NVIDIA cards, and these are of ascend",
    ),
    (
        "model-without-mig",
        a_pool([BATCH, BATCH], card=of(T4)),
        (MIG,),
        IMPOSSIBLE,
        "Tesla T4 has no MIG",
    ),
    (
        "driver-too-old",
        a_pool([BATCH, BATCH], card=of(H100), driver_version="510.47.03"),
        (MIG,),
        IMPOSSIBLE,
        "the driver 510.47.03 is older than MIG on NVIDIA H100 80GB HBM3",
    ),
    (
        "not-on-mig",
        a_pool([BATCH, BATCH], card=sharing(Sharing.MIG)),
        (MPS,),
        IMPOSSIBLE,
        "the device plugin offers no MPS on MIG instances, and cards of this pool are divided by "
        "MIG",
    ),
    (
        "too-many-clients",
        a_pool([replace(BATCH, cards=(0,))] * 49),
        (MPS,),
        IMPOSSIBLE,
        "the fullest card has 49 pods: more than MPS admits",
    ),
    (
        "gke-one-share",
        a_pool([WIDE], platform="gke"),
        (MPS, SLICING),
        IMPOSSIBLE,
        "GKE refuses a container that asks for more than one share, as these would: 1 pod with "
        "several cards",
    ),
    (
        "serving-without-isolation",
        a_pool([VLLM, TRITON, PodOf(kind="InferenceService", cards=(0,))]),
        (SLICING,),
        UNSAFE,
        "nothing keeps a neighbour from taking the memory or the time of a pod that must answer in "
        "time: 3 serving pods (triton, vllm)",
    ),
    (
        "memory-taken-ahead",
        a_pool([VLLM, BATCH]),
        (SLICING,),
        UNSAFE,
        "nothing limits memory, and the first pod that takes it ahead leaves none: 1 pod (vllm)",
    ),
    (
        "crash-coupling",
        a_pool([BATCH, OTHER_TEAM]),
        (MPS,),
        UNSAFE,
        "a fault of one pod ends all pods on its card, and they are 2 workloads of 2 namespaces",
    ),
    (
        "shares-are-not-cards",
        a_pool([WIDE, BATCH]),
        (MPS, SLICING),
        UNSAFE,
        "two shares may be of one card, and give no more compute than one: 1 pod with several "
        "cards",
    ),
    (
        "no-two-fit",
        a_pool([BIG, BIG]),
        (MPS, SLICING),
        UNSAFE,
        "no two pods fit on a card: the two smallest need 120,000 MiB, it has 81,920 MiB",
    ),
    (
        "no-instance-fits",
        a_pool([BIG, BIG]),
        (MIG,),
        UNSAFE,
        "no pod could take an instance that leaves room for another: they need 60,000 MiB or more "
        "where a card has 81,920 MiB",
    ),
    (
        "kai-without-isolation",
        half_kai([BATCH, BATCH, BATCH]),
        (LIMITED,),
        UNSAFE,
        "KAI's fractions, by which 2 of 4 cards are shared, are book-keeping: unless its "
        "isolator runs, which the API does not tell, each pod on them can take all memory",
    ),
    (
        "no-card-named",
        a_pool(cards=0),
        ALL,
        NO_ADVICE,
        "no source names a card of 1 node: run dcgm-exporter or a sharing layer there",
    ),
    (
        "no-driver-metrics",
        a_pool([BATCH, BATCH], unmeasured=2),
        ALL,
        NO_ADVICE,
        "no card's memory and work are measured: nobody measured it",
    ),
    (
        "few-cards-seen",
        a_pool([BATCH, BATCH], cards=8, unmeasured=5),
        ALL,
        NO_ADVICE,
        "only 3 of 8 cards on 1 node are measured; nodes that name no card: 0",
    ),
    ("nobody-runs", a_pool(), ALL, NO_ADVICE, "no pod holds a card now"),
    (
        "holders-unknown",
        a_pool(card={"tenants": Unknown("no pods were read")}),
        ALL,
        NO_ADVICE,
        "who holds the cards is not known: no pods were read",
    ),
    (
        "attribution-unknown",
        a_pool([BATCH, replace(BATCH, cards=("",))]),
        ALL,
        NO_ADVICE,
        "nothing names the cards of 1 of 2 pods",
    ),
    (
        "nobody-to-share-with",
        a_pool([BATCH]),
        SHARED,
        NO_ADVICE,
        "fewer than two pods could share: no more than one card is held by 1 of 1 pod",
    ),
    (
        "purpose-unknown",
        a_pool(
            [PodOf(workload="w"), PodOf(workload="w"), replace(BATCH, cards=(0,), workload="w")]
        ),
        (MPS, SLICING),
        NO_ADVICE,
        "what 2 of 3 pods do is not known: one may have to answer in time",
    ),
    (
        "memory-taken-ahead",
        a_pool([VLLM, VLLM]),
        (MIG, LIMITED, MPS),
        NO_ADVICE,
        "what they hold is a setting and not a need: 2 pods (vllm)",
    ),
    (
        "memory-use-unknown",
        a_pool([replace(BATCH, mib=None), BATCH]),
        SHARED,
        NO_ADVICE,
        "memory use is known of 1 of 2 pods that could share",
    ),
    (
        "model-not-on-record",
        a_pool([BATCH, BATCH], card=of("NVIDIA Graphics Device")),
        (MIG,),
        NO_ADVICE,
        "whether MIG can divide NVIDIA Graphics Device is not on record",
    ),
    (
        "busy",
        a_pool([BATCH, BATCH], card=working(0.7)),
        (LIMITED, MPS, SLICING),
        POSSIBLE,
        "2 of 2 held cards work too much to be shared without slowing somebody",
    ),
    (
        "room-left",
        a_pool([BATCH, BATCH], card=working(0.3)),
        (WHOLE,),
        POSSIBLE,
        "two pods would fit on a card: the two smallest need 4,000 MiB, it has 81,920 MiB; working "
        "little: 0 of 2 held cards",
    ),
    (
        "no-two-fit",
        a_pool([BIG, BIG]),
        (LIMITED,),
        POSSIBLE,
        "nothing to gain: the two smallest pods need 120,000 MiB, a card has 81,920 MiB",
    ),
    (
        "soft-limits",
        a_pool([BATCH, OTHER_TEAM]),
        (LIMITED,),
        POSSIBLE,
        "its limits are kept by a library in the container and not by the card, and faults are not "
        "kept apart: only for teams that trust one another, here 2 namespaces",
    ),
    (
        "promised-beyond-memory",
        a_pool(
            [BATCH, BATCH],
            card={"memory": build.a_memory(overcommitted=build.known(MIB))},
        ),
        (LIMITED,),
        POSSIBLE,
        "promised beyond their memory: 2 cards; the layer moves nothing to host memory, so pods "
        "that use what they were promised run out of it",
    ),
    (
        "aks-new-pool",
        a_pool([BATCH, BATCH], platform="aks"),
        (MIG,),
        POSSIBLE,
        "AKS sets the profile when a pool is created, one for all its cards: it takes a new pool",
    ),
    (
        "several-cards",
        a_pool([WIDE, BATCH, replace(BATCH, cards=(1,))]),
        (MIG,),
        POSSIBLE,
        "an instance is a part of one card, so some must stay whole: 1 pod with several cards",
    ),
    (
        "some-stay-whole",
        a_pool([BIG, BATCH]),
        (MIG,),
        POSSIBLE,
        "1 of 2 pods need more than any instance that leaves room for another, so their cards must "
        "stay whole",
    ),
    (
        "sizes-not-on-record",
        a_pool([BATCH, BATCH]),
        (MIG,),
        POSSIBLE,
        "the size of a large enough instance is not on record: compare what `nvidia-smi mig -lgip` "
        "lists with 2,000 MiB and 10% of a card's compute",
    ),
    (
        "compute-use-unknown",
        a_pool([replace(BATCH, compute=None, cards=(0,))] * 2, card=of(H100)),
        (MIG,),
        POSSIBLE,
        "an instance is a share of compute too, and use of compute is known of 0 of 2 pods that "
        "could share",
    ),
    (
        "static-profiles",
        a_pool([BATCH, replace(BATCH, mib=12_000)], card=of(H100)),
        (MIG,),
        POSSIBLE,
        "pods differ, the layout stays as it was cut: the smallest fits 1g.10gb, the largest "
        "2g.20gb; cutting anew stops 2 pods",
    ),
    (
        "too-few-instances",
        a_pool([replace(BATCH, mib=12_000, cards=(0,))] * 4, card=of(H100)),
        (MIG,),
        POSSIBLE,
        "the fullest card has 4 pods: more than it has instances of 2g.20gb",
    ),
    (
        "crash-coupling",
        a_pool([BATCH, replace(BATCH, workload="tune")]),
        (MPS,),
        POSSIBLE,
        "a fault of one pod ends all pods on its card, and they are 2 workloads of 1 namespace",
    ),
    (
        "gang-on-one-card",
        a_pool([replace(BATCH, gang=2)] * 2),
        SHARED,
        POSSIBLE,
        "nothing keeps pods of one gang off one card, where they gain nothing and NCCL refuses "
        "to run two ranks: of gangs are 2 pods",
    ),
    (
        "nothing-limits-memory",
        a_pool([BATCH, OTHER_TEAM]),
        (SLICING,),
        POSSIBLE,
        "they can wait for one another, but nothing limits memory: one pod can end those of 2 "
        "namespaces",
    ),
    (
        "several-cards",
        a_pool([WIDE]),
        (WHOLE,),
        SUITS,
        "whole cards are what some need: 1 pod with several cards",
    ),
    (
        "no-two-fit",
        a_pool([BIG, BIG]),
        (WHOLE,),
        SUITS,
        "no two pods fit on a card: the two smallest need 120,000 MiB, it has 81,920 MiB",
    ),
    (
        "busy-alone",
        a_pool([BATCH, BATCH], card=working(0.9)),
        (WHOLE,),
        SUITS,
        "2 of 2 held cards are kept busy by one pod each",
    ),
    (
        "fits-instances",
        a_pool([BATCH, BATCH], card=of(H100)),
        (MIG,),
        SUITS,
        "memory and faults are kept apart by the card, and 2 of 2 pods fit 1g.10gb: the largest of "
        "them needs 2,000 MiB and 10% of a card's compute",
    ),
    (
        "limits-memory",
        a_pool([BATCH, BATCH]),
        (LIMITED,),
        SUITS,
        "pods fit together, each within its limit: the two smallest need 4,000 MiB, a card has "
        "81,920 MiB",
    ),
    (
        "one-workload",
        a_pool([BATCH, BATCH]),
        (MPS,),
        SUITS,
        "a fault ends only pods of the same workload, and they fit together: the two smallest need "
        "4,000 MiB, a card has 81,920 MiB",
    ),
    (
        "interactive",
        a_pool([NOTEBOOK, NOTEBOOK]),
        (SLICING,),
        SUITS,
        "sessions can wait for one another, and they fit together: the two smallest need 4,000 "
        "MiB, a card has 81,920 MiB; 2 interactive pods (jupyter)",
    ),
]


@pytest.mark.parametrize(
    ("word", "snapshot", "strategies", "verdict", "text"),
    CASES,
    ids=[f"{word} is {verdict} for {strategies[0]}" for word, _, strategies, verdict, _ in CASES],
)
def test_the_rule_decides_and_says(
    word: str,
    snapshot: Snapshot,
    strategies: tuple[Strategy, ...],
    verdict: Verdict,
    text: str,
) -> None:
    (advice,) = advise(snapshot)
    for judged in advice.strategies:
        if judged.strategy in strategies:
            said = {(r.verdict, r.word): r.text for r in judged.reasons}
            assert (judged.verdict, said.get((verdict, word))) == (verdict, text), judged.strategy


def test_no_row_is_without_a_case() -> None:
    rows = {(r.word, r.verdict, strategy) for r in RULES for strategy in r.strategies}
    shown = {(word, verdict, s) for word, _, strategies, verdict, _ in CASES for s in strategies}
    assert shown == rows


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
