"""A trimmed object with its names replaced; a field that is not known is replaced as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from gpuatlas.sources.capture.anonymise.devices import DeviceWriter
from gpuatlas.sources.capture.anonymise.fields import (
    AMOUNTS,
    GROUP_KEY,
    KEPT,
    KEPT_LISTS,
    NAME_KEYS,
    NAMED,
)
from gpuatlas.sources.capture.anonymise.messages import MessageWriter, rewrite_top_owner
from gpuatlas.sources.capture.anonymise.names import Names
from gpuatlas.sources.capture.anonymise.texts import Texts
from gpuatlas.sources.capture.anonymise.vocabulary import (
    IMAGE_WORDS,
    SCHEDULERS,
    is_device_file,
    is_harmless,
    is_reason,
    is_version,
    keeps_label,
    runtime_class,
    tells_program,
    variable_name,
)
from gpuatlas.sources.placement.kai import TOP_OWNER

# How the names of device files begin (sources.kubernetes.reach).
_DEVICE_FILES: Final = ("nvidia", "davinci", "dri")


class ObjectWriter:
    """Rewrites objects."""

    def __init__(self, names: Names, texts: Texts) -> None:
        self._names = names
        self._texts = texts
        devices = DeviceWriter(names, texts, self.rewrite)
        self._fields: Mapping[str, Callable[[str], str]] = {
            "uid": self._id,
            "generateName": self._beginning,
            "podIP": self._texts.plain,
            "image": self._image,
            "schedulerName": self._scheduler,
            "runtimeClassName": runtime_class,
            "path": self._path,
            "driver": devices.driver,
            "deviceClassName": devices.device_class,
            "message": MessageWriter(texts).rewrite,
            "reason": lambda text: text if is_reason(text) else self._texts.plain(text),
        }
        self._items: Mapping[str, Callable[[Any], Any]] = {
            "env": self._variable,
            "allocatedResourcesStatus": self._device,
            "devices": devices.device,
            "results": devices.result,
            "taints": devices.taint,
        }

    def rewrite(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The object."""
        return {field: self._field(field, value) for field, value in body.items()}

    def _field(self, field: str, value: Any) -> Any:
        if _stays(field, value):
            return value
        if field in {"labels", "annotations"} and isinstance(value, Mapping):
            return {self._key(k): self._label(k, v) for k, v in value.items()}
        if field in self._items and isinstance(value, list):
            return [self._items[field](item) for item in value]
        if isinstance(value, Mapping):
            return self.rewrite(value)
        if isinstance(value, list):
            return [
                self.rewrite(item) if isinstance(item, Mapping) else self._field(field, item)
                for item in value
            ]
        return self._text(field, value) if isinstance(value, str) else value

    def _text(self, field: str, text: str) -> str:
        if field in NAMED:
            return "/".join(map(self._name, text.split("/")))
        return self._fields.get(field, self._texts.plain)(text)

    def _name(self, text: str) -> str:
        return self._names.known(text) or self._texts.plain(text)

    def _key(self, key: str) -> str:
        """Keys stay; this one carries a group's id."""
        if key.startswith(GROUP_KEY):
            return f"{GROUP_KEY}{self._name(key.removeprefix(GROUP_KEY))}"
        return key

    def _label(self, key: str, value: Any) -> Any:
        if not isinstance(value, str) or keeps_label(key) or tells_program(key, value):
            return value
        if key in NAME_KEYS or key.startswith(GROUP_KEY):
            return self._name(value)
        if key == TOP_OWNER:
            return rewrite_top_owner(value, self._names, self._texts)
        return self._texts.replace(value)

    def _variable(self, item: Any) -> Any:
        """Variables are kept for their names where they have no value."""
        if not isinstance(item, Mapping) or not isinstance(item.get("name"), str):
            return item
        value = item.get("value")
        kept = {"value": self._texts.plain(value)} if isinstance(value, str) else {}
        return {"name": variable_name(item["name"]), **kept}

    def _device(self, item: Any) -> Any:
        """Named by a resource, or by a claim of the pod."""
        if not isinstance(item, Mapping):
            return item
        name = item.get("name")
        kept = {"name": name} if isinstance(name, str) and "/" in name else {}
        return {**self.rewrite(item), **kept}

    def _id(self, text: str) -> str:
        """An id, or the namespace and name that stand in for one where a file has none."""
        return "/".join(self._names.known(p) or self._names.scrambled(p) for p in text.split("/"))

    def _beginning(self, text: str) -> str:
        """What a name was generated from, with the dash that ends it."""
        stem = text.rstrip("-")
        return f"{self._name(stem)}{text[len(stem) :]}"

    def _image(self, text: str) -> str:
        """Words of public images and a tag that is a version stay, the rest is crossed out."""
        head, colon, tag = text.rpartition(":")
        if colon and is_version(tag):
            return f"{self._image(head)}:{tag}"
        return "".join(
            piece if not piece.isalnum() or piece.lower() in IMAGE_WORDS else "x"
            for piece in _split_words(text)
        )

    def _path(self, text: str) -> str:
        """A path of the node: device files stay what they are."""
        return "/".join(map(self._path_part, text.split("/")))

    def _path_part(self, part: str) -> str:
        if is_device_file(part):
            return part
        start = next((word for word in _DEVICE_FILES if part.startswith(word)), "")
        return f"{start}{self._texts.plain(part)}"

    def _scheduler(self, text: str) -> str:
        if text in SCHEDULERS or is_harmless(text):
            return text
        return self._names.numbered(text, "scheduler")


def _stays(field: str, value: Any) -> bool:
    if isinstance(value, Mapping):
        return field in AMOUNTS
    return field in KEPT_LISTS or (field in KEPT and not isinstance(value, list))


def _split_words(text: str) -> list[str]:
    """Runs of letters and digits, and what stands between them."""
    pieces: list[str] = []
    for character in text:
        if pieces and pieces[-1][-1].isalnum() and character.isalnum():
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces
