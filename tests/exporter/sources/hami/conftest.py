"""Loads the synthetic documents of tests/fixtures/hami as the readers get them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from gpuatlas.model.objects import Container
from gpuatlas.model.pages import Sample

FIXTURES = Path(__file__).parents[3] / "fixtures" / "hami"


def extended(resources: Mapping[str, str]) -> dict[str, int]:
    return {name: int(amount) for name, amount in resources.items() if "/" in name}


def container(document: Mapping[str, Any], kind: str) -> Container:
    return Container(
        name=document["name"],
        kind=kind,
        image=document["image"],
        limits=extended(document.get("resources", {}).get("limits", {})),
        env={},
    )


def containers(spec: Mapping[str, Any]) -> tuple[Container, ...]:
    init: Iterable[Mapping[str, Any]] = spec.get("initContainers", [])
    return (
        *(container(document, "init") for document in init),
        *(container(document, "main") for document in spec["containers"]),
    )


def document(version: str, file: str, name: str) -> Any:
    text = (FIXTURES / version / file).read_text(encoding="utf-8")
    found = [d for d in yaml.safe_load_all(text) if d["metadata"]["name"] == name]
    assert len(found) == 1
    return found[0]


@pytest.fixture
def hami_node() -> Callable[[str, str], tuple[dict[str, str], dict[str, int]]]:
    """(version, name) → the node's annotations and its capacity of extended resources."""

    def load(version: str, name: str) -> tuple[dict[str, str], dict[str, int]]:
        node = document(version, "nodes.yaml", name)
        return node["metadata"]["annotations"], extended(node["status"]["capacity"])

    return load


@pytest.fixture
def hami_pod() -> Callable[[str, str], tuple[dict[str, str], tuple[Container, ...]]]:
    """(version, name) → the pod's annotations and containers."""

    def load(version: str, name: str) -> tuple[dict[str, str], tuple[Container, ...]]:
        pod = document(version, "pods.yaml", name)
        return pod["metadata"]["annotations"], containers(pod["spec"])

    return load


@pytest.fixture
def hami_page() -> Callable[[str, str], list[Sample]]:
    """(version, "monitor" or "scheduler") → the page's samples."""

    def load(version: str, page: str) -> list[Sample]:
        text = (FIXTURES / version / f"{page}.prom").read_text(encoding="utf-8")
        return [
            Sample(sample.name, sample.labels, sample.value)
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        ]

    return load
