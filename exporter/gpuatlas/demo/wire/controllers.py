"""The cluster's own DaemonSets and Deployments and their pods, as data.

What they are is said in `system_pods`, `hami_pods` and their like; how they are written down in
`controller_documents` and `system_pod_documents`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuatlas.demo.randomness import name_suffix, uuid
from gpuatlas.demo.wire.objects import Document

Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemContainer:
    """One container. `fields` are variables that Kubernetes fills (name → path in the pod).

    `mounts` is volume → (path, part of the volume or "").
    """

    name: str
    image: str
    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    env: Labels = field(default_factory=dict)
    fields: Labels = field(default_factory=dict)
    ports: tuple[tuple[str, int], ...] = ()
    mounts: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    privileged: bool = False

    @property
    def document(self) -> Document:
        """As a pod's spec has it."""
        env: list[Document] = [{"name": name, "value": value} for name, value in self.env.items()]
        env += [
            {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}
            for name, path in self.fields.items()
        ]
        parts: Mapping[str, Sequence[object]] = {
            "command": self.command,
            "args": self.args,
            "env": env,
            "ports": [
                {"name": name, "containerPort": number, "protocol": "TCP"}
                for name, number in self.ports
            ],
            "volumeMounts": [_mount(*entry) for entry in self.mounts.items()],
        }
        filled = {name: list(part) for name, part in parts.items() if part}
        security = {"securityContext": {"privileged": True}} if self.privileged else {}
        return {"name": self.name, "image": self.image, "resources": {}, **filled, **security}


def _mount(volume: str, place: tuple[str, str]) -> Document:
    path, part = place
    return {"name": volume, "mountPath": path} | ({"subPath": part} if part else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """A DaemonSet or Deployment. `labels` are those of its pods, which it selects by.

    `own_labels` are the object's. `volumes` is name → source, as a pod's spec has it.
    """

    kind: str
    namespace: str
    name: str
    labels: Labels
    containers: tuple[SystemContainer, ...]
    own_labels: Labels = field(default_factory=dict)
    volumes: Mapping[str, Document] = field(default_factory=dict)
    node_selector: Labels = field(default_factory=dict)
    host_pid: bool = False
    host_network: bool = False
    ignored_labels: Labels = field(default_factory=dict)  # of its pods, and not selected by

    def uid(self, kind: str, seed: int) -> str:
        """Of the object itself, or of a Deployment's ReplicaSet."""
        return uuid(kind, seed, self.namespace, self.name)

    def replica_set(self, seed: int) -> str:
        """The ReplicaSet of a Deployment."""
        return f"{self.name}-{name_suffix(10, seed, self.namespace, self.name)}"

    def pod_spec(self, containers: Sequence[SystemContainer]) -> Document:
        """Of its template, or of one of its pods."""
        spec: Document = {"containers": [container.document for container in containers]}
        if self.volumes:
            spec["volumes"] = [{"name": name, **source} for name, source in self.volumes.items()]
        if self.node_selector:
            spec["nodeSelector"] = dict(self.node_selector)
        if self.host_pid:
            spec["hostPID"] = True
        if self.host_network:
            spec["hostNetwork"] = True
        return spec | {
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "serviceAccountName": self.name,
            "priorityClassName": "system-node-critical",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPod:
    """One pod of a controller, on a node. `containers` are None where they are its template's.

    `endpoint` is the key of the page that it serves, `host` its own address where it has a real
    one. `exists` is False for a pod that ought to be there and is not; `failing` are containers
    that restart again and again.
    """

    controller: Controller
    node: str
    number: int = 0  # of several on one node
    containers: tuple[SystemContainer, ...] = ()
    labels: Labels = field(default_factory=dict)
    endpoint: tuple[str, str] | None = None
    host: str = ""
    runs: bool = True
    exists: bool = True
    failing: frozenset[str] = frozenset()

    @property
    def namespace(self) -> str:
        """Its controller's."""
        return self.controller.namespace

    @property
    def own_containers(self) -> tuple[SystemContainer, ...]:
        """What runs in this pod."""
        return self.containers or self.controller.containers

    @property
    def ready(self) -> bool:
        """Whether all its containers are."""
        return self.exists and self.runs and not self.failing

    @property
    def up_to_date(self) -> bool:
        """Whether its images are those of the template."""
        images = [container.image for container in self.controller.containers]
        return [container.image for container in self.own_containers] == images

    def name(self, seed: int) -> str:
        """As its controller would name it."""
        above = self.controller
        suffix = name_suffix(5, seed, above.name, above.namespace, self.node, self.number)
        stem = above.name if above.kind == "DaemonSet" else above.replica_set(seed)
        return f"{stem}-{suffix}"

    def uid(self, seed: int) -> str:
        """Of its object."""
        return uuid("system pod", seed, self.namespace, self.name(seed))

    @property
    def ports(self) -> Mapping[str, int]:
        """Of all its containers, by name."""
        return {key: number for container in self.own_containers for key, number in container.ports}

    def port(self, name: str) -> int | None:
        """The number of the port with that name; None where no container has it."""
        return self.ports.get(name)


def host_path(path: str, kind: str = "") -> Document:
    """A volume that is a path of the node."""
    return {"hostPath": {"path": path, "type": kind}}


def config_map(name: str) -> Document:
    """A volume that is a ConfigMap of the same namespace."""
    return {"configMap": {"name": name, "defaultMode": 420}}


def secret(name: str) -> Document:
    """A volume that is a Secret of the same namespace."""
    return {"secret": {"secretName": name, "defaultMode": 420}}
