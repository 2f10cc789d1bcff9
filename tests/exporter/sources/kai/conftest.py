"""Loads the synthetic pods of tests/fixtures/kai through the projection of the API's pods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuatlas.model.objects import Container, Pod
from gpuatlas.sources.kubernetes.project import project_pod

FIXTURES = Path(__file__).parents[3] / "fixtures" / "kai"


@pytest.fixture(scope="session")
def kai_pods() -> Mapping[tuple[str, str], Pod]:
    """(version, name) → the pod."""
    found = {}
    for path in sorted(FIXTURES.glob("*/pods.yaml")):
        for raw in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            pod = project_pod(raw)
            assert pod is not None, raw["metadata"]["name"]
            found[path.parent.name, pod.name] = pod
    return found


@pytest.fixture
def marked() -> Callable[..., Pod]:
    """Makes a pod with these annotations, labels and other fields, on node kai-a in team-b."""

    def make(
        annotations: Mapping[str, str] | None = None,
        labels: Mapping[str, str] | None = None,
        **more: Any,
    ) -> Pod:
        container = Container(name="main", kind="main", image="x", limits={}, env={})
        pod = Pod(
            uid="u",
            namespace="team-b",
            name="pod-0",
            node="kai-a",
            phase="Running",
            reason="",
            scheduler="kai-scheduler",
            created_at=0.0,
            deleting=False,
            ready=True,
            ip="",
            host_network=False,
            waiting_reason="",
            labels=labels or {},
            annotations=annotations or {},
            controller=None,
            containers=(container,),
        )
        return replace(pod, **more)

    return make
