"""What a layer's ConfigMaps say about cards. Pure.

Two texts are read (facts/hami.md 4.2): `device-config.yaml`, of which the section `nvidia` gives
the defaults, and `config.json`, which gives settings of single nodes. The names and types are those
of HAMi's `NvidiaConfig` and `DevicePluginConfigs` (its pkg/device/nvidia/device.go at v2.10);
Volcano's plugin reads the same two. As Go does, JSON keys are taken in any case and of a key that
comes twice the last one counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson

from gpuatlas.model.layer import LayerConfig, NodeSettings
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import MAX_CARD_BYTES, MAX_COMPUTE_RATIO, MAX_TENANTS_PER_CARD, MIB
from gpuatlas.sources.kubernetes.metadata import label_text, read_time
from gpuatlas.sources.kubernetes.shape import fields, items, text
from gpuatlas.sources.layer.asks import COMPONENT
from gpuatlas.sources.layer.records import label_of, labels_of, metadata_of, name_of
from gpuatlas.sources.layer.scalars import Scalar, bad_text, read_scalars

DEFAULTS_KEY: Final = "device-config.yaml"
NODES_KEY: Final = "config.json"
KEYS: Final = (DEFAULTS_KEY, NODES_KEY)
SECTION: Final = "nvidia"
NODES: Final = "nodeconfig"
FILTER: Final = "filterdevices"
NODE_NAME: Final = "name"
MAX_TEXT_BYTES: Final = 1024 * 1024  # what etcd takes of one object, facts/k8s.md 6
MAX_NODES: Final = 10_000
MAX_HIDDEN: Final = 1024
MAX_WRITES: Final = 256


def _scaling(scalar: Scalar) -> float:
    number = scalar.number
    # Nobody promises a hundred times what a card has (model.units).
    if number is None or not 0 < number <= MAX_COMPUTE_RATIO:
        raise _wrong(scalar, f"no number above 0 and up to {MAX_COMPUTE_RATIO:g}")
    return number


def _split(scalar: Scalar) -> int:
    return _whole(scalar, MAX_TENANTS_PER_CARD)


def _memory(scalar: Scalar) -> int | None:
    """MiB as bytes; none at all is 0 in the file."""
    number = _whole(scalar, MAX_CARD_BYTES // MIB)
    return number * MIB if number else None


def _factor(scalar: Scalar) -> int:
    return max(_whole(scalar, MAX_CARD_BYTES // MIB), 1)  # as HAMi takes it


def _whole(scalar: Scalar, most: int) -> int:
    number = scalar.number
    if number is None or not 0 <= number <= most or number != int(number):
        raise _wrong(scalar, f"no whole number from 0 to {most}")
    return int(number)


def _word(scalar: Scalar) -> str:
    return label_text(scalar.text)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: the field of `NodeSettings` and how its value is read."""

    field: str
    read: Callable[[Scalar], Any]


DEFAULT_SETTINGS: Final[Mapping[str, Setting]] = {
    "deviceSplitCount": Setting("split_count", _split),
    "deviceMemoryScaling": Setting("memory_scaling", _scaling),
    "deviceCoreScaling": Setting("core_scaling", _scaling),
    "preConfiguredDeviceMemory": Setting("preconfigured_bytes", _memory),
    "memoryFactor": Setting("memory_factor", _factor),
    "gpuMemoryFactor": Setting("memory_factor", _factor),  # Volcano's spelling
}
NODE_SETTINGS: Final[Mapping[str, Setting]] = {
    "operatingmode": Setting("mode", _word),
    "devicesplitcount": Setting("split_count", _split),
    "devicememoryscaling": Setting("memory_scaling", _scaling),
    "devicecorescaling": Setting("core_scaling", _scaling),
    "preconfigureddevicememory": Setting("preconfigured_bytes", _memory),
}


_SILENT: Final = NodeSettings(name="")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigText:
    """What one text says: `LayerConfig` without where it is from."""

    defaults: NodeSettings = _SILENT
    nodes: tuple[NodeSettings, ...] = ()
    lines: Mapping[str, str]
    error: str = ""


def read_configs(raw: object, component: str) -> Iterator[LayerConfig]:
    """The texts of one ConfigMap that are read. `component` is for one without a label.

    Raises:
        MalformedError: "no-name", "bad-time".
    """
    namespace, name = name_of(raw)
    data = fields(fields(raw).get("data"))
    for key in KEYS:
        if not isinstance(data.get(key), str):
            continue
        said = read_text(key, text(data[key]))
        yield LayerConfig(
            namespace=namespace,
            name=name,
            key=key,
            component=label_of(labels_of(raw), COMPONENT) or component,
            defaults=said.defaults,
            nodes=said.nodes,
            changed_at=_changed_at(raw, key),
            error=said.error,
            lines=said.lines,
        )


def read_text(key: str, content: str) -> ConfigText:
    """One text, by the key that it has in its ConfigMap. What is wrong with it is in `error`."""
    if len(content.encode("utf-8", "replace")) > MAX_TEXT_BYTES:
        return ConfigText(lines={}, error=f"larger than {MAX_TEXT_BYTES} bytes")
    reader = _Nodes() if key == NODES_KEY else _Defaults()
    error = ""
    try:
        reader.check(content)
        for scalar in wanted_scalars(key, content):
            try:
                reader.take(scalar)
            except MalformedError as refused:
                error = error or str(refused)
    except MalformedError as refused:
        error = str(refused)
    return reader.result(error)


def wanted_scalars(key: str, content: str) -> Iterator[Scalar]:
    """The values of a text that are read. Raises as `read_scalars`."""
    wanted = _is_of_nodes if key == NODES_KEY else _is_default
    return (scalar for scalar in read_scalars(content) if wanted(scalar))


def _is_default(scalar: Scalar) -> bool:
    path = scalar.path
    if len(path) < 2:  # noqa: PLR2004 a value where a mapping belongs, which is an error
        return not scalar.is_null and path in {(), (SECTION,)}
    return len(path) == 2 and path[0] == SECTION and path[1] in DEFAULT_SETTINGS  # noqa: PLR2004


def _is_of_nodes(scalar: Scalar) -> bool:
    match _folded(scalar):
        case (section, int(), str(name)) if section == NODES:
            return name in NODE_SETTINGS or name == NODE_NAME
        case (section, int(), name, "uuid" | "index", int()):
            return section == NODES and name == FILTER
    return False


def _folded(scalar: Scalar) -> tuple[str | int, ...]:
    return tuple(part.lower() if isinstance(part, str) else part for part in scalar.path)


class _Defaults:
    """Gathers `device-config.yaml`."""

    def __init__(self) -> None:
        self._found: dict[str, Any] = {}
        self._lines: dict[str, str] = {}

    def check(self, content: str) -> None:
        """The text's form: all that it must be shows while it is read."""

    def take(self, scalar: Scalar) -> None:
        """One value."""
        if len(scalar.path) < 2:  # noqa: PLR2004
            raise bad_text(scalar.line, "no mapping where the section nvidia belongs")
        name = str(scalar.path[-1])
        setting = DEFAULT_SETTINGS[name]
        self._lines[name] = scalar.record
        self._found[setting.field] = None if scalar.is_null else setting.read(scalar)

    def result(self, error: str) -> ConfigText:
        """All that was gathered."""
        defaults = NodeSettings(name="", **self._found)
        return ConfigText(defaults=defaults, lines=self._lines, error=error)


class _Nodes:
    """Gathers `config.json`."""

    def __init__(self) -> None:
        self._nodes: dict[int, dict[str, Any]] = {}
        self._lines: dict[int, dict[str, str]] = {}

    def check(self, content: str) -> None:
        """Raises `MalformedError` for what is no JSON, or no list of nodes."""
        try:
            decoded = orjson.loads(content)
        except orjson.JSONDecodeError as error:
            raise bad_text(error.lineno, f"not JSON: {error.msg}") from error
        except UnicodeEncodeError as error:
            raise bad_text(1, "not JSON: lone surrogates") from error
        listed = [v for k, v in fields(decoded).items() if k.lower() == NODES and v is not None]
        whole = isinstance(decoded, dict) and all(
            isinstance(value, list) and all(isinstance(item, dict) for item in value)
            for value in listed
        )
        if not whole:
            raise bad_text(1, f'"{NODES}" is no list of nodes')

    def take(self, scalar: Scalar) -> None:
        """One value."""
        path = _folded(scalar)
        position, name = int(path[1]), str(path[2])
        if scalar.is_null or position >= MAX_NODES:
            return
        node = self._nodes.setdefault(position, {})
        if name == FILTER:
            hidden = node.setdefault("hidden", [])
            if len(hidden) < MAX_HIDDEN:
                hidden.append(label_text(scalar.text))
            return
        self._lines.setdefault(position, {})[name] = scalar.record
        if name == NODE_NAME:
            node[NODE_NAME] = label_text(scalar.text)
        else:
            setting = NODE_SETTINGS[name]
            node[setting.field] = setting.read(scalar)

    def result(self, error: str) -> ConfigText:
        """The nodes in the order of the text; one without a name is no node's."""
        nodes: list[NodeSettings] = []
        lines: dict[str, str] = {}
        for position in sorted(self._nodes):
            node = self._nodes[position]
            name = node.get(NODE_NAME, "")
            if name:
                hidden = tuple(node.pop("hidden", ()))
                nodes.append(replace(NodeSettings(**node), hidden=hidden))
                said = self._lines.get(position, {})
                lines |= {f"{name}/{setting}": line for setting, line in said.items()}
        return ConfigText(nodes=tuple(nodes), lines=lines, error=error)


def _wrong(scalar: Scalar, must: str) -> MalformedError:
    return bad_text(scalar.line, f"{scalar.path[-1]} is {must}: {scalar.record}")


def writes_of(raw: object) -> Iterator[tuple[Mapping[str, object], object]]:
    """Who wrote which keys of the data and when: (keys, time), both raw."""
    for entry in map(fields, items(metadata_of(raw).get("managedFields"))[:MAX_WRITES]):
        yield fields(fields(entry.get("fieldsV1")).get("f:data")), entry.get("time")


def _changed_at(raw: object, key: str) -> float | None:
    """The last write of a key. Labels and annotations are written without touching the data."""
    times = [read_time(at) for keys, at in writes_of(raw) if f"f:{key}" in keys]
    return max((at for at in times if at > 0), default=None)
