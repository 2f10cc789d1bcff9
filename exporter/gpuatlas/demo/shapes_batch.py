"""Pods of work that ends: training jobs, Volcano Jobs, workflows, Spark applications.

Labels and annotations as the operators write them: facts/k8s.md 2.2.
"""

from __future__ import annotations

from dataclasses import replace

from gpuatlas.demo.members import Link, Member, Shape
from gpuatlas.demo.randomness import hexadecimal, uuid


def train_job(member: Member) -> Shape:
    """Trainer v2: a JobSet of the same name with one Job."""
    job = f"{member.name}-node-0"
    owners = (
        member.link("batch/v1", "Job", job),
        member.link("jobset.x-k8s.io/v1alpha2", "JobSet"),
        member.link("trainer.kubeflow.org/v1alpha1", "TrainJob"),
    )
    index = str(member.ordinal)
    labels = {
        "batch.kubernetes.io/controller-uid": owners[0].uid,
        "batch.kubernetes.io/job-completion-index": index,
        "batch.kubernetes.io/job-name": job,
        "jobset.sigs.k8s.io/global-replicas": "1",
        "jobset.sigs.k8s.io/job-index": "0",
        "jobset.sigs.k8s.io/jobset-name": member.name,
        "jobset.sigs.k8s.io/jobset-uid": owners[1].uid,
        "jobset.sigs.k8s.io/replicatedjob-name": "node",
        "jobset.sigs.k8s.io/replicatedjob-replicas": "1",
        "trainer.kubeflow.org/trainjob-ancestor-step": "trainer",
    }
    pod = f"{job}-{index}-{member.pod_suffix()}"
    return Shape(pod=pod, owners=owners, labels=labels, container="node")


def pytorch_job(member: Member) -> Shape:
    """Training operator v1: one master, the rest are workers."""
    role = "worker" if member.ordinal else "master"
    index = str(max(0, member.ordinal - 1))
    labels = {
        "training.kubeflow.org/job-name": member.name,
        "training.kubeflow.org/operator-name": "pytorchjob-controller",
        "training.kubeflow.org/replica-index": index,
        "training.kubeflow.org/replica-type": role,
    }
    if role == "master":
        labels["training.kubeflow.org/job-role"] = "master"
    return Shape(
        pod=f"{member.name}-{role}-{index}",
        owners=(member.link("kubeflow.org/v1", "PyTorchJob"),),
        labels=labels,
        container="pytorch",
    )


def volcano_job(member: Member) -> Shape:
    """A Job of Volcano's own group, with one task."""
    job = member.link("batch.volcano.sh/v1alpha1", "Job")
    common = {
        "volcano.sh/job-name": member.name,
        "volcano.sh/queue-name": member.workload.queue,
        "volcano.sh/task-index": str(member.ordinal),
        "volcano.sh/task-spec": "worker",
    }
    return Shape(
        pod=f"{member.name}-worker-{member.ordinal}",
        owners=(job,),
        labels=common | {"volcano.sh/job-namespace": member.workload.namespace},
        annotations=common
        | {
            "scheduling.k8s.io/group-name": volcano_group(job),
            "volcano.sh/job-version": "0",
            "volcano.sh/template-uid": f"{member.name}-worker",
        },
        container="worker",
    )


def volcano_group(job: Link) -> str:
    """The PodGroup of a Volcano Job."""
    return f"{job.name}-{job.uid}"


def workflow(member: Member) -> Shape:
    beginning = f"{member.name}-"
    run = f"{beginning}{member.suffix(5, 'run', member.generation)}"
    top = replace(member.link("argoproj.io/v1alpha1", "Workflow", run), generate_name=beginning)
    node = int(hexadecimal(8, member.seed, run, member.ordinal), 16)
    return Shape(
        pod=f"{run}-train-{node}",
        owners=(top,),
        labels={
            "workflows.argoproj.io/completed": "false",
            "workflows.argoproj.io/workflow": run,
        },
        annotations={
            "workflows.argoproj.io/node-id": f"{run}-{node}",
            "workflows.argoproj.io/node-name": f"{run}.train",
        },
        container="main",
    )


def spark_application(member: Member) -> Shape:
    """Pod 0 is the driver; executors belong to it, not to the application."""
    driver = f"{member.name}-driver"
    selector = f"spark-{hexadecimal(32, member.seed, member.workload.key, member.generation)}"
    labels = {
        "spark-app-selector": selector,
        "spark-role": "executor" if member.ordinal else "driver",
        "sparkoperator.k8s.io/app-name": member.name,
        "sparkoperator.k8s.io/launched-by-spark-operator": "true",
        "sparkoperator.k8s.io/submission-id": uuid(selector),
    }
    if not member.ordinal:
        top = member.link("sparkoperator.k8s.io/v1beta2", "SparkApplication")
        return Shape(pod=driver, owners=(top,), labels=labels, container="spark-kubernetes-driver")
    run = hexadecimal(16, selector)
    return Shape(
        pod=f"{member.name}-{run}-exec-{member.ordinal}",
        owners=(member.pod_link(driver, 0),),
        labels=labels | {"spark-exec-id": str(member.ordinal)},
        container="spark-kubernetes-executor",
    )
