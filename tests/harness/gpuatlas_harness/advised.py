"""Cases of the rules of advice: a pool, and what must be said of it because of one row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, NamedTuple

from gpuatlas.advice.advise import advise
from gpuatlas.advice.rule import Rule
from gpuatlas.model.advice import Strategy, StrategyAdvice, Verdict
from gpuatlas.model.snapshot import Sharing, Snapshot
from gpuatlas_harness import build
from gpuatlas_harness.pooled import PodOf

BATCH: Final = PodOf(kind="Job", workload="sweep")
NOTEBOOK: Final = PodOf(kind="Notebook", runtime="jupyter")
VLLM: Final = PodOf(runtime="vllm", workload="chat")
TRITON: Final = PodOf(runtime="triton", workload="rank")
WIDE: Final = PodOf(kind="PyTorchJob", cards=(0, 1), workload="train")
BIG: Final = replace(BATCH, mib=60_000)
OTHER_TEAM: Final = replace(BATCH, namespace="team-b", workload="tune")

Row = tuple[str, Verdict, Strategy]


class Case(NamedTuple):
    """On each of `strategies` the verdict on the pool is `verdict`, and `word` has this text."""

    word: str
    snapshot: Snapshot
    strategies: tuple[Strategy, ...]
    verdict: Verdict
    text: str

    def __str__(self) -> str:
        return f"{self.word} is {self.verdict} for {self.strategies[0]}"

    @property
    def expected(self) -> dict[Strategy, tuple[Verdict, str]]:
        return dict.fromkeys(self.strategies, (self.verdict, self.text))

    def said(self) -> dict[Strategy, tuple[Verdict, str | None]]:
        """What is said, as `expected` has it."""
        (advice,) = advise(self.snapshot)
        return {
            judged.strategy: (judged.verdict, self._text(judged))
            for judged in advice.strategies
            if judged.strategy in self.strategies
        }

    def _text(self, judged: StrategyAdvice) -> str | None:
        texts = {(r.verdict, r.word): r.text for r in judged.reasons}
        return texts.get((self.verdict, self.word))


def rows(rules: Iterable[Rule]) -> set[Row]:
    """Each row for each of its strategies."""
    return {(r.word, r.verdict, strategy) for r in rules for strategy in r.strategies}


def shown(cases: Iterable[Case]) -> set[Row]:
    """The rows that cases are of."""
    return {(c.word, c.verdict, strategy) for c in cases for strategy in c.strategies}


def of(model: str, **fields: Any) -> dict[str, Any]:
    return {"model": model, **fields}


def sharing(word: Sharing) -> dict[str, Any]:
    return {"sharing": word}


def working(share: float) -> dict[str, Any]:
    return {"compute_utilization": build.known(share)}
