"""Samples as a Prometheus keeps them: labels of the page give way to those of its target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpuatlas.model.pages import Sample


def kept_by_prometheus(samples: Iterable[Sample], target: Mapping[str, str]) -> list[Sample]:
    """Without `honor_labels`: a label that the target has too is kept as `exported_…`."""
    return [
        Sample(
            sample.name,
            {
                **target,
                "job": "hami",
                **{
                    (f"exported_{name}" if name in target else name): value
                    for name, value in sample.labels.items()
                },
            },
            sample.value,
        )
        for sample in samples
    ]
