"""S11: a node with a layer's cards lacks the label by which its plugin's DaemonSet selects."""

from __future__ import annotations

import pytest

from gpuatlas.checks.node_labels import READ_DOMAINS, READ_KEYS, missing_labels
from gpuatlas.checks.plugin import label_missing
from gpuatlas.model.checks import Finding, InputState, MissingInput
from gpuatlas.sources.kubernetes.kept import NODE_LABELS
from gpuatlas_harness.checked_layers import (
    a_checked_cluster,
    a_daemon_set,
    a_plugin_pod,
    a_shared_node,
    a_shared_pod,
    installed,
    the_finding,
)
from gpuatlas_harness.observed import a_node

OK, MISSING = InputState.OK, InputState.MISSING
NO_CARDS = {"nvidia.com/gpu": 0}


def test_a_node_without_the_label_is_named_with_the_selector() -> None:
    context = a_checked_cluster([a_shared_node(labels={}, allocatable=NO_CARDS)])
    result = label_missing(context)
    assert result.findings == (
        Finding(
            check="S11",
            signal="label",
            object="Node/gpu-a",
            source="DaemonSet/kube-system/hami-device-plugin nodeSelector",
            record="nodeSelector gpu=on; node has no label gpu",
            node="gpu-a",
        ),
    )
    assert (result.state, result.nodes, result.missing) == (OK, (("gpu-a", OK),), ())
    assert missing_labels(context, "gpu-a") == ("gpu=on",)


def test_tenants_alone_prove_that_the_node_is_the_layers() -> None:
    node = a_node("gpu-a", capacity={"nvidia.com/gpu": 10})
    context = a_checked_cluster([node], [a_shared_pod()])
    assert missing_labels(context, "gpu-a") == ("gpu=on",)


def test_a_node_with_the_label_is_no_finding() -> None:
    context = a_checked_cluster([a_shared_node()], [a_plugin_pod(), a_shared_pod()])
    assert label_missing(context).findings == ()
    assert missing_labels(context, "gpu-a") == ()


def test_one_of_several_daemon_sets_is_enough() -> None:
    pools = (
        a_daemon_set(name="a", node_selector={"gpu": "on", "pool": "a"}),
        a_daemon_set(name="b", node_selector={"gpu": "on", "pool": "b"}),
    )
    layer = installed(controllers=pools)
    of_b = a_shared_node(labels={"gpu": "on", "pool": "b"})
    assert label_missing(a_checked_cluster([of_b], layer=layer)).findings == ()
    lost = a_shared_node(labels={"pool": "b"}, allocatable=NO_CARDS)
    finding = the_finding(label_missing(a_checked_cluster([lost], layer=layer)))
    assert finding.source == "DaemonSet/kube-system/b nodeSelector"
    assert finding.record == "nodeSelector gpu=on,pool=b; node has no label gpu"


def test_a_node_that_was_taken_out_on_purpose_is_no_finding() -> None:
    out = a_shared_node(labels={"gpu": "off"}, allocatable=NO_CARDS)
    assert label_missing(a_checked_cluster([out])).findings == ()
    finding = the_finding(label_missing(a_checked_cluster([out], [a_shared_pod()])))
    assert finding.record == "nodeSelector gpu=on; node has gpu=off"


def test_a_registration_that_was_left_behind_is_no_finding() -> None:
    left = a_shared_node(labels={})
    result = label_missing(a_checked_cluster([left]))
    assert (result.state, result.findings) == (InputState.NOT_APPLICABLE, ())


def test_a_selector_for_every_node_cannot_be_missed() -> None:
    layer = installed(controllers=(a_daemon_set(node_selector={}),))
    node = a_shared_node(labels={}, allocatable=NO_CARDS)
    assert label_missing(a_checked_cluster([node], layer=layer)).findings == ()


def test_a_label_that_is_not_read_is_a_missing_input() -> None:
    layer = installed(controllers=(a_daemon_set(node_selector={"example.org/cards": "yes"}),))
    node = a_shared_node(labels={}, allocatable=NO_CARDS)
    context = a_checked_cluster([node], layer=layer)
    result = label_missing(context)
    assert result.findings == ()
    assert result.nodes == (("gpu-a", MISSING),)
    assert result.missing == (
        MissingInput(
            check="S11",
            input="node label",
            node="gpu-a",
            reason=(
                "the DaemonSet selects by the label example.org/cards, which gpuatlas does not read"
            ),
        ),
    )
    assert missing_labels(context, "gpu-a") == ()


def test_a_pod_of_the_daemon_set_proves_that_it_selects_the_node() -> None:
    layer = installed(controllers=(a_daemon_set(node_selector={"example.org/cards": "yes"}),))
    node = a_shared_node(labels={})
    staying = a_checked_cluster([node], [a_plugin_pod()], layer=layer)
    assert (label_missing(staying).missing, label_missing(staying).findings) == ((), ())
    leaving = a_checked_cluster([node], [a_plugin_pod(deleting=True)], layer=layer)
    assert [lack.input for lack in label_missing(leaving).missing] == ["node label"]


def test_a_label_that_another_node_has_is_read() -> None:
    layer = installed(controllers=(a_daemon_set(node_selector={"example.org/cards": "yes"}),))
    lost = a_shared_node(labels={}, allocatable=NO_CARDS)
    other = a_node("gpu-b", labels={"example.org/cards": "yes"})
    context = a_checked_cluster([lost, other], layer=layer)
    assert missing_labels(context, "gpu-a") == ("example.org/cards=yes",)


def test_what_is_lacking_for_certain_decides_beside_what_is_not_read() -> None:
    selector = {"example.org/cards": "yes", "gpu": "on"}
    layer = installed(controllers=(a_daemon_set(node_selector=selector),))
    context = a_checked_cluster([a_shared_node(labels={}, allocatable=NO_CARDS)], layer=layer)
    assert missing_labels(context, "gpu-a") == ("gpu=on",)
    assert label_missing(context).missing == ()


@pytest.mark.parametrize("key", sorted(READ_KEYS | {f"{d}/x" for d in READ_DOMAINS}))
def test_the_keys_that_count_as_read_are_kept_of_every_node(key: str) -> None:
    assert NODE_LABELS.keeps(key)


def test_a_layer_without_a_daemon_set_cannot_be_judged() -> None:
    context = a_checked_cluster(
        [a_shared_node()], [a_shared_pod()], layer=installed(controllers=())
    )
    assert label_missing(context).missing == (
        MissingInput(
            check="S11",
            input="daemonsets.apps",
            node="gpu-a",
            reason="no DaemonSet has the label app.kubernetes.io/component=hami-device-plugin",
        ),
    )


def test_daemon_sets_that_cannot_be_read_are_a_missing_input() -> None:
    layer = installed(controllers=(), unread={"daemonsets.apps": "403 Forbidden"})
    result = label_missing(a_checked_cluster([a_shared_node()], [a_shared_pod()], layer=layer))
    assert [lack.reason for lack in result.missing] == ["403 Forbidden"]
    assert result.nodes == (("gpu-a", MISSING),)


def test_somebody_elses_daemon_set_with_the_label_does_not_count() -> None:
    other = a_daemon_set(namespace="team-a", node_selector={})
    layer = installed(controllers=(a_daemon_set(), other))
    tenant = a_shared_pod()
    node = a_shared_node(labels={}, allocatable=NO_CARDS)
    context = a_checked_cluster([node], [tenant, a_plugin_pod("gpu-b")], layer=layer)
    assert missing_labels(context, "gpu-a") == ("gpu=on",)


def test_an_unknown_node_lacks_nothing() -> None:
    assert missing_labels(a_checked_cluster([]), "nowhere") == ()
    assert label_missing(a_checked_cluster([])).state is InputState.NOT_APPLICABLE
