"""Which labels, annotations and environment variables are kept of an object: explicit tables.

All else is dropped on arrival, so that 40,000 pods stay small and no secret is ever held. A key
that a later reader needs is one more entry here. Sources: facts/k8s.md 1 to 4, facts/hami.md 2, 3.
Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.sources.kubernetes.shape import EMPTY, fields, shared, texts


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTable:
    """Keys to keep: all of a domain (the part before "/"), exact names, and beginnings."""

    domains: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    starts: tuple[str, ...] = ()

    def keeps(self, key: str) -> bool:
        """Whether a key is in the table."""
        domain, slash, _ = key.partition("/")
        if slash and domain in self.domains:
            return True
        return key in self.names or key.startswith(self.starts)

    def select(self, value: object) -> Mapping[str, str]:
        """The entries of a JSON object whose key is in the table and whose value is text."""
        kept = {shared(k): v for k, v in texts(fields(value).items()) if self.keeps(k)}
        return kept or EMPTY


# Vendors and layers that write about devices on nodes and pods alike.
_DEVICE_DOMAINS: Final = frozenset(
    {
        "hami.io",
        "volcano.sh",
        "nvidia.com",
        "amd.com",
        "metax-tech.com",
        "enflame.com",
        "huawei.com",
        "cambricon.com",
        "hygon.com",
        "iluvatar.ai",
        "mthreads.com",
        "mthreads.ai",
        "birentech.com",
        "vastaitech.com",
        "kunlunxin.com",
        "baidu.com",
        "aws.amazon.com",
        "koordinator.sh",
        "kai.scheduler",
        "run.ai",
    }
)

# Operators that say on the pod whose it is (facts/k8s.md 2.2), queues and gangs (3.2, 3.3).
_WORKLOAD_DOMAINS: Final = frozenset(
    {
        "apps.kubernetes.io",
        "batch.kubernetes.io",
        "statefulset.kubernetes.io",
        "jobset.sigs.k8s.io",
        "leaderworkerset.sigs.k8s.io",
        "serving.kserve.io",
        "kserve.io",
        "prometheus.kserve.io",
        "serving.knative.dev",
        "llm-d.ai",
        "ray.io",
        "training.kubeflow.org",
        "trainer.kubeflow.org",
        "notebooks.kubeflow.org",
        "workflows.argoproj.io",
        "sparkoperator.k8s.io",
        "tekton.dev",
        "grove.io",
        "controller.devfile.io",
        "kueue.x-k8s.io",
        "yunikorn.apache.org",
        "scheduling.k8s.io",
        "scheduling.x-k8s.io",
        "scheduling.volcano.sh",
        "pod-group.scheduling.sigs.k8s.io",
        "scheduling.koordinator.sh",
        "gang.scheduling.koordinator.sh",
        "resource.kubernetes.io",
    }
)

# Of these only labels are read. In annotations they keep whole templates, arguments and results of
# steps, secrets among them (workflows.argoproj.io/template, …/outputs).
_LABELS_ONLY: Final = frozenset({"workflows.argoproj.io", "sparkoperator.k8s.io", "tekton.dev"})

POD_LABELS: Final = KeyTable(
    domains=_DEVICE_DOMAINS | _WORKLOAD_DOMAINS,
    names=frozenset(
        {
            "app",
            "name",
            "k8s-app",
            "component",
            "app.kubernetes.io/name",
            "app.kubernetes.io/instance",
            "app.kubernetes.io/component",
            "app.kubernetes.io/part-of",
            "app.kubernetes.io/version",
            "app.kubernetes.io/created-by",
            "pod-template-hash",
            "rollouts-pod-template-hash",
            "controller-revision-hash",
            # Whose run a pod is, by Airflow and by Katib.
            "dag_id",
            "task_id",
            "katib.kubeflow.org/experiment",
            "job-name",
            "controller-uid",
            "mpi-job-name",
            "mpi-job-role",
            "notebook-name",
            "seldon-deployment-id",
            "isvc.generation",
            "multinode/role",
            "spark-role",
            "spark-app-selector",
            "spark-exec-id",
            "runai/queue",
            "queue",
            "applicationId",
        }
    ),
    starts=("runai-gpu-group",),
)

POD_ANNOTATIONS: Final = KeyTable(
    domains=_DEVICE_DOMAINS | _WORKLOAD_DOMAINS - _LABELS_ONLY,
    names=frozenset(
        {
            "gpu-fraction",
            "gpu-memory",
            "gpu-fraction-num-devices",
            "gpu-fraction-container-name",
            "mps",
            "received-resource-type",
            "runai/shared-gpu-configmap",
            "pod-group-name",
            "predicate-time",
            "CAMBRICON_DSMLU_PROFILE",
            "CAMBRICON_DSMLU_ASSIGNED",
            "BAIDU_COM_DEVICE_IDX",
            "AWS_NEURON_IDS",
            "NEURON_ALLOC_TIME",
            "NEURON_RESOURCE_TYPE",
            "NEURON_ALLOCATED",
            "kubernetes.io/config.mirror",
            "kubernetes.io/config.source",
            # Where an inference server's metrics are.
            "prometheus.io/port",
            "prometheus.io/path",
            "prometheus.kserve.io/port",
            "prometheus.kserve.io/path",
        }
    ),
)

# Labels of a Workflow: what it was submitted from. Argo does not put them on its pods.
TEMPLATE_LABELS: Final = (
    "workflows.argoproj.io/workflow-template",
    "workflows.argoproj.io/cluster-workflow-template",
)
OWNER_LABELS: Final = KeyTable(names=frozenset(TEMPLATE_LABELS))

NODE_LABELS: Final = KeyTable(
    domains=_DEVICE_DOMAINS
    | {
        "cloud.google.com",
        "kubernetes.azure.com",
        "karpenter.sh",
        "karpenter.azure.com",
        "karpenter.k8s.aws",
        "eks.amazonaws.com",
        "node.koordinator.sh",
        "node.openshift.io",
        "topology.kubernetes.io",
        "node-role.kubernetes.io",
        "gpu.intel.com",
    },
    names=frozenset(
        {
            "kubernetes.io/hostname",
            "kubernetes.io/arch",
            "kubernetes.io/os",
            "node.kubernetes.io/instance-type",
            "beta.kubernetes.io/instance-type",
            "alpha.eksctl.io/nodegroup-name",
            "kops.k8s.io/instancegroup",
            "alibabacloud.com/nodepool-id",
            "doks.digitalocean.com/node-pool",
            "k8s.scaleway.com/pool-name",
            "oci.oraclecloud.com/node-pool",
            "node.cluster.x-k8s.io/nodepool",
            "agentpool",
            "pool",
            "nodepool",
            "node-pool",
            "gpu",
            "ascend",
            "dcu",
            "mlu",
            "accelerator",
            "accelerator-type",
        }
    ),
    # PCI vendors of the cards, as node feature discovery writes them (facts/k8s.md 1.5).
    starts=("feature.node.kubernetes.io/pci-",),
)

NODE_ANNOTATIONS: Final = KeyTable(
    domains=_DEVICE_DOMAINS | {"k8saas.nvidia.com", "node.koordinator.sh"},
    names=frozenset({"hami-vnpu-core", "quarantineHealthEvent"}),
)

# Variables whose literal values say how a container uses its cards (facts/hami.md 3.6 and 6.3,
# facts/k8s.md 4). One by one on purpose: a prefix such as VLLM_ would also keep VLLM_API_KEY.
KEPT_ENV: Final = frozenset(
    {
        "CUDA_TASK_PRIORITY",
        "CUDA_DISABLE_CONTROL",
        "CUDA_OVERSUBSCRIBE",
        "CUDA_VISIBLE_DEVICES",
        "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
        "ACTIVE_OOM_KILLER",
        "GPU_CORE_UTILIZATION_POLICY",
        "NVIDIA_VISIBLE_DEVICES",
        "NVIDIA_DRIVER_CAPABILITIES",
        "ASCEND_VISIBLE_DEVICES",
        "LD_PRELOAD",
        "VLLM_USE_V1",
        "VLLM_ATTENTION_BACKEND",
        "TF_FORCE_GPU_ALLOW_GROWTH",
        "XLA_PYTHON_CLIENT_PREALLOCATE",
        "XLA_PYTHON_CLIENT_MEM_FRACTION",
        "PYTORCH_CUDA_ALLOC_CONF",
        "WORLD_SIZE",
        "PET_NNODES",
        "PET_NPROC_PER_NODE",
        "JAX_NUM_PROCESSES",
        "NB_PREFIX",
        "OLLAMA_KEEP_ALIVE",
        "OLLAMA_NUM_PARALLEL",
        "OLLAMA_MAX_LOADED_MODELS",
        "LLAMA_ARG_N_GPU_LAYERS",
    }
)


def fitting(kept: Mapping[str, str], limit: int) -> tuple[Mapping[str, str], int]:
    """The entries whose text is at most `limit` characters in all, and how many did not fit.

    By key order, so that the same object gives the same answer each time. Tenants write labels and
    annotations: without a limit a few thousand pods could fill our memory.
    """
    if sum(len(k) + len(v) for k, v in kept.items()) <= limit:
        return kept, 0
    fits: dict[str, str] = {}
    for key in sorted(kept):
        size = len(key) + len(kept[key])
        if size <= limit:
            fits[key] = kept[key]
            limit -= size
    return fits, len(kept) - len(fits)
