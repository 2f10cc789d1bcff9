"""S01 to S05, S09 and the facts of nodes over clusters that nobody would build."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.checks import compute, isolation, limits, tenants
from gpuatlas.checks.context import CheckContext
from gpuatlas.checks.evaluate import Evaluator
from gpuatlas.checks.nodes import node_layers
from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.checks import InputState
from gpuatlas.model.devices import Handshake
from gpuatlas.model.objects import Container, Node, Pod
from gpuatlas.model.observations import Observations
from gpuatlas.model.pages import ContainerReading, DcgmPage, HostReading, MonitorPage, Tenant
from gpuatlas.model.pod_spec import PodAccess
from gpuatlas.model.units import MIB
from gpuatlas_harness.checked_tenants import COMPONENT, daemon_set
from gpuatlas_harness.observed import (
    NOW,
    a_container,
    a_dcgm_page,
    a_device,
    a_node,
    a_pod,
    a_promise,
    a_reading,
    a_registration,
    observations,
    uuid,
)

EVALUATORS: dict[str, Evaluator] = {
    "S01": isolation.disabled,
    "S02": limits.mismatch,
    "S03": limits.breached,
    "S04": tenants.unaccounted,
    "S05": compute.ineffective,
    "S09": tenants.bypassed,
}

NODES = ("gpu-a", "gpu-b")
PODS = ("one", "two", "three")
CONTAINERS = ("main", "side", "init")
CARDS = tuple(uuid(n) for n in range(1, 4))
LAYERS = ("hami", "volcano")
optional = st.none() | st.integers(0, 40_000)
ratios = st.none() | st.floats(0, 1)

containers = st.builds(
    a_container,
    st.sampled_from(CONTAINERS),
    st.dictionaries(
        st.sampled_from(
            ["nvidia.com/gpu", "nvidia.com/gpumem", "volcano.sh/vgpu-number", "amd.com/gpu"]
        ),
        st.integers(0, 4),
        max_size=2,
    ),
    kind=st.sampled_from(["main", "sidecar", "init"]),
    env=st.dictionaries(
        st.sampled_from(
            ["CUDA_DISABLE_CONTROL", "GPU_CORE_UTILIZATION_POLICY", "NVIDIA_VISIBLE_DEVICES"]
        ),
        st.sampled_from(["", "true", "disable", "all", "none"]),
        max_size=2,
    ),
)
promises = st.builds(
    a_promise,
    st.sampled_from(CARDS),
    optional,
    st.none() | st.integers(0, 200),
    container=st.sampled_from(["", *CONTAINERS]),
    layer=st.sampled_from(LAYERS),
    partition=st.sampled_from(["", "", "1g.10gb-0"]),
)
accesses = st.builds(
    PodAccess,
    privileged=st.lists(st.sampled_from(CONTAINERS), max_size=2).map(tuple),
    host_devices=st.lists(st.sampled_from(["/", "/dev", "/dev/nvidia0"]), max_size=2).map(tuple),
    runtime_class=st.sampled_from(["", "nvidia", "kata-qemu"]),
)


@st.composite
def pods(draw: st.DrawFn) -> Pod:
    spec: list[Container] = draw(st.lists(containers, max_size=3, unique_by=lambda c: c.name))
    changes: dict[str, Any] = {
        "phase": draw(st.sampled_from(["Pending", "Running", "Running", "Failed", "Unknown"])),
        "scheduler": draw(st.sampled_from(["default-scheduler", "hami-scheduler", "mine", ""])),
        "labels": draw(
            st.dictionaries(
                st.sampled_from([COMPONENT, "hami.io/webhook", "app"]),
                st.sampled_from(["hami-device-plugin", "ignore", "nvidia-dcgm"]),
                max_size=2,
            )
        ),
        "annotations": draw(st.dictionaries(st.just("hami.io/vgpu-node"), st.sampled_from(NODES))),
        "access": draw(accesses),
        "asks": draw(st.booleans()),
        "created_at": draw(st.floats(0, NOW + 100)),
        "started_at": draw(st.none() | st.floats(0, NOW + 100)),
    }
    return a_pod(
        draw(st.sampled_from(PODS)),
        draw(st.sampled_from(["", *NODES])),
        *draw(st.lists(promises, max_size=3)),
        containers=tuple(spec),
        controller=draw(st.none() | st.just(daemon_set("agent"))),
        **changes,
    )


@st.composite
def nodes(draw: st.DrawFn, name: str, card: int) -> Node:
    registrations = [
        a_registration(
            a_device(card, mode=draw(st.sampled_from(["", "hami-core", "mig"]))),
            layer=layer,
            handshake=draw(
                st.none()
                | st.builds(
                    Handshake,
                    state=st.sampled_from(["reported", "deleted"]),
                    at=st.none() | st.floats(0, NOW),
                    zoned=st.booleans(),
                )
            ),
        )
        for layer in draw(st.lists(st.sampled_from(LAYERS), unique=True))
    ]
    sharing = draw(st.sampled_from(["none", "time-slicing", ""]))
    return a_node(name, *registrations, labels={"nvidia.com/gpu.sharing-strategy": sharing})


readings = st.builds(
    ContainerReading,
    used_bytes=optional.map(lambda mib: None if mib is None else mib * MIB),
    limit_bytes=optional.map(lambda mib: None if mib is None else mib * MIB),
    utilization=ratios,
    idle_seconds=st.none(),
)
tenants_of_pages = st.tuples(
    st.builds(Tenant, st.just("team-a"), st.sampled_from(PODS), st.sampled_from(CONTAINERS)),
    st.sampled_from(CARDS),
)
pages = st.builds(
    MonitorPage,
    target=st.just("10.0.0.7:9394"),
    node=st.sampled_from(["", *NODES]),
    at=st.just(NOW),
    hosts=st.dictionaries(
        st.sampled_from(CARDS),
        st.builds(
            HostReading,
            used_bytes=optional.map(lambda mib: None if mib is None else mib * MIB),
            utilization=ratios,
        ),
    ),
    containers=st.dictionaries(tenants_of_pages, readings, max_size=4),
    version=st.sampled_from(["", "v2.8.1", "v2.10.0", "dev"]),
)


@st.composite
def dcgm_pages(draw: st.DrawFn) -> DcgmPage:
    fields = {
        "DEV_FB_USED": float(draw(st.integers(0, 23_028))),
        "DEV_FB_TOTAL": 23_028.0,
        "DEV_GPU_UTIL": float(draw(st.integers(0, 100))),
    }
    tenant = Tenant("team-a", draw(st.sampled_from(PODS)), "main")
    return a_dcgm_page(
        a_reading(draw(st.integers(1, 3)), fields=fields, tenant_fields={tenant: fields}),
        node=draw(st.sampled_from(["", *NODES])),
    )


@st.composite
def clusters(draw: st.DrawFn) -> Observations:
    found = draw(st.lists(pods(), max_size=4, unique_by=lambda pod: pod.uid))
    return observations(
        [draw(nodes(name, card)) for card, name in enumerate(NODES, start=1)],
        found,
        monitors=tuple(draw(st.lists(pages, max_size=2))),
        dcgm=tuple(draw(st.lists(dcgm_pages(), max_size=1))),
        silent=draw(
            st.dictionaries(
                st.sampled_from([("hami-monitor", "gpu-a"), ("hami-monitor", "")]),
                st.just("HTTP 500"),
                max_size=1,
            )
        ),
    )


@pytest.mark.parametrize("check", EVALUATORS)
@settings(deadline=None, max_examples=60)
@given(seen=clusters())
def test_findings_are_complete_and_states_agree(check: str, seen: Observations) -> None:
    result = EVALUATORS[check](CheckContext(observations=seen, snapshot=Joiner().build(seen)))
    assert result.check == check
    for finding in result.findings:
        assert finding.check == check
        assert all((finding.signal, finding.object, finding.source, finding.record))
        assert finding.pod or finding.object.startswith("Node/")
    lacking = {lack.node for lack in result.missing}
    assert all(lack.check == check and lack.input and lack.reason for lack in result.missing)
    assert len(set(result.missing)) == len(result.missing)
    assert {node for node, state in result.nodes if state is InputState.MISSING} == lacking
    assert (result.state is InputState.NOT_APPLICABLE) == (not result.nodes)
    assert (result.state is InputState.MISSING) == bool(lacking)


@settings(deadline=None, max_examples=60)
@given(seen=clusters())
def test_facts_are_plain_and_by_name(seen: Observations) -> None:
    found = node_layers(CheckContext(observations=seen, snapshot=Joiner().build(seen)))
    assert [facts.node for facts in found] == sorted({facts.node for facts in found})
    for facts in found:
        assert facts.layers
        assert (facts.registered_cards or 0) >= 0
