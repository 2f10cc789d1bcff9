"""Whatever a pool looks like: one verdict for each strategy, none against the tables."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.advice.advise import advise
from gpuatlas.advice.rules import RULES
from gpuatlas.model.advice import Strategy, Verdict
from gpuatlas.model.mig_models import MIG_MODELS, mig_model
from gpuatlas.model.snapshot import Sharing, Snapshot
from gpuatlas_harness import build
from gpuatlas_harness.pooled import PodOf, a_pool

ADVISED = {Verdict.SUITS, Verdict.POSSIBLE}
PODS = st.builds(
    PodOf,
    cards=st.sampled_from([(), (0,), (1,), (0, 1), ("",)]),
    mib=st.none() | st.integers(0, 100_000),
    compute=st.none() | st.floats(0, 1),
    namespace=st.sampled_from(["team-a", "team-b"]),
    workload=st.sampled_from(["", "w"]),
    kind=st.sampled_from(["Deployment", "Job", "Notebook", "InferenceService"]),
    runtime=st.sampled_from(["unknown", "vllm", "jupyter", "deepspeed", "triton"]),
    reserved_mib=st.none() | st.integers(0, 100_000),
)


@st.composite
def pools(draw: st.DrawFn) -> Snapshot:
    cards = draw(st.integers(0, 3))
    fields = {
        "model": draw(st.sampled_from([row.name for row in MIG_MODELS] + ["", "Card 9"])),
        "vendor": draw(st.sampled_from(["nvidia", "ascend"])),
        "sharing": draw(st.sampled_from(list(Sharing))),
        "compute_utilization": build.known(draw(st.floats(0, 1))),
        "physical_mib": draw(st.integers(1, 200_000)),
    }
    return a_pool(
        draw(st.lists(PODS, max_size=5)) if cards > 1 else [],
        cards=cards,
        card=fields,
        unmeasured=draw(st.integers(0, cards)),
        platform=draw(st.sampled_from(["", "gke", "aks"])),
        driver_version=draw(st.sampled_from(["", "418.1", "535.54", "580.9", "x", "9" * 5000])),
    )


@settings(deadline=None, max_examples=120)
@given(snapshot=pools())
def test_any_pool(snapshot: Snapshot) -> None:
    words = {rule.word for rule in RULES} | {"nothing-against"}
    for advice in advise(snapshot):
        verdicts = {judged.strategy: judged.verdict for judged in advice.strategies}
        assert tuple(verdicts) == tuple(Strategy)
        for judged in advice.strategies:
            assert judged.reasons[0].verdict is judged.verdict
            assert {reason.word for reason in judged.reasons} <= words
            assert all(
                "{" not in reason.text and "?" not in reason.text for reason in judged.reasons
            )
        row = mig_model(advice.model)
        if row is None or row.instances == 0 or snapshot.nodes["gpu-a"].cards[0].vendor != "nvidia":
            assert verdicts[Strategy.MIG] not in ADVISED
        if not advice.cards_measured or not advice.tenants:
            assert ADVISED.isdisjoint(verdicts.values())


def test_the_advice_depends_on_nothing_but_the_snapshot() -> None:
    snapshot = a_pool([PodOf(), PodOf(namespace="team-b")])
    assert advise(snapshot) == advise(snapshot)
