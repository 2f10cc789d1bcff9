"""Which fields of an object, and which labels, hold what: tables. Pure."""

from __future__ import annotations

from typing import Final

# Fields whose text is the API's own, or that hold only numbers or names of resources.
KEPT: Final = frozenset(
    {
        "apiVersion",
        "kind",
        "phase",
        "type",
        "status",
        "health",
        "restartPolicy",
        "kubeletVersion",
        "creationTimestamp",
        "deletionTimestamp",
        "lastTransitionTime",
        "startTime",
        "resourceName",
    }
)
# Words of a table of ours (sources.runtimes.reduce).
KEPT_LISTS: Final = frozenset({"command"})
# Amounts by name of a resource. A claim has lists under one of these names: of requests.
AMOUNTS: Final = frozenset({"limits", "requests", "capacity", "allocatable", "consumedCapacity"})
# Fields that hold one name, or several with "/" between them: a request and its alternative.
NAMED: Final = frozenset(
    {
        "name",
        "namespace",
        "nodeName",
        "selectedNode",
        "podName",
        "pool",
        "queue",
        "queueName",
        "clusterQueue",
        "cohort",
        "cohortName",
        "parent",
        "parentQueue",
        "selectedGPUGroups",
        "resourceClaimName",
        "containerName",
        "requestName",
        "request",
        "requests",
        "podGroup",
        "podGroupName",
    }
)
# Labels and annotations that hold one name: it is replaced even where it is a common word.
NAME_KEYS: Final = frozenset(
    {
        "hami.io/vgpu-node",
        "volcano.sh/vgpu-node",
        "amd.com/predicate-node",
        "mthreads.com/predicate-node",
        "kubernetes.io/hostname",
        "statefulset.kubernetes.io/pod-name",
        "job-name",
        "batch.kubernetes.io/job-name",
        "pod-template-hash",
        "rollouts-pod-template-hash",
        "controller-revision-hash",
        "leaderworkerset.sigs.k8s.io/template-revision-hash",
        "grove.io/pod-template-hash",
        "gpu-fraction-container-name",
        "kueue.x-k8s.io/queue-name",
        "kueue.x-k8s.io/local-queue-name",
        "kueue.x-k8s.io/cluster-queue-name",
        "kueue.x-k8s.io/workload",
        "kueue.x-k8s.io/podset",
        "kueue.x-k8s.io/pod-group-name",
        "kai.scheduler/queue",
        "runai/queue",
        "runai-gpu-group",
        "pod-group-name",
        "volcano.sh/queue-name",
        "volcano.sh/job-name",
        "scheduling.volcano.sh/queue-name",
        "scheduling.volcano.sh/group-name",
        "scheduling.k8s.io/group-name",
        "scheduling.x-k8s.io/pod-group",
        "pod-group.scheduling.sigs.k8s.io/name",
        "gang.scheduling.koordinator.sh/name",
        "yunikorn.apache.org/queue",
        "yunikorn.apache.org/app-id",
        "queue",
        "applicationId",
        "serving.kserve.io/inferenceservice",
        "serving.knative.dev/service",
        "jobset.sigs.k8s.io/jobset-name",
        "leaderworkerset.sigs.k8s.io/name",
        "ray.io/cluster",
        "training.kubeflow.org/job-name",
        "mpi-job-name",
        "notebook-name",
        "notebooks.kubeflow.org/workspace-name",
        "sparkoperator.k8s.io/app-name",
    }
)
# A key that carries the id of a group of KAI, and has it for its value.
GROUP_KEY: Final = "runai-gpu-group/"
