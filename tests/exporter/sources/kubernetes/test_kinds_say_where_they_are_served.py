from __future__ import annotations

import pytest

from gpuatlas.sources.kubernetes.kinds import JOBS, KINDS, NODES, PODS, REPLICASETS, Kind


@pytest.mark.parametrize(
    ("kind", "path", "list_kind", "qualified"),
    [
        pytest.param(NODES, "/api/v1/nodes", "NodeList", "nodes", id="nodes"),
        pytest.param(PODS, "/api/v1/pods", "PodList", "pods", id="pods"),
        pytest.param(
            REPLICASETS,
            "/apis/apps/v1/replicasets",
            "ReplicaSetList",
            "replicasets.apps",
            id="replicasets",
        ),
        pytest.param(JOBS, "/apis/batch/v1/jobs", "JobList", "jobs.batch", id="jobs"),
    ],
)
def test_each_row_knows_its_place(
    kind: Kind[object], path: str, list_kind: str, qualified: str
) -> None:
    assert (kind.path, kind.list_kind, kind.qualified) == (path, list_kind, qualified)


def test_only_nodes_and_pods_are_required_and_the_owners_are_metadata_only() -> None:
    assert [k.name for k in KINDS if k.required] == ["nodes", "pods"]
    assert [k.name for k in KINDS if k.metadata_only] == ["replicasets", "jobs"]
    assert "PartialObjectMetadataList" in JOBS.list_accept
    assert "as=PartialObjectMetadata;" in JOBS.watch_accept
    assert PODS.list_accept == PODS.watch_accept == "application/json"


def test_nodes_are_keyed_by_name_and_the_others_by_uid() -> None:
    raw = {"metadata": {"name": "a", "namespace": "n", "uid": "u"}}
    assert (NODES.key(raw), PODS.key(raw)) == ("a", "u")
    del raw["metadata"]["uid"]
    assert PODS.key(raw) == "n/a"
    assert PODS.key({}) == NODES.key(None) == ""
