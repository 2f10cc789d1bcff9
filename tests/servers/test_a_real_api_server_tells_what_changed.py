"""Watches and resource versions of the harness' API server."""

from __future__ import annotations

import pytest

from gpuatlas_harness.api_objects import config_map, node
from gpuatlas_harness.kube import KubeServer
from gpuatlas_harness.kube_api import KubeError


def test_a_watch_gives_later_events_and_a_bookmark(kube: KubeServer) -> None:
    before = kube.list_objects("Node")["metadata"]["resourceVersion"]
    kube.apply([node("gpu-1")])
    kube.delete("Node", "gpu-1")

    watch = kube.watch("Node", resource_version=before, timeout_seconds=5)
    # The node is created, then its status is set, then it is deleted.
    assert [next(watch)["type"] for _ in range(3)] == ["ADDED", "MODIFIED", "DELETED"]
    # Of another kind: the watch learns of it only by a bookmark.
    elsewhere = kube.apply([config_map("progress")])[0]["metadata"]["resourceVersion"]
    rest = list(watch)

    assert {event["type"] for event in rest} == {"BOOKMARK"}
    assert int(rest[-1]["object"]["metadata"]["resourceVersion"]) >= int(elsewhere)


def test_after_compaction_an_old_resource_version_is_gone(kube: KubeServer) -> None:
    old = kube.apply([node("gpu-1")])[0]["metadata"]["resourceVersion"]
    kube.apply([node("gpu-1", gpus=4)])

    kube.compact()

    events = list(kube.watch("Node", resource_version=old, timeout_seconds=4))
    assert [(event["type"], event["object"]["code"]) for event in events] == [("ERROR", 410)]
    assert events[0]["object"]["reason"] == "Expired"
    with pytest.raises(KubeError) as refused:
        kube.list_objects(
            "Node", parameters={"resourceVersion": old, "resourceVersionMatch": "Exact"}
        )
    assert refused.value.code == 410


def test_after_compaction_a_continued_list_is_gone(kube: KubeServer) -> None:
    kube.apply([node("gpu-1"), node("gpu-2")])
    first = kube.list_objects("Node", parameters={"limit": "1"})
    assert [item["metadata"]["name"] for item in first["items"]] == ["gpu-1"]
    kube.apply([node("gpu-2", gpus=4)])

    kube.compact()

    with pytest.raises(KubeError) as refused:
        kube.list_objects(
            "Node", parameters={"limit": "1", "continue": first["metadata"]["continue"]}
        )
    assert refused.value.code == 410
