"""What a removed layer leaves on its nodes raises no finding; while part of it runs, it does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.evaluate import evaluate
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.objects import Pod
from gpuatlas_harness.checked_layers import (
    a_checked_cluster,
    a_scheduler_deployment,
    a_shared_node,
    a_shared_pod,
    a_webhook,
)
from gpuatlas_harness.checked_tenants import a_volcano_node
from gpuatlas_harness.observed import NOW

GONE = LayerObjects(read_at=NOW)
NODE = a_shared_node()
LEFT = replace(NODE, capacity={}, allocatable={})
VOLCANO = a_volcano_node(NODE.name)
BESIDE_VOLCANO = replace(
    VOLCANO,
    registrations=(*NODE.registrations, *VOLCANO.registrations),
    annotations={**NODE.annotations, **VOLCANO.annotations},
)


@pytest.mark.parametrize("node", [LEFT, BESIDE_VOLCANO], ids=["alone", "beside Volcano"])
def test_a_registration_that_nobody_deleted_is_no_plugin_that_is_missing(node: object) -> None:
    context = a_checked_cluster([node], [], layer=GONE)  # type: ignore[list-item]
    assert evaluate(context.observations, context.snapshot).findings == ()


@pytest.mark.parametrize(
    ("layer", "pods"),
    [
        pytest.param(replace(GONE, controllers=(a_scheduler_deployment(),)), (), id="a scheduler"),
        pytest.param(replace(GONE, webhooks=(a_webhook(),)), (), id="its webhook"),
        pytest.param(replace(GONE, unread={"daemonsets.apps": "HTTP 403"}), (), id="unread"),
        pytest.param(LayerObjects(), (), id="not read yet"),
        pytest.param(GONE, (a_shared_pod(),), id="a tenant"),
    ],
)
def test_a_layer_of_which_something_is_left_misses_its_plugin(
    layer: LayerObjects, pods: tuple[Pod, ...]
) -> None:
    context = a_checked_cluster([LEFT], pods, layer=layer)
    report = evaluate(context.observations, context.snapshot)
    signals = {(finding.check, finding.signal) for finding in report.findings}
    missing = {(lack.check, lack.input) for result in report.results for lack in result.missing}
    assert ("S10", "missing") in signals or ("S10", "daemonsets.apps") in missing
