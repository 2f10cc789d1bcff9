"""Devices of ResourceSlices and of claims' results: ids are replaced, what hardware says stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from gpuatlas.sources.capture.anonymise.names import Names
from gpuatlas.sources.capture.anonymise.texts import Texts
from gpuatlas.sources.capture.anonymise.vocabulary import is_uuid
from gpuatlas.sources.dra.drivers import DRIVERS

Rewrite = Callable[[Mapping[str, Any]], dict[str, Any]]

_IDS: Final = frozenset(
    name for d in DRIVERS.values() for name in (*d.uuid, *d.part_uuid, *d.parent)
)
# "nvidia.com" of "gpu.nvidia.com": classes like mig.nvidia.com are the vendors' own as well.
_DOMAINS: Final = tuple(f".{name.partition('.')[2]}" for name in DRIVERS)
# Shorter numbers tell cards of one node apart, not cards of the world.
_LEAST_DIGITS: Final = 6


class DeviceWriter:
    """Rewrites entries of `devices`, `results` and `taints`; `rewrite` is for their other fields.

    Names of devices stay: the drivers make them of numbers and profiles.
    """

    def __init__(self, names: Names, texts: Texts, rewrite: Rewrite) -> None:
        self._names = names
        self._texts = texts
        self._rewrite = rewrite

    def device(self, item: Any) -> Any:
        """One of `spec.devices` of a slice, in the form of any API version."""
        if not isinstance(item, Mapping):
            return item
        parts: dict[str, Callable[[Any], Any]] = {
            "name": lambda name: name,
            "basic": self.device,
            "attributes": self._attributes,
        }
        return {
            field: parts[field](value) if field in parts else self._rewrite({field: value})[field]
            for field, value in item.items()
        }

    def result(self, item: Any) -> Any:
        """One of `results` of an allocation."""
        if not isinstance(item, Mapping):
            return item
        kept = (
            {"device": item["device"]} if item.get("driver") in DRIVERS and "device" in item else {}
        )
        return {**self._rewrite(item), **kept}

    def taint(self, item: Any) -> Any:
        """A taint of a device: the driver's own key says what is wrong with it."""
        if not isinstance(item, Mapping):
            return item
        key = item.get("key")
        own = isinstance(key, str) and key.partition("/")[0] in DRIVERS
        kept = {name: item[name] for name in ("key", "value", "effect") if own and name in item}
        effect = {"effect": item["effect"]} if "effect" in item else {}
        return {**self._rewrite(item), **effect, **kept}

    def device_class(self, text: str) -> str:
        """A vendor's class, or one that an administrator named."""
        known = text in DRIVERS or text.endswith(_DOMAINS)
        return text if known else self._names.known(text) or self._texts.plain(text)

    def driver(self, text: str) -> str:
        """A driver that publishes cards, or another one."""
        return text if text in DRIVERS else self._texts.plain(text)

    def _attributes(self, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return {
            key: self._id(attribute) if key.rpartition("/")[2] in _IDS else attribute
            for key, attribute in value.items()
        }

    def _id(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {form: self._id(part) for form, part in value.items()}
        if isinstance(value, list):
            return [self._id(part) for part in value]
        if isinstance(value, int) and not isinstance(value, bool):
            return self._number(value)
        if not isinstance(value, str):
            return value
        return self._texts.plain(value) if is_uuid(value) else self._text(value)

    def _text(self, text: str) -> str:
        return text if text.isdecimal() and int(text) == 0 else self._names.scrambled(text)

    def _number(self, number: int) -> int:
        written = str(abs(number))
        if len(written) < _LEAST_DIGITS:
            return number
        # The first digit stays, so that the number keeps its length.
        return int(written[0] + self._names.scrambled(written)[1:]) * (-1 if number < 0 else 1)
