"""A page of ours, read back by prometheus-client's parser and asked for single values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

# What differs between two reads of the same cluster: the exporter's own state.
SELF_PREFIXES: Final = (
    "gpuatlas_source_",
    "gpuatlas_build_",
    "gpuatlas_refresh_",
    "gpuatlas_shards",
    "process_",
    "python_",
)

Series = tuple[str, tuple[tuple[str, str], ...]]


class Page:
    """`samples` maps (name, sorted labels) to the value."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.samples: dict[Series, float] = {
            (sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def about_the_cluster(self) -> dict[Series, float]:
        """Everything but the exporter's own state."""
        return {k: v for k, v in self.samples.items() if not k[0].startswith(SELF_PREFIXES)}

    def values(self, name: str, **labels: str) -> list[float]:
        """The values of all series of that name with these labels (and others)."""
        wanted = labels.items()
        return [v for (n, found), v in self.samples.items() if n == name and wanted <= set(found)]

    def value(self, name: str, **labels: str) -> float:
        """The value of the one series that fits."""
        found = self.values(name, **labels)
        assert len(found) == 1, f"{len(found)} series of {name} with {labels}"
        return found[0]

    def labels(self, name: str, **labels: str) -> list[Mapping[str, str]]:
        """The labels of the series that fit, sorted."""
        wanted = labels.items()
        return [dict(f) for (n, f) in sorted(self.samples) if n == name and wanted <= set(f)]

    def names(self) -> set[str]:
        """All sample names."""
        return {name for name, _ in self.samples}
