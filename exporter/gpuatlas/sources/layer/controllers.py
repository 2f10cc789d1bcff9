"""DaemonSets and Deployments of the sharing layers. Pure.

Fields: facts/hami.md 6.1 and HAMi's chart of v2.4 to v2.10; Volcano's and KAI's charts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.layer import LayerController
from gpuatlas.sources.kubernetes.components import component_of
from gpuatlas.sources.kubernetes.metadata import label_text
from gpuatlas.sources.kubernetes.shape import fields, items, text, texts
from gpuatlas.sources.layer.asks import COMPONENT, LAYER_COMPONENTS, NAME, VOLCANO_NAMES
from gpuatlas.sources.layer.records import (
    MAX_GENERATION,
    label_of,
    labels_of,
    metadata_of,
    name_of,
    read_count,
)

VERSION: Final = "app.kubernetes.io/version"
DAEMON_SET: Final = "DaemonSet"
DEPLOYMENT: Final = "Deployment"

# Options that the checks read: leader election and names of the scheduler, and what HAMi 2.4 has no
# configuration file for (facts/hami.md 4.2 and 7).
FLAGS: Final = frozenset(
    {
        "scheduler-name",
        "leader-elect",
        "leader-elect-resource-name",
        "force-overwrite-default-scheduler",
        "device-memory-scaling",
        "device-cores-scaling",
        "device-split-count",
        "disable-core-limit",
        "mig-strategy",
    }
)
# These are true where they stand alone; the others take the next word then.
SWITCHES: Final = frozenset(
    {"leader-elect", "force-overwrite-default-scheduler", "disable-core-limit"}
)
# A chart makes one or two of each; whoever can write a controller can write any number.
MAX_ITEMS: Final = 64
MAX_WORDS: Final = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerRecord:
    """A controller, and the names of the ConfigMaps that its pods mount."""

    controller: LayerController
    config_maps: tuple[str, ...]


def read_controller(raw: object) -> ControllerRecord | None:
    """A DaemonSet or Deployment; None where it is no layer's.

    Raises:
        MalformedError: "no-name", "bad-number".
    """
    component = component_value(raw)
    if not component:
        return None
    namespace, name = name_of(raw)
    spec, status = fields(fields(raw).get("spec")), fields(fields(raw).get("status"))
    pod = fields(fields(spec.get("template")).get("spec"))
    kind = text(fields(raw).get("kind"))
    desired, ready, updated = _counts(kind, spec, status)
    controller = LayerController(
        kind=kind,
        namespace=namespace,
        name=name,
        component=component,
        version=label_of(labels_of(raw), VERSION),
        node_selector=node_selector(pod),
        images={name: image for name, image in _images(pod) if name},
        desired=desired,
        ready=ready,
        updated=updated,
        settled=_generation(status, "observedGeneration") >= _generation(metadata_of(raw)),
        flags=dict(_flags(pod)),
    )
    return ControllerRecord(controller=controller, config_maps=tuple(config_map_names(pod)))


def component_value(raw: object) -> str:
    """Which component of a layer a controller runs, "" for one of another program.

    By its own labels, then by those of its pods: some manifests label only these.
    """
    own = labels_of(raw)
    value = label_of(own, COMPONENT)
    if value in LAYER_COMPONENTS:
        return value
    value = label_of(own, NAME)
    if value in VOLCANO_NAMES:
        return value
    template = fields(fields(fields(raw).get("spec")).get("template"))
    labels = dict(texts(labels_of(template).items()))
    row = component_of(labels)
    found = label_text(labels.get(row.label)) if row else ""
    return found if found in LAYER_COMPONENTS else ""


def node_selector(pod: Mapping[str, object]) -> dict[str, str]:
    """The labels that a node must have."""
    pairs = list(texts(fields(pod.get("nodeSelector")).items()))[:MAX_ITEMS]
    return {label_text(key): label_text(value) for key, value in pairs}


def config_map_names(pod: Mapping[str, object]) -> Iterator[str]:
    """Names of the ConfigMaps among the volumes."""
    for volume in map(fields, items(pod.get("volumes"))[:MAX_ITEMS]):
        name = label_text(fields(volume.get("configMap")).get("name"))
        if name:
            yield name


def containers(pod: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """The containers of a pod template."""
    return map(fields, items(pod.get("containers"))[:MAX_ITEMS])


def said_words(container: Mapping[str, object]) -> list[str]:
    """The command line of a container; the program itself is the first word, if it is stated."""
    line = (*items(container.get("command")), *items(container.get("args")))
    return [text(word) for word in line[:MAX_WORDS]]


def _images(pod: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for container in containers(pod):
        yield label_text(container.get("name")), label_text(container.get("image"))


def _flags(pod: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for container in containers(pod):
        for name, value in flags_of(said_words(container)):
            if name not in seen:
                seen.add(name)
                yield name, value


def flags_of(line: list[str]) -> Iterator[tuple[str, str]]:
    """The options of `FLAGS` on a command line: "--a=b", "--a b", "-a=b" or a lone switch."""
    for position, word in enumerate(line):
        name, equals, value = word.lstrip("-").partition("=")
        if not word.startswith("-") or name not in FLAGS:
            continue
        if not equals:
            following = line[position + 1] if position + 1 < len(line) else ""
            value = "true" if name in SWITCHES else following
        yield name, label_text(value)


def _counts(
    kind: str, spec: Mapping[str, object], status: Mapping[str, object]
) -> tuple[int, int, int]:
    if kind == DAEMON_SET:
        names = ("desiredNumberScheduled", "numberReady", "updatedNumberScheduled")
        desired, ready, updated = (read_count(status.get(n), f"status.{n}") for n in names)
        return desired, ready, updated
    desired = read_count(spec.get("replicas"), "spec.replicas", default=1)
    ready, updated = (
        read_count(status.get(n), f"status.{n}") for n in ("readyReplicas", "updatedReplicas")
    )
    return desired, ready, updated


def _generation(where: Mapping[str, object], name: str = "generation") -> int:
    return read_count(where.get(name), name, most=MAX_GENERATION)
