"""Kinds that can be missing, on a real kube-apiserver: DRA is served, the others are defined."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuatlas.model.objects import Owner, OwnerLink
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.kinds import CORE_KINDS, KINDS, OPTIONAL_KINDS
from gpuatlas.sources.kubernetes.listing import read_once
from gpuatlas.sources.kubernetes.optional import OptionalKinds
from gpuatlas.sources.kubernetes.parts import put_together
from gpuatlas.sources.kubernetes.patience import Patience
from gpuatlas.sources.kubernetes.rbac import rules
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.kubernetes.survey import survey
from gpuatlas_harness.binaries import built_binary, required
from gpuatlas_harness.crds import install, uninstall
from gpuatlas_harness.kube import KubeServer
from gpuatlas_harness.polling import poll

Object = dict[str, Any]
FIXTURES = Path(__file__).parents[3] / "fixtures"
# The beta versions of DRA and the API of native gangs are off by default.
ENABLED = ("resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2", "scheduling.k8s.io/v1alpha2")
KUEUE = "kueue.x-k8s.io"
QUEUES = "localqueues.kueue.x-k8s.io"
DRA_KINDS = {"resourceslices.resource.k8s.io", "resourceclaims.resource.k8s.io"}

GANG = {"gang": {"minCount": 4}}
NATIVE: list[Object] = [
    {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "Workload",
        "metadata": {"name": "sweep", "namespace": "team-a"},
        "spec": {"podGroupTemplates": [{"name": "workers", "schedulingPolicy": GANG}]},
    },
    {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "PodGroup",
        "metadata": {"name": "sweep-0", "namespace": "team-a"},
        "spec": {"schedulingPolicy": GANG},
    },
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeServer]:
    """A cluster of its own: definitions would be seen by all other tests."""
    with KubeServer(
        apiserver=required(lambda: built_binary("kube-apiserver")),
        etcd=required(lambda: built_binary("etcd")),
        work_dir=tmp_path_factory.mktemp("kube-optional"),
        extra_arguments=[
            f"--runtime-config={','.join(f'{version}=true' for version in ENABLED)}",
            "--feature-gates=GenericWorkload=true",
        ],
    ) as running:
        yield running


@pytest.fixture(scope="module")
def defined(server: KubeServer) -> KubeServer:
    """With all kinds, and what the systems write in them."""
    install(server)
    server.apply([without_identity(raw) for raw in (*written(), *NATIVE)])
    return server


def written() -> Iterator[Object]:
    """The objects of the placement fixtures that this server can hold, and NVIDIA's DRA objects."""
    folders = ("coscheduling-v1alpha1", "kai-2026-03", "kueue-v1beta2", "volcano-v1beta1")
    paths = [path for name in folders for path in sorted((FIXTURES / "placement" / name).glob("*"))]
    paths += sorted((FIXTURES / "dra" / "nvidia-v25.12.0").glob("*.yaml"))
    for path in paths:
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            yield from document if isinstance(document, list) else [document]


def without_identity(raw: Object) -> Object:
    drop = ("uid", "resourceVersion", "creationTimestamp", "generation")
    return {**raw, "metadata": {k: v for k, v in raw["metadata"].items() if k not in drop}}


def settings_of(kubeconfig: Path) -> KubernetesSettings:
    return KubernetesSettings(
        kubeconfig=kubeconfig,
        backoff_start_s=0.05,
        backoff_cap_s=0.5,
        refused_pause_s=1.0,
        discovery_interval_s=0.5,
    )


@pytest.fixture
def connect() -> Iterator[Callable[[Path], Connection]]:
    opened: list[Connection] = []

    def connection(kubeconfig: Path) -> Connection:
        opened.append(Connection.open(settings_of(kubeconfig), {}, patience=Patience()))
        return opened[-1]

    yield connection
    for each in opened:
        each.close()


Connect = Callable[[Path], Connection]


def quiet(_kind: str, _count: int) -> None:
    pass


def until(condition: Callable[[], bool], what: str) -> None:
    poll(lambda: condition() or None, deadline_seconds=60, waiting_for=what)


# In order: nothing is defined yet.


def test_where_nothing_is_installed_only_what_kubernetes_has_is_read(
    server: KubeServer, connect: Connect
) -> None:
    found = read_once(connect(server.kubeconfig), KINDS, quiet)
    native = {"podgroups.scheduling.k8s.io", "workloads.scheduling.k8s.io"}
    assert set(found.objects) == {kind.id for kind in CORE_KINDS} | DRA_KINDS | native
    assert found.versions["resourceclaims.resource.k8s.io"] == "resource.k8s.io/v1"
    assert found.versions["workloads.scheduling.k8s.io"] == "scheduling.k8s.io/v1alpha2"
    assert (found.warnings, found.failures) == ([], {})


def test_a_kind_comes_and_goes_with_its_definition(
    server: KubeServer, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "gpuatlas")
    rows = [kind for kind in OPTIONAL_KINDS if kind.id == QUEUES]
    optional = OptionalKinds(
        rows, connect(server.kubeconfig), settings_of(server.kubeconfig), lambda: None
    )

    def names() -> list[str]:
        return [queue.name for queue in optional.view(QUEUES).objects.values()]

    optional.start()
    try:
        until(lambda: not list(optional.missing()), "the first answer")
        assert [status.source for status in optional.statuses()] == ["kubernetes-discovery"]
        install(server, KUEUE)
        queue = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue"}
        metadata = {"name": "teams", "namespace": "team-a"}
        server.apply([{**queue, "metadata": metadata, "spec": {"clusterQueue": "shared"}}])
        until(lambda: names() == ["teams"], "the queue")
        uninstall(server, KUEUE)
        until(lambda: len(optional.statuses()) == 1, "the kind to go")
        assert names() == []
    finally:
        optional.stop()
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING] == []


def test_every_system_is_read_as_it_writes(defined: KubeServer, connect: Connect) -> None:
    found = read_once(connect(defined.kubeconfig), KINDS, quiet)
    assert (found.warnings, found.failures, dict(found.rejected)) == ([], {}, {})
    objects = put_together(found.objects)
    placement = objects.placement
    assert {(g.system, g.name, g.minimum, g.waiting.reason) for g in placement.groups.values()} == {
        ("volcano", "finetune-0c1d", 3, "VolcanoNotEnoughResources"),
        ("volcano", "podgroup-8f1c", 1, ""),
        ("volcano", "queued", 2, "VolcanoNotEnqueued"),
        ("kai", "pg-disagg", 7, "KaiUnschedulable"),
        ("kai", "pg-score-32000000-0000-4000-8000-000000000021", 3, "KaiOverLimit"),
        ("coscheduling", "sweep", 4, ""),
        ("native", "sweep-0", 4, ""),
    }
    assert {(q.kind, q.namespace, q.name, q.parent) for q in placement.queues.values()} == {
        ("LocalQueue", "team-a", "research", "shared-h100"),
        ("ClusterQueue", "", "shared-h100", "company"),
        ("VolcanoQueue", "", "research", "root"),
        ("KaiQueue", "", "inference", "production"),
    }
    assert {(w.name, w.cluster_queue, w.waiting.reason) for w in placement.workloads.values()} == {
        ("job-pretrain-5f2b1", "", "KueueWaitingForQuota"),
        ("sweep", "", "KueuePending"),
        ("trainjob-tune-81c0d", "shared-h100", ""),
        ("pytorchjob-eval-00af1", "burst", "KueueUnsatisfiedAdmissionChecks"),
    }
    (template,) = placement.templates.values()
    assert (template.name, dict(template.minimums)) == ("sweep", {"workers": 4})
    (bind,) = placement.binds.values()
    assert (bind.pod, bind.node, bind.groups) == ("chat-0", "gpu-a", ("6b1d2f3c",))


def test_slices_and_claims_are_read(defined: KubeServer, connect: Connect) -> None:
    found = read_once(connect(defined.kubeconfig), KINDS, quiet)
    objects = put_together(found.objects)
    slices = {(s.name, s.pool, len(s.devices)) for s in objects.slices.values()}
    assert slices == {
        ("dynmig-a-gpu.nvidia.com-cntrs", "dynmig-a", 0),
        ("dynmig-a-gpu.nvidia.com-gpu00", "dynmig-a", 3),
    }
    (claim,) = objects.claims.values()
    assert (claim.name, [c.name for c in claim.reserved_for]) == ("infer-0-mig-k2v9p", ["infer-0"])
    assert [result.pool for result in claim.results] == ["dynmig-a"]


@pytest.mark.parametrize("version", ["v1", "v1beta2", "v1beta1"])
def test_older_versions_say_the_same(defined: KubeServer, connect: Connect, version: str) -> None:
    rows = [kind for kind in KINDS if kind.id in DRA_KINDS]
    connection = connect(defined.kubeconfig)
    newest = read_once(connection, rows, quiet).objects
    older = [replace(kind.at(version), discovered=False) for kind in rows]
    read = read_once(connection, older, quiet).objects
    assert {name: read[name.split(".")[0]] for name in newest} == newest
    assert all(newest.values())


def test_owners_lead_from_a_pods_controller_to_the_top(
    defined: KubeServer, connect: Connect
) -> None:
    service = an_owner("ray.io/v1", "RayService", "chat", "uid-service")
    cluster = a_custom_object("ray.io/v1", "RayCluster", "chat-abcde", service)
    revision = a_custom_object(
        "serving.knative.dev/v1",
        "Revision",
        "embed-00001",
        an_owner("serving.knative.dev/v1", "Configuration", "embed", "uid-configuration"),
    )
    defined.apply([cluster, revision])
    found = read_once(connect(defined.kubeconfig), KINDS, quiet)
    assert [link.controller for link in links(found.objects["rayclusters.ray.io"])] == [
        Owner(api_group="ray.io", kind="RayService", name="chat", uid="uid-service")
    ]
    assert [
        (link.kind, link.name) for link in links(found.objects["revisions.serving.knative.dev"])
    ] == [("Revision", "embed-00001")]
    assert {"deployments.apps", "statefulsets.apps"} <= found.objects.keys()


def test_discovery_says_the_same_in_both_of_its_forms(
    defined: KubeServer, connect: Connect
) -> None:
    connection = connect(defined.kubeconfig)
    aggregated = survey(connection, OPTIONAL_KINDS)
    by_group = survey(_Plain(connection), OPTIONAL_KINDS)
    for kind in OPTIONAL_KINDS:
        found = aggregated.readable(kind)
        assert found is not None
        assert found == by_group.readable(kind)


def test_the_documented_rights_are_enough(defined: KubeServer, connect: Connect) -> None:
    kubeconfig = defined.service_account_kubeconfig("all-rights", rules())
    found = read_once(connect(kubeconfig), KINDS, quiet)
    assert (found.warnings, len(found.objects)) == ([], len(KINDS))


def test_rights_that_lack_cost_what_they_would_have_told(
    defined: KubeServer, connect: Connect
) -> None:
    granted = rules(k for k in KINDS if k.api_group != KUEUE)
    kubeconfig = defined.service_account_kubeconfig("no-kueue", granted)
    found = read_once(connect(kubeconfig), KINDS, quiet)
    assert [warning.partition(": ")[0] for warning in found.warnings] == [
        "without workloads.kueue.x-k8s.io",
        "without localqueues.kueue.x-k8s.io",
        "without clusterqueues.kueue.x-k8s.io",
    ]
    assert 'Grant the verb "list" on "workloads.kueue.x-k8s.io"' in found.warnings[0]
    assert found.objects["workloads.kueue.x-k8s.io"] == {}
    assert found.failures.keys() == {
        "kubernetes-workloads.kueue.x-k8s.io",
        "kubernetes-localqueues.kueue.x-k8s.io",
        "kubernetes-clusterqueues.kueue.x-k8s.io",
    }
    assert len(found.objects["podgroups.scheduling.run.ai"]) == 2


class _Plain:
    """A connection to a server that knows the older form of discovery only."""

    def __init__(self, connection: Connection) -> None:
        self.address = connection.address
        self._connection = connection

    def get(
        self, path: str, query: Mapping[str, str] | None = None, *, accept: str = "application/json"
    ) -> Object:
        return self._connection.get(path, query, accept=accept.rpartition(",")[2])


def an_owner(api_version: str, kind: str, name: str, uid: str) -> Object:
    owner = {"apiVersion": api_version, "kind": kind, "name": name, "uid": uid}
    return {**owner, "controller": True}


def a_custom_object(api_version: str, kind: str, name: str, owner: Object) -> Object:
    metadata = {"name": name, "namespace": "team-a", "ownerReferences": [owner]}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": {}}


def links(objects: Mapping[str, object]) -> list[OwnerLink]:
    return [value for value in objects.values() if isinstance(value, OwnerLink)]
