"""What runtimes need that take memory at start and fill it later, whatever is asked of them. Pure.

What such a container uses is its own setting, so that its fill is no measure of its need: it is
neither full nor well sized by it. What it needs is what it holds beside its cache, and as much
cache as was in use at the busiest time. That takes the size of the cache (facts/k8s.md 4.1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.sizing import CannotReason, Day, History, TakenAhead
from gpuatlas.sizing.margins import round_up, with_margin
from gpuatlas.sizing.window import Gap, exists
from gpuatlas.sizing.wording import gib, percent

_CACHE: Final = (
    "it can be sized once its metrics page is read, with the size of its cache and its use"
)
# What takes memory unasked: the setting of it, and what makes it sizable. Facts/k8s.md 4.1 and the
# manuals of vLLM, SGLang, TGI (launcher), TensorRT-LLM (KvCacheConfig), NIM, TensorFlow and JAX.
_UNASKED: Final[Mapping[str, tuple[str, str]]] = {
    "vllm": ("--gpu-memory-utilization", _CACHE),
    "kserve-huggingface": ("--gpu-memory-utilization", _CACHE),
    "sglang": ("--mem-fraction-static", _CACHE),
    "tgi": ("--cuda-memory-fraction", _CACHE),
    "tensorrt-llm": ("free_gpu_memory_fraction", _CACHE),
    "nim": ("NIM_KVCACHE_PERCENT", _CACHE),
    "tensorflow": (
        "TF_FORCE_GPU_ALLOW_GROWTH",
        "it can be sized after 7 days with TF_FORCE_GPU_ALLOW_GROWTH=true",
    ),
    "tensorflow-serving": (
        "TF_FORCE_GPU_ALLOW_GROWTH",
        "it can be sized after 7 days with TF_FORCE_GPU_ALLOW_GROWTH=true",
    ),
    "jax": (
        "XLA_PYTHON_CLIENT_PREALLOCATE",
        "it can be sized after 7 days with XLA_PYTHON_CLIENT_PREALLOCATE=false",
    ),
}
# Above this the card's own view is no rounding error of the promise (facts/errata.md, KAI).
_OUTSIDE: Final = 1.02


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheNeed:
    """Bytes that must be promised so that the setting leaves enough, and why."""

    amount: int
    text: str


def taken_ahead(history: History) -> TakenAhead | None:
    """How it takes memory at start; None where it does not, or its spec forbids it."""
    stated = history.taken_ahead
    if stated is not None:
        return None if stated.share == 0 else stated
    return TakenAhead(runtime=history.runtime) if history.runtime in _UNASKED else None


def cache_need(
    taken: TakenAhead, days: Iterable[Day], *, peak: int, seen: int | None
) -> CacheNeed | Gap:
    """What it needs, or that nobody can know.

    Args:
        taken: how it takes memory.
        days: those that count.
        peak: the most that it used, in bytes.
        seen: the memory that it sees as its card's, in bytes: its limit, or the card.
    """
    pool = taken.pool_bytes
    if pool is None or not 0 < pool <= peak:
        return _unknown(taken, "")
    used = [day.kv_cache_peak for day in days if exists(day)]
    known = [share for share in used if share is not None and 0 <= share <= 1]
    if not known or len(known) < len(used):
        return _unknown(taken, "the use of its cache is not known of every day; ")
    share = _share(taken, peak, seen)
    if share is None:
        return _unknown(taken, "its share of the memory that it sees is not known; ")
    most = max(known)
    amount = with_margin(peak - pool + math.ceil(pool * most))
    text = (
        f"{gib(peak - pool)} beside its cache, and {percent(most)} of {gib(pool)} cache at its peak"
    )
    # What it holds outside its share must find room beside it as well.
    outside = peak - share * (seen or peak)
    room = outside / (1 - share) if share < 1 else 0.0
    # Thousandths of a byte are what binary fractions add.
    whole = math.ceil(round(max(amount / share, room), 3))
    return CacheNeed(amount=round_up(whole), text=text)


def _share(taken: TakenAhead, peak: int, seen: int | None) -> float | None:
    """The share that it takes of the memory that it sees: of less memory it takes the same share.

    The greater value would leave it too little: what is stated and what it took must agree.
    """
    if seen is None or not 0 < peak <= seen * _OUTSIDE:
        return None
    took = min(peak / seen, 1.0)
    return took if taken.share is None else min(taken.share, took)


def _unknown(taken: TakenAhead, because: str) -> Gap:
    setting, cure = _UNASKED.get(taken.runtime, ("", _CACHE))
    setting = taken.setting or setting or "a setting of its own"
    share = "" if taken.share is None else f" = {percent(taken.share)}"
    name = "It" if taken.runtime in {"", "unknown"} else taken.runtime
    text = f"{name} fills the memory that {setting}{share} gives it; {because}{cure}."
    return Gap(CannotReason.MEMORY_TAKEN_AHEAD, text)
