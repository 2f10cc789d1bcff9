"""The ConfigMaps of Volcano's vGPU plugin (facts/hami.md 4.2; its own manifests)."""

from __future__ import annotations

import json
from typing import Final

from gpuatlas.demo.scenario import Sharing
from gpuatlas.demo.state import NodeState, World
from gpuatlas.demo.wire.config_maps import config_map_document
from gpuatlas.demo.wire.objects import Document

DEVICE_CONFIG: Final = "volcano-vgpu-device-config"
NODE_CONFIG: Final = "volcano-vgpu-node-config"
_NAMESPACE: Final = "volcano-system"
_DEVICES: Final = """\
nvidia:
  resourceCountName: volcano.sh/vgpu-number
  resourceMemoryName: volcano.sh/vgpu-memory
  resourceMemoryPercentageName: volcano.sh/vgpu-memory-percentage
  resourceCoreName: volcano.sh/vgpu-cores
  overwriteEnv: false
  defaultMemory: 0
  defaultCores: 0
  defaultGPUNum: 1
  deviceSplitCount: 10
  deviceMemoryScaling: 1
  deviceCoreScaling: 1
  gpuMemoryFactor: 1
"""


def volcano_config_documents(world: World) -> list[Document]:
    """Both of them, where Volcano shares cards."""
    nodes = [node for node in world.nodes if node.spec.sharing is Sharing.VOLCANO]
    if not nodes:
        return []
    settings = json.dumps({"nodeconfig": [_settings(node) for node in nodes]}, indent=4)
    return [
        config_map_document(
            world,
            _NAMESPACE,
            DEVICE_CONFIG,
            {"device-config.yaml": _DEVICES},
            labels={"app.kubernetes.io/component": "volcano-vgpu-device-plugin"},
        ),
        config_map_document(
            world,
            _NAMESPACE,
            NODE_CONFIG,
            {"config.json": settings + "\n"},
            labels={"app.kubernetes.io/component": "volcano-vgpu-node-plugin"},
        ),
    ]


def _settings(node: NodeState) -> Document:
    return {
        "name": node.spec.name,
        "operatingmode": "hami-core",
        "devicememoryscaling": 1,
        "devicesplitcount": node.spec.slots,
        "migstrategy": "none",
        "filterdevices": {"uuid": [], "index": []},
    }
