"""The ConfigMaps of a HAMi installation (facts/hami.md 4.2).

The scheduler's and the plugin's file of devices, the plugin's file of nodes, and that of the
scheduler itself. They say what the nodes have registered, unless a fault has it otherwise.
"""

from __future__ import annotations

import json
from typing import Final

from gpuatlas.demo.installed import HamiRelease
from gpuatlas.demo.scenario import NodeSpec
from gpuatlas.demo.state import NodeState, World
from gpuatlas.demo.state_layer import HamiState, NodeConfig
from gpuatlas.demo.wire.ascend_plugin import NODE_CONFIG
from gpuatlas.demo.wire.config_maps import config_map_document
from gpuatlas.demo.wire.hami_pods import PLUGIN, SCHEDULER, object_labels
from gpuatlas.demo.wire.objects import Document

_FACTOR_SINCE: Final = (2, 9)  # keys that the older file lacks
_LISTED_BEFORE: Final = (2, 9)  # `vnpus` was a plain list
_DEFAULT_SLOTS: Final = 10
_NVIDIA: Final = """\
nvidia:
  resourceCountName: nvidia.com/gpu
  resourceMemoryName: nvidia.com/gpumem
  resourceMemoryPercentageName: nvidia.com/gpumem-percentage
  resourceCoreName: nvidia.com/gpucores
  resourcePriorityName: nvidia.com/priority
  overwriteEnv: false
  defaultMemory: 0
  defaultCores: 0
  defaultGPUNum: 1
{factor}  deviceSplitCount: {slots}
  deviceMemoryScaling: 1
  deviceCoreScaling: 1
  gpuCorePolicy: default
  libCudaLogLevel: 1
  runtimeClassName: ""
  knownMigGeometries:
  - models: [ "A30" ]
    allowedGeometries:
      - - name: 1g.6gb
          memory: 6144
          count: 4
      - - name: 4g.24gb
          memory: 24576
          count: 1
hygon:
  resourceCountName: hygon.com/dcunum
  resourceMemoryName: hygon.com/dcumem
  resourceCoreName: hygon.com/dcucores
"""
_FACTOR: Final = """\
  preConfiguredDeviceMemory: 0
  memoryFactor: 1
"""
_SCHEDULER: Final = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: true
  resourceName: "{name}"
  resourceNamespace: "{namespace}"
profiles:
- schedulerName: {name}
extenders:
- urlPrefix: "https://127.0.0.1:443"
  enableHTTPS: true
  tlsConfig:
    insecure: true
  filterVerb: filter
  bindVerb: bind
  nodeCacheCapable: true
  weight: 1
  httpTimeout: 30s
  managedResources:
  - ignoredByScheduler: true
    name: nvidia.com/gpu
  - ignoredByScheduler: true
    name: nvidia.com/gpumem
  - ignoredByScheduler: true
    name: nvidia.com/gpucores
  - ignoredByScheduler: true
    name: nvidia.com/gpumem-percentage
  - ignoredByScheduler: true
    name: nvidia.com/priority
"""


def hami_config_documents(world: World) -> list[Document]:
    """Those of all installations."""
    documents = [document for hami in world.hami for document in _of_installation(hami, world)]
    return documents + _for_npus(world)


def _of_installation(state: HamiState, world: World) -> list[Document]:
    hami = state.release
    scheduler = object_labels(hami, SCHEDULER, state.scheduler_version)
    nodes = [node for node in world.nodes if node.spec.hami == hami]
    npus = [node for node in nodes if node.spec.card.vendor == "ascend"]
    return [
        config_map_document(
            world,
            hami.namespace,
            f"{hami.scheduler_name}-device",
            {"device-config.yaml": _devices(hami, npus)},
            labels=scheduler,
        ),
        config_map_document(
            world,
            hami.namespace,
            hami.scheduler_name,
            {"config.yaml": _SCHEDULER.format(name=hami.scheduler_name, namespace=hami.namespace)},
            labels=scheduler,
        ),
        config_map_document(
            world,
            hami.namespace,
            hami.plugin_name,
            {
                "config.json": _nodes(state, [node for node in nodes if node not in npus]),
                "ld.so.preload": "/usr/local/vgpu/libvgpu.so\n",
            },
            labels=object_labels(hami, PLUGIN),
            edited_at=state.config_edited_at,
        ),
    ]


def _for_npus(world: World) -> list[Document]:
    """Ascend's plugin knows no installations: one for each namespace."""
    homes: dict[str, list[NodeState]] = {}
    for node in world.nodes:
        if node.spec.hami and node.spec.card.vendor == "ascend":
            homes.setdefault(node.spec.hami.namespace, []).append(node)
    return [
        config_map_document(
            world,
            namespace,
            NODE_CONFIG,
            {"node-config.yaml": _npu_nodes(nodes)},
            labels={"app.kubernetes.io/component": SCHEDULER},
        )
        for namespace, nodes in homes.items()
    ]


def _devices(hami: HamiRelease, npus: list[NodeState]) -> str:
    factor = _FACTOR if hami.numbers >= _FACTOR_SINCE else ""
    text = _NVIDIA.format(factor=factor, slots=_DEFAULT_SLOTS)
    models = {node.spec.card.key: node.spec for node in npus}
    if not models:
        return text
    listed = hami.numbers < _LISTED_BEFORE
    head = "vnpus:\n" if listed else "vnpus:\n  hamiVnpuCore: false\n  configs:\n"
    return text + head + "".join(_npu(spec) for spec in models.values())


def _npu(node: NodeSpec) -> str:
    card = node.card
    lines = [
        f"  - chipName: {card.model.removeprefix('Ascend')}",
        f"    commonWord: {card.model}",
        f"    resourceName: huawei.com/{card.model}",
        f"    resourceMemoryName: huawei.com/{card.model}-memory",
        f"    memoryAllocatable: {card.memory_mib}",
        f"    memoryCapacity: {card.memory_mib}",
        f"    aiCore: {card.cores}",
        "    templates:",
    ]
    for name, size in card.templates.items():
        lines += [f"      - name: {name}", f"        memory: {size}"]
    return "".join(f"{line}\n" for line in lines)


def _nodes(state: HamiState, nodes: list[NodeState]) -> str:
    entries = [_settings(node.spec.name, node.spec, node.config or NodeConfig()) for node in nodes]
    if nodes:
        entries += [_settings(name, nodes[0].spec, NodeConfig()) for name in state.config_nodes]
    text = json.dumps({"nodeconfig": entries}, indent=2) + "\n"
    # What people forget when they take the last entry out.
    return text if state.config_readable else text.replace("}\n  ]", "},\n  ]")


def _settings(name: str, node: NodeSpec, config: NodeConfig) -> Document:
    slots, scaling = config.split_count, config.memory_scaling
    return {
        "name": name,
        "operatingmode": config.mode or "hami-core",
        "devicememoryscaling": node.memory_scaling if scaling is None else scaling,
        "devicesplitcount": node.slots if slots is None else slots,
        "migstrategy": "none",
        "filterdevices": {"uuid": [], "index": []},
    }


def _npu_nodes(nodes: list[NodeState]) -> str:
    lines = ["nodes:"]
    for node in nodes:
        lines += [
            f"  - name: {node.spec.name}",
            "    hami-vnpu-core: false",
            f"    vDeviceCount: {node.spec.slots}",
        ]
    return "".join(f"{line}\n" for line in lines)
