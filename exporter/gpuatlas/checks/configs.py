"""What the layers' configuration says of a node's cards, and where it says so. Pure.

Facts: facts/hami.md 4.2. HAMi: `device-config.yaml` holds the defaults, `config.json` of the device
plugin overrides them for nodes by name. HAMi v2.4 has the defaults on the plugin's command line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from gpuatlas.checks.context import HAMI, CheckContext
from gpuatlas.checks.soft import VOLCANO
from gpuatlas.model.layer import LayerConfig, LayerController, NodeSettings

_DAEMON_SET: Final = "DaemonSet"
_ASCEND: Final = "ascend"


class Stated(NamedTuple):
    """A setting's value, what states it and the line in which it does."""

    value: float | str
    object: str
    source: str
    line: str


class Setting(NamedTuple):
    """One setting of cards under its names: in defaults, in a node's own part, as an option."""

    default: str
    node: str
    option: str
    read: Callable[[NodeSettings], float | str | None]


SPLIT_COUNT: Final = Setting(
    "deviceSplitCount", "devicesplitcount", "device-split-count", lambda of: of.split_count
)
MEMORY_SCALING: Final = Setting(
    "deviceMemoryScaling",
    "devicememoryscaling",
    "device-memory-scaling",
    lambda of: of.memory_scaling,
)
MODE: Final = Setting("operatingmode", "operatingmode", "", lambda of: of.mode or None)


class Told(NamedTuple):
    """What one layer is told: its ConfigMaps, and its DaemonSets with options of their own."""

    configs: tuple[LayerConfig, ...]
    plugins: tuple[LayerController, ...]

    def of(self, setting: Setting, node: str) -> tuple[Stated, ...]:
        """What is said of a setting for a node, its own part before the defaults.

        Several installations may say different things; which of them is the node's is not known.
        """
        own = (*_said(self.configs, setting, node),) if node else ()
        defaults = (*_said(self.configs, setting, ""), *_on_command_lines(self.plugins, setting))
        return own or defaults


def told_of(context: CheckContext, layer: str) -> Told:
    """All that the layer is told."""
    plugins = (c for c in context.layer.controllers if c.kind == _DAEMON_SET)
    return Told(
        tuple(configs_of(context, layer)),
        tuple(plugin for plugin in plugins if layer_of(plugin.component) == layer),
    )


def layer_of(component: str) -> str:
    """The layer of a component by its label; "" for programs that configure no soft shares."""
    if VOLCANO in component:
        return VOLCANO
    return "" if _ASCEND in component else HAMI


def configs_of(context: CheckContext, layer: str) -> Iterator[LayerConfig]:
    """The ConfigMaps of one layer."""
    return (c for c in context.layer.configs if layer_of(c.component) == layer)


def _said(configs: Iterable[LayerConfig], setting: Setting, node: str) -> Iterator[Stated]:
    for config in configs:
        parts = [part for part in config.nodes if part.name == node] if node else [config.defaults]
        for part in parts:
            value = setting.read(part)
            if value is not None:
                name = setting.node if node else setting.default
                line = config.lines.get(f"{node}/{name}" if node else name, f"{name}: {value}")
                source = f"ConfigMap {config.namespace}/{config.name} {config.key}"
                yield Stated(value, config.object, source, line)


def _on_command_lines(plugins: Iterable[LayerController], setting: Setting) -> Iterator[Stated]:
    for plugin in plugins:
        value = _number(plugin.flags.get(setting.option, ""))
        if value is not None:
            line = f"--{setting.option}={plugin.flags[setting.option]}"
            yield Stated(value, plugin.object, f"options of {plugin.object}", line)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def memory_factor(context: CheckContext, layer: str) -> int:
    """MiB in one unit of a memory request: the largest that a configuration states, or 1."""
    found = (config.defaults.memory_factor for config in configs_of(context, layer))
    return max([1, *(factor for factor in found if factor)])


def is_preconfigured(configs: Iterable[LayerConfig], node: str) -> bool:
    """Whether the node's cards are registered with a size from the configuration."""
    return any(
        part.preconfigured_bytes
        for config in configs
        for part in (config.defaults, *config.nodes)
        if part.name in {"", node}
    )
