"""The `spec` of a workload's pod: its containers and what they ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from gpuatlas.demo.runtimes import RUNTIMES, Runtime
from gpuatlas.demo.scenario import EXTENDED, NodeSpec, Sharing
from gpuatlas.demo.state import NodeState, PodState, World
from gpuatlas.demo.wire import volcano
from gpuatlas.demo.wire.dra_claims import container_claims, pod_spec_claims
from gpuatlas.demo.wire.objects import Document
from gpuatlas.demo.wire.placement import scheduler_name

_HELPER_IMAGE = "docker.io/library/busybox:1.37"
_MIB: Final = 1024 * 1024
# HAMi's webhook passes the priority on to its library in this way (facts/hami.md 3.6).
WEBHOOK_PRIORITY: Final = "CUDA_TASK_PRIORITY"


def pod_spec(
    pod: PodState, node: NodeState | None, world: World, *, page_port: int | None = None
) -> Document:
    """`node` is None for a pod that no node has taken.

    `page_port` is where the server's page can really be read; None for its usual port.
    """
    spec: Document = {
        "volumes": [_token_volume()],
        "containers": _containers(pod, node.spec if node else None, page_port),
        "restartPolicy": "Never" if pod.job else "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "serviceAccountName": "default",
        "securityContext": {},
        "schedulerName": scheduler_name(pod, world),
        "tolerations": [
            {"key": "accelerator", "operator": "Exists", "effect": "NoSchedule"},
            {
                "key": "node.kubernetes.io/not-ready",
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": 300,
            },
        ],
        "priority": 0,
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
    }
    if RUNTIMES[pod.workload.runtime].downloads:
        spec["initContainers"] = [_plain_container("fetch-model", ["sh", "-c", "echo ready"])]
    if claims := pod_spec_claims(pod):
        spec["resourceClaims"] = claims
    if node:
        spec["nodeName"] = node.spec.name
    return spec | _access(pod, spec)


def _access(pod: PodState, spec: Document) -> Document:
    """What only a fault makes of a pod: how it reaches cards beside its resources."""
    changed: Document = {}
    if pod.deviations.runtime_class:
        changed["runtimeClassName"] = pod.deviations.runtime_class
    if pod.deviations.host_path:
        device = {"name": "device", "hostPath": {"path": pod.deviations.host_path, "type": ""}}
        changed["volumes"] = [*spec["volumes"], device]
    return changed


def _containers(pod: PodState, node: NodeSpec | None, page_port: int | None) -> list[Document]:
    runtime = RUNTIMES[pod.workload.runtime]
    containers = [_main_container(pod, node, runtime) | _ports(runtime, page_port)]
    if runtime.companion:
        containers.append(_plain_container(runtime.companion, ["sleep", "infinity"]))
    return containers


def _main_container(pod: PodState, node: NodeSpec | None, runtime: Runtime) -> Document:
    asked = requests(pod, node)
    cards = len(pod.place.cards) if pod.place else next(iter(pod.workload.requests.values()))
    variables = (*runtime.env, *pod.deviations.env)
    env = [{"name": name, "value": value} for name, value in variables]
    if node and node.hami and pod.workload.ask and pod.workload.ask.priority is not None:
        env.append({"name": WEBHOOK_PRIORITY, "value": str(pod.workload.ask.priority)})
    container: Document = {
        "name": pod.container,
        "image": runtime.image,
        **_filled(
            command=list(runtime.command),
            args=[argument.format(cards=cards) for argument in runtime.args] + _cache(pod),
            env=env,
        ),
        "resources": {
            "limits": {"cpu": "8", "memory": "64Gi"} | asked,
            "requests": {"cpu": "4", "memory": "32Gi"} | asked,
        },
    }
    if claims := container_claims(pod):
        container["resources"]["claims"] = claims
    container |= _container_defaults()
    if pod.deviations.privileged:
        container["securityContext"] = {"privileged": True}
    if pod.deviations.host_path:
        mount = {"name": "device", "mountPath": pod.deviations.host_path}
        container["volumeMounts"] = [*container["volumeMounts"], mount]
    return container


def _ports(runtime: Runtime, page_port: int | None) -> Document:
    """Requests and metrics come in by one port, or by one each."""
    page, named = runtime.page, {"http": runtime.port}
    if page:
        named["metrics" if page.own_port else "http"] = page_port or page.port
    ports = [
        {"name": name, "containerPort": port, "protocol": "TCP"}
        for name, port in named.items()
        if port
    ]
    return _filled(ports=ports)


def _cache(pod: PodState) -> list[str]:
    """The option that sets the size of the server's cache."""
    cache = pod.workload.cache
    return [f"--kv-cache-memory-bytes={cache.mib * _MIB}"] if cache and cache.told else []


def _filled(**parts: Sequence[object]) -> Document:
    """The server leaves out what is empty."""
    return {name: part for name, part in parts.items() if part}


def _plain_container(name: str, command: list[str]) -> Document:
    return {
        "name": name,
        "image": _HELPER_IMAGE,
        "command": command,
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}},
    } | _container_defaults()


def _container_defaults() -> Document:
    return {
        "volumeMounts": [
            {
                "name": "kube-api-access",
                "readOnly": True,
                "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
            }
        ],
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    }


def _token_volume() -> Document:
    return {
        "name": "kube-api-access",
        "projected": {
            "sources": [{"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}],
            "defaultMode": 420,
        },
    }


def requests(pod: PodState, node: NodeSpec | None) -> dict[str, str]:
    """The extended resources of the container that works on the cards."""
    if pod.place is None or node is None:
        return {name: str(count) for name, count in pod.workload.requests.items()}
    if not (pod.place.cards or pod.workload.ask):
        return {}
    count = str(len(pod.place.cards) or 1)
    if node.card.vendor == "ascend":
        return _ascend(pod, node, count)
    layer = _LAYERS.get(node.sharing)
    return layer(pod, count) if layer else _nvidia(pod, node, count)


def _nvidia(pod: PodState, node: NodeSpec, count: str) -> dict[str, str]:
    # A fraction stands in KAI's annotations, a claim has a field of its own.
    fraction = node.sharing is Sharing.KAI and pod.workload.ask
    if pod.place is None or fraction or pod.workload.claim not in {"", EXTENDED}:
        return {}
    instances = node.mig.get(pod.place.cards[0], ())
    if instances and pod.place.slot is not None:
        return {f"nvidia.com/mig-{instances[pod.place.slot]}": "1"}
    return {"nvidia.com/gpu": count}


def _ascend(pod: PodState, node: NodeSpec, count: str) -> dict[str, str]:
    resource = f"huawei.com/{node.card.model}"
    ask = pod.workload.ask
    return {resource: count} | ({f"{resource}-memory": str(ask.memory_mib)} if ask else {})


def _hami(pod: PodState, count: str) -> dict[str, str]:
    ask = pod.workload.ask
    asked = {"nvidia.com/gpu": count}
    if ask:
        asked["nvidia.com/gpumem"] = str(ask.memory_mib)
        if ask.cores:
            asked["nvidia.com/gpucores"] = str(ask.cores)
        if ask.priority is not None:
            asked["nvidia.com/priority"] = str(ask.priority)
    return asked


_LAYERS: Final[Mapping[Sharing, Callable[[PodState, str], dict[str, str]]]] = {
    Sharing.HAMI: _hami,
    Sharing.VOLCANO: volcano.requests,
}
