"""The samples of one inference server's page → what it says of its work. Pure.

The page is a tenant's: only known names are read, numbers that are not finite, negative or absurd
are refused one by one, and nothing of it can reach another pod's reading.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from gpuatlas.model.pages import Sample
from gpuatlas.model.services import ServicePage, ServiceReading
from gpuatlas.model.units import clean_text, plausible_bytes, plausible_ratio
from gpuatlas.sources.exposition import ReasonTally
from gpuatlas.sources.services.tables import (
    PARTIAL,
    RANKS,
    TABLES,
    Put,
    Quantity,
    RuntimeTable,
)

SOURCE: Final = "services"
# Fixed words: they become a metric label.
BAD_NUMBER: Final = "bad-number"
TOO_MANY_SERIES: Final = "too-many-series"
NO_KNOWN_METRIC: Final = "no-known-metric"

# Thirty models with all the series that we read have not half of it.
MAX_SERIES: Final = 2000
# No server counts so many tokens or requests in its life.
_MAX_COUNT: Final = 1e15
_MAX_REQUESTS: Final = 1e6
_GAUGES: Final = frozenset({"waiting", "running"})
_GIB: Final = 1024**3
_MODELS: Final = ("model_name", "model")
_MAX_MODEL: Final = 100


def read_service_page(
    samples: Sequence[Sample],
    *,
    runtime: str,
    namespace: str,
    pod: str,
    at: float,
    target: str,
) -> ServicePage:
    """The reading of one pod's page, none where the page has no metric that we know.

    Args:
        samples: of the page.
        runtime: as the pod's spec tells it, a word of `sources.runtimes.table`; servers that wrap
            another one are told by the names on the page.
        namespace: of the pod.
        pod: its name.
        at: when the page was made, in Unix seconds.
        target: how messages name it.
    """
    refused = ReasonTally(SOURCE, f"page of {target}")
    if len(samples) > MAX_SERIES:
        message = f"{len(samples)} series of known names, more than {MAX_SERIES}"
        refused.add(TOO_MANY_SERIES, message)
        samples = samples[:MAX_SERIES]
    by_name = _by_name(samples)
    found = runtime_of(by_name, runtime)
    if found is None:
        refused.add(NO_KNOWN_METRIC, "the page has no metric of a known inference server")
        return ServicePage(target=target, readings=(), rejections=refused.rejections())
    table = TABLES[found]
    values = {
        name: _value(name, quantity, by_name, refused)
        for name, quantity in table.quantities.items()
    }
    tokens = values.pop("cache_tokens", None)
    info = [sample for name in table.info for sample in by_name.get(name, ())]
    tokens = _cache_tokens(info) if tokens is None else int(tokens)
    reading = ServiceReading(
        namespace=namespace,
        pod=pod,
        runtime=found,
        at=at,
        model=_model(samples),
        cache_pool_bytes=_pool_bytes(info, table, by_name),
        cache_tokens=tokens,
        **values,
    )
    return ServicePage(target=target, readings=(reading,), rejections=refused.rejections())


def runtime_of(names: Iterable[str], runtime: str) -> str | None:
    """Whose page it is: the expected runtime's if any name fits, else the first that does."""
    present = frozenset(names)
    for word in (runtime, *TABLES):
        if word in TABLES and present & TABLES[word].names:
            return word
    return None


def _by_name(samples: Iterable[Sample]) -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for sample in samples:
        if not sample.labels.get(PARTIAL):
            found.setdefault(sample.name, []).append(sample)
    return found


def _value(
    word: str, quantity: Quantity, by_name: Mapping[str, list[Sample]], refused: ReasonTally
) -> float | None:
    chosen = _chosen(quantity, by_name)
    numbers: dict[tuple[object, ...], float] = {}
    for sample in chosen:
        number = _number(word, quantity, sample.value)
        if number is None:
            refused.add(BAD_NUMBER, f"{sample.name} is {sample.value:g}")
            continue
        key = (sample.name, *_without_ranks(sample.labels))
        numbers[key] = max(numbers.get(key, 0.0), number)
    if not numbers:
        return None
    return max(numbers.values()) if quantity.put is Put.MAX else sum(numbers.values())


def _chosen(quantity: Quantity, by_name: Mapping[str, list[Sample]]) -> list[Sample]:
    """The series of the first name that the page has, or of all where they are parts."""
    wanted = [
        [
            sample
            for sample in by_name.get(name, ())
            if all(sample.labels.get(k) == v for k, v in quantity.where.items())
        ]
        for name in quantity.names
    ]
    if quantity.parts:
        return [sample for samples in wanted for sample in samples]
    return next((samples for samples in wanted if samples), [])


def _number(word: str, quantity: Quantity, value: float) -> float | None:
    if quantity.put is Put.MAX:
        return plausible_ratio(value)
    most = _MAX_REQUESTS if word in _GAUGES else _MAX_COUNT
    if not math.isfinite(value) or value < 0 or value > most:
        return None
    return value * quantity.scale


def _without_ranks(labels: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(pair for pair in labels.items() if pair[0] not in RANKS))


def _model(samples: Iterable[Sample]) -> str:
    """The model's name where there is one only."""
    names = {sample.labels.get(label, "") for sample in samples for label in _MODELS} - {""}
    return clean_text(names.pop(), limit=_MAX_MODEL) if len(names) == 1 else ""


def _cache_tokens(info: Iterable[Sample]) -> int | None:
    """Of all engines together.

    The size itself where vLLM tells it, else blocks times their size, which is the same but for
    models with several kinds of attention.
    """
    total = 0
    for sample in info:
        labels = sample.labels
        tokens = _whole(labels.get("kv_cache_size_tokens"))
        if tokens is None:
            blocks, size = _whole(labels.get("num_gpu_blocks")), _whole(labels.get("block_size"))
            tokens = blocks * size if blocks and size else None
        if tokens is None:
            return None
        total += tokens
    return total or None


def _pool_bytes(
    info: Sequence[Sample], table: RuntimeTable, by_name: Mapping[str, list[Sample]]
) -> int | None:
    """Bytes on each card, where the server itself tells them for certain.

    vLLM tells them where the user set them (`--kv-cache-memory-bytes`, of each card); the size of a
    block depends on the model, which no metric describes.
    """
    sizes = {_whole(sample.labels.get("kv_cache_memory_bytes")) for sample in info}
    if not table.cache_gigabytes:
        size = sizes.pop() if len(sizes) == 1 else None
        return plausible_bytes(size) if size else None
    gauges = {
        plausible_bytes(sample.value * _GIB)
        for name in table.cache_gigabytes
        for sample in by_name.get(name, ())
    }
    # 0 stands for a pool that does not measure itself.
    return gauges.pop() or None if len(gauges) == 1 else None


def _whole(text: str | None) -> int | None:
    """Digits of a label; "None" and whatever else stands there is no number."""
    if text is None or not (text.isascii() and text.isdigit()) or len(text) > 18:  # noqa: PLR2004
        return None
    return int(text)
