"""The runtime of a whole pod spec, and the parts of a container that a capture keeps for it.

For every spec: `read_runtime` of the spec with each container replaced by what `trim_container`
keeps of it (beside name, image, resources and restartPolicy) is the same runtime. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gpuatlas.model.pod_spec import Runtime
from gpuatlas.sources.kubernetes.resources import is_accelerator
from gpuatlas.sources.kubernetes.shape import fields, items, text
from gpuatlas.sources.runtimes.detect import detect
from gpuatlas.sources.runtimes.memory import VARIABLES
from gpuatlas.sources.runtimes.reduce import reduced_command, reduced_env
from gpuatlas.sources.runtimes.words import command_text

# As many as sources.kubernetes.containers keeps.
_MAX_CONTAINERS: Final = 256


def read_runtime(
    spec: Mapping[str, object], labels: Mapping[str, str], annotations: Mapping[str, str]
) -> Runtime:
    """The runtime of the containers that ask for cards; of all where none does.

    Pods of some sharing layers (KAI fractions, DRA) ask for cards outside their containers.
    `labels` and `annotations` are those that were kept of the pod.
    """
    containers = list(_running(spec))
    asking = [container for container in containers if _asks(container)]
    env: dict[str, str] = {}
    for container in asking or containers:
        env |= read_env(container.get("env"))
    return detect(
        [text(container.get("image")) for container in asking or containers],
        " ; ".join(
            command_text(container.get("command"), container.get("args"))
            for container in asking or containers
        ),
        env,
        labels,
        annotations,
    )


def _running(spec: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Containers that run beside each other, not those that only prepare."""
    listed = [
        *(c for c in map(fields, items(spec.get("initContainers"))) if _is_sidecar(c)),
        *map(fields, items(spec.get("containers"))),
    ]
    return iter(listed[:_MAX_CONTAINERS])


def _is_sidecar(container: Mapping[str, object]) -> bool:
    return container.get("restartPolicy") == "Always"


def _asks(container: Mapping[str, object]) -> bool:
    resources = fields(container.get("resources"))
    named = (*fields(resources.get("limits")), *fields(resources.get("requests")))
    return any(isinstance(name, str) and is_accelerator(name) for name in named)


def read_env(value: object) -> dict[str, str]:
    """Names of a container's variables; the literal values of the memory settings among them."""
    env: dict[str, str] = {}
    for variable in map(fields, items(value)):
        if name := text(variable.get("name")):
            env[name] = text(variable.get("value")) if name in VARIABLES else ""
    return env


def trim_container(container: Mapping[str, object]) -> dict[str, object]:
    """`command` and `env` of a raw container as far as detection reads them."""
    kept: dict[str, object] = {}
    if command := reduced_command(container.get("command"), container.get("args")):
        kept["command"] = command
    env = reduced_env(read_env(container.get("env")))
    if env:
        kept["env"] = [{"name": n, "value": v} if v else {"name": n} for n, v in env.items()]
    return kept
