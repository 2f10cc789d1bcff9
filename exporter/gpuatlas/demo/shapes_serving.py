"""Pods of services and of people: KServe, LeaderWorkerSet, RayService, Notebook.

Labels and annotations as the operators write them: facts/k8s.md 2.2.
"""

from __future__ import annotations

from gpuatlas.demo.members import Link, Member, Shape
from gpuatlas.demo.randomness import hexadecimal


def inference_service(member: Member) -> Shape:
    """KServe in Standard mode, which was called RawDeployment."""
    top = member.link("serving.kserve.io/v1beta1", "InferenceService")
    pod, owners = member.deployed(f"{member.name}-predictor", top)
    return Shape(
        pod=pod,
        owners=owners,
        labels=_kserve_labels(member) | {"pod-template-hash": member.template_hash()},
        annotations={"serving.kserve.io/deploymentMode": "Standard"},
        container="kserve-container",
    )


def _kserve_labels(member: Member) -> dict[str, str]:
    return {
        "app": f"isvc.{member.name}-predictor",
        "component": "predictor",
        "serving.kserve.io/inferenceservice": member.name,
    }


def knative_inference_service(member: Member) -> Shape:
    """KServe in Knative mode, which was called Serverless."""
    route, revision = f"{member.name}-predictor", f"{member.name}-predictor-00001"
    pod, owners = member.deployed(
        f"{revision}-deployment",
        member.link("serving.knative.dev/v1", "Revision", revision),
        member.link("serving.knative.dev/v1", "Configuration", route),
        member.link("serving.knative.dev/v1", "Service", route),
        member.link("serving.kserve.io/v1beta1", "InferenceService"),
    )
    labels = {
        "app": revision,
        "pod-template-hash": member.template_hash(),
        "serving.knative.dev/configuration": route,
        "serving.knative.dev/revision": revision,
        "serving.knative.dev/service": route,
    }
    return Shape(
        pod=pod,
        owners=owners,
        labels=_kserve_labels(member) | labels,
        annotations={
            "internal.serving.kserve.io/storage-initializer-sourceuri": "pvc://models/current",
            "serving.kserve.io/deploymentMode": "Knative",
        },
        container="kserve-container",
    )


def llm_inference_service(member: Member) -> Shape:
    top = member.link("serving.kserve.io/v1alpha1", "LLMInferenceService")
    pod, owners = member.deployed(f"{member.name}-kserve", top)
    labels = {
        "app.kubernetes.io/component": "llminferenceservice-workload",
        "app.kubernetes.io/name": member.name,
        "app.kubernetes.io/part-of": "llminferenceservice",
        "kserve.io/component": "workload",
        "llm-d.ai/role": "both",
        "pod-template-hash": member.template_hash(),
    }
    return Shape(pod=pod, owners=owners, labels=labels, container="main")


def leader_worker_set(member: Member) -> Shape:
    """One group: pod 0 leads, the others belong to a StatefulSet of the leader's."""
    top = member.link("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet")
    leader = f"{member.name}-0"
    owners: tuple[Link, ...] = (member.link("apps/v1", "StatefulSet", member.name), top)
    if member.ordinal:
        owners = (member.link("apps/v1", "StatefulSet", leader), member.pod_link(leader, 0))
    prefix = "leaderworkerset.sigs.k8s.io"
    annotations = {f"{prefix}/size": str(member.count)}
    if member.ordinal:
        annotations[f"{prefix}/leader-name"] = leader
    stateful_set = leader if member.ordinal else member.name
    return Shape(
        pod=f"{leader}-{member.ordinal}" if member.ordinal else leader,
        owners=owners,
        labels=_stateful_labels(member, stateful_set, member.ordinal)
        | {
            f"{prefix}/name": member.name,
            f"{prefix}/group-index": "0",
            f"{prefix}/group-key": hexadecimal(40, member.seed, member.workload.key, "group"),
            f"{prefix}/template-revision-hash": member.suffix(9, "revision"),
            f"{prefix}/worker-index": str(member.ordinal),
        },
        annotations=annotations,
    )


def ray_service(member: Member) -> Shape:
    """A worker of its RayCluster; KubeRay does not label the pod with the service's name."""
    cluster = f"{member.name}-{member.suffix(5, 'cluster')}"
    owners = (
        member.link("ray.io/v1", "RayCluster", cluster),
        member.link("ray.io/v1", "RayService"),
    )
    labels = {
        "app.kubernetes.io/created-by": "kuberay-operator",
        "app.kubernetes.io/name": "kuberay",
        "ray.io/cluster": cluster,
        "ray.io/group": "cards",
        "ray.io/identifier": f"{cluster}-worker",
        "ray.io/is-ray-node": "yes",
        "ray.io/node-type": "worker",
        "ray.io/serve": "true",
    }
    return Shape(
        pod=f"{cluster}-cards-worker-{member.pod_suffix()}",
        owners=owners,
        labels=labels,
        container="ray-worker",
    )


def _stateful_labels(member: Member, stateful_set: str, ordinal: int) -> dict[str, str]:
    """What the controller of StatefulSets writes on each of its pods."""
    return {
        "apps.kubernetes.io/pod-index": str(ordinal),
        "controller-revision-hash": f"{stateful_set}-{member.suffix(10, stateful_set, 'revision')}",
        "statefulset.kubernetes.io/pod-name": f"{stateful_set}-{ordinal}",
    }


def notebook(member: Member) -> Shape:
    """Kubeflow's own; its StatefulSet has one pod."""
    owners = (
        member.link("apps/v1", "StatefulSet", member.name),
        member.link("kubeflow.org/v1", "Notebook"),
    )
    pod = f"{member.name}-0"
    labels = _stateful_labels(member, member.name, 0) | {
        "notebook-name": member.name,
        "statefulset": member.name,
    }
    return Shape(pod=pod, owners=owners, labels=labels, container=member.name)
