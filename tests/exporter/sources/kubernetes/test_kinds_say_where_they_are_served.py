from __future__ import annotations

import pytest

from gpuatlas.join.owner_table import OWNERS
from gpuatlas.sources.kubernetes.kept import POD_LABELS
from gpuatlas.sources.kubernetes.kind import Kind, Part
from gpuatlas.sources.kubernetes.kinds import (
    CORE_KINDS,
    JOBS,
    KINDS,
    NODES,
    OPTIONAL_KINDS,
    PODS,
    REPLICASETS,
)
from gpuatlas.sources.kubernetes.rbac import rules

READ = ["list", "watch"]


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
    assert {k.id for k in KINDS if k.metadata_only} == {
        k.id for k in KINDS if k.part is Part.OWNERS
    }
    assert [k.id for k in KINDS if not k.discovered] == ["nodes", "pods", "replicasets", "jobs"]
    assert "PartialObjectMetadataList" in JOBS.list_accept
    assert "as=PartialObjectMetadata;" in JOBS.watch_accept
    assert PODS.list_accept == PODS.watch_accept == "application/json"


def test_nodes_are_keyed_by_name_and_the_others_by_uid() -> None:
    raw = {"metadata": {"name": "a", "namespace": "n", "uid": "u"}}
    assert (NODES.key(raw), PODS.key(raw)) == ("a", "u")
    del raw["metadata"]["uid"]
    assert PODS.key(raw) == "n/a"
    assert PODS.key({}) == NODES.key(None) == ""


def test_sources_keep_their_names_and_discovered_ones_carry_their_group() -> None:
    assert [kind.source for kind in CORE_KINDS] == [
        "kubernetes-nodes",
        "kubernetes-pods",
        "kubernetes-replicasets",
        "kubernetes-jobs",
    ]
    sources = [kind.source for kind in KINDS]
    assert len(set(sources)) == len(sources)
    assert "kubernetes-workloads.kueue.x-k8s.io" in sources
    assert "kubernetes-workloads.scheduling.k8s.io" in sources


def test_a_kind_is_read_in_the_version_that_it_is_put_at() -> None:
    claims = next(kind for kind in OPTIONAL_KINDS if kind.name == "resourceclaims")
    assert claims.versions == ("v1", "v1beta2", "v1beta1")
    older = claims.at("v1beta1")
    assert older.path == "/apis/resource.k8s.io/v1beta1/resourceclaims"
    assert (older.id, older.api_group) == (claims.id, "resource.k8s.io")
    assert NODES.at("v2").path == "/api/v2/nodes"


def test_cluster_wide_kinds_are_known_as_such() -> None:
    assert [kind.id for kind in KINDS if not kind.namespaced] == [
        "nodes",
        "resourceslices.resource.k8s.io",
        "clusterqueues.kueue.x-k8s.io",
        "queues.scheduling.volcano.sh",
        "queues.scheduling.run.ai",
    ]


def test_rules_name_every_kind_once_by_its_group() -> None:
    assert rules(CORE_KINDS) == [
        {"apiGroups": [""], "resources": ["nodes", "pods"], "verbs": READ},
        {"apiGroups": ["apps"], "resources": ["replicasets"], "verbs": READ},
        {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": READ},
    ]
    every = {rule["apiGroups"][0]: rule["resources"] for rule in rules(KINDS)}
    assert every["apps"] == ["replicasets", "deployments", "statefulsets"]
    assert every["resource.k8s.io"] == ["resourceslices", "resourceclaims"]
    assert every["scheduling.run.ai"] == ["podgroups", "queues", "bindrequests"]
    assert sum(map(len, every.values())) == len(KINDS)


def test_rules_have_each_resource_once_with_the_verbs_of_all_who_read_it() -> None:
    every = rules()
    assert every[: len(rules(KINDS))] == rules(KINDS)  # Deployments are among them already
    assert every[len(rules(KINDS)) :] == [
        {"apiGroups": ["apps"], "resources": ["daemonsets"], "verbs": ["list"]},
        {
            "apiGroups": ["admissionregistration.k8s.io"],
            "resources": ["mutatingwebhookconfigurations"],
            "verbs": ["list"],
        },
        {"apiGroups": [""], "resources": ["services"], "verbs": ["list"]},
        {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["list"]},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]},
    ]
    named = [(rule["apiGroups"][0], name) for rule in every for name in rule["resources"]]
    assert len(named) == len(set(named))


def test_no_rule_names_secrets_or_writes() -> None:
    for rule in rules():
        assert "secrets" not in rule["resources"]
        assert set(rule["verbs"]) <= {"get", "list", "watch"}


def test_what_the_walk_to_a_workload_passes_is_read_and_what_names_one_is_kept() -> None:
    read = {(kind.api_group, kind.kind) for kind in KINDS}
    assert {below for row in OWNERS for below in row.below} - read == set()
    assert [label for row in OWNERS for label in row.labels if not POD_LABELS.keeps(label)] == []
