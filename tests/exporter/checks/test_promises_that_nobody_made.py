"""S14, unknown-card and forged: promises that the layer's scheduler cannot have made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.checks.books import inconsistent
from gpuatlas.model.checks import CheckResult, Finding, InputState, MissingInput
from gpuatlas.model.devices import RegisteredDevice
from gpuatlas.model.objects import Pod
from gpuatlas.model.rejections import Rejection
from gpuatlas_harness.checked_books import (
    a_book,
    a_layer,
    a_tenant,
    asking,
    defaults,
    in_books,
)
from gpuatlas_harness.checked_layers import (
    a_checked_cluster,
    a_plugin_pod,
    a_shared_node,
    signals,
    the_finding,
)
from gpuatlas_harness.observed import ALLOCATED, a_container, a_device, a_node, a_promise, uuid

BOOKS = (a_book(in_books(None)),)


def judge(*pods: Pod, devices: tuple[RegisteredDevice, ...] = (), **changes: object) -> CheckResult:
    node = changes.pop("node", None) or a_shared_node("gpu-a", *devices)
    values: dict[str, object] = {"layer": a_layer(), "schedulers": BOOKS}
    return inconsistent(
        a_checked_cluster([node], [a_plugin_pod(), *pods], **(values | changes))  # type: ignore[list-item]
    )


def test_a_card_that_the_node_does_not_register_is_quoted_from_the_annotation() -> None:
    result = judge(a_tenant("a", 4_000, 20, card=9))
    assert the_finding(result) == Finding(
        check="S14",
        signal="unknown-card",
        object="Pod/team-a/a",
        node="gpu-a",
        card=uuid(9),
        namespace="team-a",
        pod="a",
        source=f"pod annotation {ALLOCATED}",
        record=f"{uuid(9)},NVIDIA,4000,20",
    )
    assert result.state is InputState.OK


def test_a_card_of_the_node_is_known() -> None:
    assert signals(judge(a_tenant("a", 4_000, card=2), devices=(a_device(1), a_device(2)))) == []


def test_a_pod_that_has_ended_may_name_a_card_that_is_gone() -> None:
    assert signals(judge(a_tenant("a", 4_000, card=9, phase="Succeeded"))) == []


def test_without_any_registration_the_registration_is_what_is_missing() -> None:
    bare = a_node("gpu-a", labels={"gpu": "on"}, capacity={"nvidia.com/gpu": 10})
    assert signals(judge(a_tenant("a", 4_000, card=9), node=bare)) == []


def test_an_unreadable_registration_makes_the_node_unknown() -> None:
    refused = Rejection(
        "hami-annotations",
        "wrong-field-count",
        "node gpu-a annotation hami.io/node-nvidia-register record 1",
        "x has 3 fields",
    )
    node = replace(a_shared_node(), rejections=(refused,))
    result = judge(a_tenant("a", 4_000, card=9), node=node)
    assert (result.state, result.findings) == (InputState.MISSING, ())
    assert result.nodes == (("gpu-a", InputState.MISSING),)
    assert result.missing == (
        MissingInput(
            check="S14",
            input="annotation",
            node="gpu-a",
            reason="node gpu-a annotation hami.io/node-nvidia-register record 1: x has 3 fields",
        ),
    )


def test_an_unreadable_promise_makes_the_node_unknown() -> None:
    refused = Rejection("hami-annotations", "not-a-number", "pod team-a/a annotation x", "bad")
    result = judge(a_tenant("a", 4_000, rejections=(refused,)))
    assert (result.state, [lack.node for lack in result.missing]) == (
        InputState.MISSING,
        ["gpu-a"],
    )


def test_a_promise_beyond_the_containers_own_limit_is_forged() -> None:
    result = judge(a_tenant("a", 8_000, 20, containers=(asking(4_000),)))
    assert the_finding(result) == Finding(
        check="S14",
        signal="forged",
        object="Pod/team-a/a",
        node="gpu-a",
        card=uuid(1),
        namespace="team-a",
        pod="a",
        source=f"pod annotation {ALLOCATED}",
        record=f"{uuid(1)},NVIDIA,8000,20; its container asks for 4000 MiB",
    )


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(a_tenant("a", 4_000, containers=(asking(4_000),)), id="what was asked"),
        pytest.param(a_tenant("a", 2_000, containers=(asking(4_000),)), id="less"),
        pytest.param(a_tenant("a", 4_001, containers=(asking(4_000),)), id="rounded"),
        pytest.param(a_tenant("a", 8_000), id="nothing stated: the default is the whole card"),
        pytest.param(
            a_tenant(
                "a",
                17_271,
                containers=(
                    a_container("main", {"nvidia.com/gpu": 1, "nvidia.com/gpumem-percentage": 50}),
                ),
            ),
            id="a share in percent",
        ),
        pytest.param(
            a_tenant("a", 8_000, container="", containers=(asking(4_000), asking(8_000, "b"))),
            id="nobody knows which of two containers",
        ),
        pytest.param(
            a_tenant("a", 8_000, container="", containers=(asking(4_000), a_container("b"))),
            id="nobody knows which, and one states nothing",
        ),
        pytest.param(
            a_tenant("a", 9_000, phase="Failed", containers=(asking(4_000),)), id="it has ended"
        ),
    ],
)
def test_an_honest_promise(pod: Pod) -> None:
    assert signals(judge(pod)) == []


def test_of_containers_that_nobody_can_tell_apart_the_largest_is_the_limit() -> None:
    containers = (asking(4_000), asking(6_000, "b"))
    pod = a_tenant("a", 8_000, container="", containers=containers)
    assert signals(judge(pod)) == ["forged"]


def test_a_request_counts_in_units_of_the_configured_factor() -> None:
    layer = a_layer(configs=(defaults(memory_factor=2, split_count=10, memory_scaling=1.5),))
    assert signals(judge(a_tenant("a", 8_000, containers=(asking(4_000),)), layer=layer)) == []
    pod = a_tenant("a", 8_002, containers=(asking(4_000),))
    assert signals(judge(pod, layer=layer)) == ["forged"]


def test_a_template_may_be_larger_than_what_was_asked() -> None:
    pod = a_tenant("a", 10_240, containers=(asking(4_000),))
    card = a_device(1, mode="mig", slots=7)
    assert signals(judge(pod, devices=(card,))) == []
    slot = replace(pod, promises=(a_promise(uuid(1), 10_240, partition="1g.10gb-0"),))
    assert signals(judge(slot)) == []
