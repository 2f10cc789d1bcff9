"""A node that has registered nothing, and the page of its only card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gpuatlas.model.objects import Node
from gpuatlas_harness.observed import a_dcgm_page, a_node, a_reading

PAGE = a_dcgm_page(a_reading(1))


def a_bare_node(annotations: Mapping[str, str] | None = None, **changes: object) -> Node:
    """A node that offers shares of cards, and has registered none."""
    values: dict[str, object] = {"labels": {"gpu": "on"}, "capacity": {"nvidia.com/gpu": 10}}
    node = a_node("gpu-a", **(values | changes))  # type: ignore[arg-type]
    return replace(node, annotations=dict(annotations or {}))
