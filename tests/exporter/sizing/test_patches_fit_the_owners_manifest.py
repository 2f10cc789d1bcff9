"""For every kind in the table: the patch changes the container's device and nothing else."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuatlas.model.sizing import SizingReport
from gpuatlas.sizing.patch import Form, WorkloadPatch, make_patches, targets_of
from gpuatlas.sizing.patch_paths import PATCH_KINDS
from gpuatlas_harness.kube import KubeServer
from gpuatlas_harness.sizing_reports import (
    Object,
    a_container,
    a_proposal,
    a_report,
    container,
    json_patched,
    manifest,
    of_compute,
    pod_template,
)

GPU = container(gpu=1, gpumem=20000, gpucores=70)
WEB = container("web", requests=True)
TEMPLATE = pod_template(WEB, GPU)
SPEC = TEMPLATE["spec"]
SELECTOR = {"matchLabels": {"app": "llm-chat"}}
JOB_TEMPLATE = {**TEMPLATE, "spec": {**SPEC, "restartPolicy": "Never"}}
RAY = {
    "headGroupSpec": {"template": pod_template(container("ray-head"))},
    "workerGroupSpecs": [
        {"groupName": "cpu", "template": pod_template(container("ray-worker"))},
        {"groupName": "gpu", "template": TEMPLATE},
    ],
}


def training(specs: str) -> Object:
    return {specs: {"Master": {"template": pod_template(WEB)}, "Worker": {"template": TEMPLATE}}}


# Kind → (apiVersion, spec). Every row of the table is here.
MANIFESTS: dict[str, tuple[str, Object]] = {
    "Deployment": ("apps/v1", {"selector": SELECTOR, "template": TEMPLATE}),
    "StatefulSet": ("apps/v1", {"selector": SELECTOR, "serviceName": "s", "template": TEMPLATE}),
    "DaemonSet": ("apps/v1", {"selector": SELECTOR, "template": TEMPLATE}),
    "ReplicaSet": ("apps/v1", {"selector": SELECTOR, "template": TEMPLATE}),
    "ReplicationController": ("v1", {"selector": {"app": "llm-chat"}, "template": TEMPLATE}),
    "Job": ("batch/v1", {"template": JOB_TEMPLATE}),
    "CronJob": (
        "batch/v1",
        {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": JOB_TEMPLATE}}},
    ),
    "Pod": ("v1", SPEC),
    "InferenceService": ("serving.kserve.io/v1beta1", {"predictor": SPEC}),
    "LLMInferenceService": (
        "serving.kserve.io/v1alpha1",
        {"replicas": 2, "template": SPEC, "prefill": {"template": {"containers": [WEB]}}},
    ),
    "Service": ("serving.knative.dev/v1", {"template": TEMPLATE}),
    "RayCluster": ("ray.io/v1", RAY),
    "RayService": ("ray.io/v1", {"rayClusterConfig": RAY}),
    "RayJob": ("ray.io/v1", {"entrypoint": "train", "rayClusterSpec": RAY}),
    "RayCronJob": ("ray.io/v1", {"jobTemplate": {"rayClusterSpec": RAY}}),
    "TrainJob": (
        "trainer.kubeflow.org/v1alpha1",
        {"trainer": {"numNodes": 2, "resourcesPerNode": GPU["resources"]}},
    ),
    "PyTorchJob": ("kubeflow.org/v1", training("pytorchReplicaSpecs")),
    "TFJob": ("kubeflow.org/v1", training("tfReplicaSpecs")),
    "MPIJob": ("kubeflow.org/v1", training("mpiReplicaSpecs")),
    "XGBoostJob": ("kubeflow.org/v1", training("xgbReplicaSpecs")),
    "PaddleJob": ("kubeflow.org/v1", training("paddleReplicaSpecs")),
    "JAXJob": ("kubeflow.org/v1", training("jaxReplicaSpecs")),
    "Notebook": ("kubeflow.org/v1", {"template": {"spec": SPEC}}),
    "LeaderWorkerSet": (
        "leaderworkerset.x-k8s.io/v1",
        {"leaderWorkerTemplate": {"size": 4, "workerTemplate": TEMPLATE}},
    ),
    "JobSet": (
        "jobset.x-k8s.io/v1alpha2",
        {"replicatedJobs": [{"name": "w", "template": {"spec": {"template": JOB_TEMPLATE}}}]},
    ),
    "Job.batch.volcano.sh": (
        "batch.volcano.sh/v1alpha1",
        {"tasks": [{"name": "ps", "template": pod_template(WEB)}, {"template": TEMPLATE}]},
    ),
    "Rollout": ("argoproj.io/v1alpha1", {"selector": SELECTOR, "template": TEMPLATE}),
    "PodCliqueSet": (
        "grove.io/v1alpha1",
        {"template": {"cliques": [{"name": "decode", "spec": {"podSpec": SPEC}}]}},
    ),
    "SeldonDeployment": (
        "machinelearning.seldon.io/v1",
        {"predictors": [{"name": "p", "componentSpecs": [{"spec": SPEC}]}]},
    ),
}
BUILT_IN = sorted(kind for kind, row in PATCH_KINDS.items() if row.built_in)
OTHERS = sorted(PATCH_KINDS.keys() - set(BUILT_IN))


def of(kind: str) -> Object:
    api_version, spec = MANIFESTS[kind]
    return copy.deepcopy(manifest(kind.partition(".")[0], api_version, spec))


def report_on(kind: str) -> SizingReport:
    who = a_container(kind=kind, container="node" if kind == "TrainJob" else "main")
    return a_report(a_proposal(who), of_compute(who))


def patch_of(kind: str, document: Any) -> WorkloadPatch:
    report = report_on(kind)
    (target,) = targets_of(report)
    (patch,), refused = make_patches(report, {target: document})
    assert refused == []
    return patch


def expected(document: Object) -> Object:
    """Every value of the container with the device, wherever it is."""
    text = json.dumps(document)
    assert text.count('"nvidia.com/gpumem": 20000, "nvidia.com/gpucores": 70') == 1
    changed = text.replace(
        '"nvidia.com/gpumem": 20000, "nvidia.com/gpucores": 70',
        '"nvidia.com/gpumem": 15872, "nvidia.com/gpucores": 50',
    )
    result: Object = json.loads(changed)
    return result


def test_every_kind_has_a_manifest_here() -> None:
    assert MANIFESTS.keys() == PATCH_KINDS.keys()


@pytest.mark.parametrize("kind", OTHERS)
def test_a_json_patch_changes_the_object_that_was_read(kind: str) -> None:
    document = of(kind)
    patch = patch_of(kind, document)

    assert patch.form is Form.JSON
    assert json_patched(document, yaml.safe_load(patch.text)) == expected(document)


@pytest.mark.parametrize("kind", OTHERS)
def test_a_json_patch_fails_where_the_object_is_another_one_by_now(kind: str) -> None:
    document = of(kind)
    operations = yaml.safe_load(patch_of(kind, document).text)
    other = json.loads(json.dumps(document).replace("20000", "18000"))

    with pytest.raises(AssertionError):
        json_patched(other, operations)


@pytest.fixture
def kubectl(tmp_path: Path) -> Callable[..., Object]:
    """Runs kubectl without a cluster."""
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not on PATH")

    def run(*arguments: str, **files: str) -> Object:
        for name, text in files.items():
            (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
        answer = subprocess.run(
            ["kubectl", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert answer.returncode == 0, answer.stderr
        result: Object = yaml.safe_load(answer.stdout)
        return result

    return run


@pytest.mark.parametrize("read", [True, False])
@pytest.mark.parametrize("kind", BUILT_IN)
def test_kubectl_merges_a_strategic_patch(
    kind: str, *, read: bool, kubectl: Callable[..., Object]
) -> None:
    document = of(kind)
    patch = patch_of(kind, document if read else "no kubeconfig")

    assert patch.form is Form.STRATEGIC
    merged = kubectl(
        *("patch", "--local", "-f", "object.yaml", "--type", "strategic"),
        *("--patch-file", "patch.yaml", "-o", "yaml"),
        object=json.dumps(document),
        patch=patch.text,
    )
    wanted = expected(document)
    if not read:  # then the requests are set, too, since nobody can know whether they are there
        _resources_of(wanted)["requests"] = {"nvidia.com/gpumem": 15872, "nvidia.com/gpucores": 50}
    assert merged == wanted


def _resources_of(value: Any) -> Object:
    """Where the container with the device has its resources."""
    if isinstance(value, dict) and value.get("name") == "main":
        resources: Object = value["resources"]
        return resources
    items = value.values() if isinstance(value, dict) else value
    parts = [_resources_of(item) for item in items if isinstance(item, dict | list)]
    return next((part for part in parts if part), {})


@pytest.mark.parametrize("kind", ["Deployment", "RayCluster"])
def test_kustomize_takes_it_as_its_comment_says(kind: str, kubectl: Callable[..., Object]) -> None:
    document = of(kind)
    patch = patch_of(kind, document)
    line = next(text for text in patch.text.splitlines() if "in a kustomization.yaml: " in text)
    patches = line.split("in a kustomization.yaml: ")[1]

    built = kubectl(
        "kustomize",
        ".",
        kustomization=f"resources: [object.yaml]\n{patches}\n",
        object=json.dumps(document),
        **{patch.file.removesuffix(".yaml"): patch.text},
    )
    assert _sorted(built) == _sorted(expected(document))


def _sorted(value: Any) -> Any:
    """Kustomize puts the containers that it merged in front."""
    if isinstance(value, dict):
        return {key: _sorted(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted(map(_sorted, value), key=json.dumps)
    return value


@pytest.mark.parametrize("requests", [True, False])
@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "CronJob"])
def test_a_real_api_server_takes_it(kind: str, *, requests: bool, kube: KubeServer) -> None:
    """Devices must be asked for alike in requests and limits, which only the server checks."""
    text = json.dumps(of(kind))
    if requests:
        both = container(requests=True, gpu=1, gpumem=20000, gpucores=70)
        text = text.replace(json.dumps(GPU), json.dumps(both))
    document = json.loads(text)
    kube.apply([document])
    path = kube.resource(document["apiVersion"], document["kind"]).path("chat", "llm-chat")
    before = kube.request("GET", path)

    for read in (before, "forbidden"):
        after = kube.request(
            "PATCH",
            path,
            body=yaml.safe_load(patch_of(kind, read).text),
            parameters={"dryRun": "All", "fieldValidation": "Strict"},
            content_type="application/strategic-merge-patch+json",
        )
        found = _resources_of(after["spec"])
        assert found["limits"] == {
            "cpu": "4",
            "nvidia.com/gpu": "1",
            "nvidia.com/gpumem": "15872",
            "nvidia.com/gpucores": "50",
        }
        if requests:
            assert found["requests"]["nvidia.com/gpumem"] == "15872"
