"""A trimmed object with its names replaced; a field that is not known is replaced as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from gpuatlas.sources.capture.anonymise.names import Names
from gpuatlas.sources.capture.anonymise.texts import Texts
from gpuatlas.sources.capture.anonymise.vocabulary import (
    IMAGE_WORDS,
    SCHEDULERS,
    is_harmless,
    is_reason,
    keeps_label,
)

# Fields whose text is the API's own, or that hold only numbers.
_KEPT: Final = frozenset(
    {
        "apiVersion",
        "kind",
        "phase",
        "type",
        "status",
        "health",
        "restartPolicy",
        "kubeletVersion",
        "creationTimestamp",
        "deletionTimestamp",
    }
)
_NAMED: Final = frozenset({"namespace", "nodeName"})
_RESOURCES: Final = frozenset({"limits", "requests", "capacity", "allocatable"})
# Labels and annotations that hold one name: it is replaced even where it is a common word.
_NAME_KEYS: Final = frozenset(
    {
        "hami.io/vgpu-node",
        "volcano.sh/vgpu-node",
        "amd.com/predicate-node",
        "mthreads.com/predicate-node",
        "kubernetes.io/hostname",
        "statefulset.kubernetes.io/pod-name",
        "job-name",
        "batch.kubernetes.io/job-name",
        "pod-template-hash",
        "gpu-fraction-container-name",
    }
)
_GROUP_KEY: Final = "runai-gpu-group/"


class ObjectWriter:
    """Rewrites objects."""

    def __init__(self, names: Names, texts: Texts) -> None:
        self._names = names
        self._texts = texts
        self._fields: Mapping[str, Callable[[str], str]] = {
            "uid": self._id,
            "podIP": self._texts.plain,
            "image": self._image,
            "schedulerName": self._scheduler,
            "reason": lambda text: text if is_reason(text) else self._texts.plain(text),
        }
        self._items: Mapping[str, Callable[[Any], Any]] = {
            "env": self._variable,
            "allocatedResourcesStatus": self._device,
        }

    def rewrite(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The object."""
        return {field: self._field(field, value) for field, value in body.items()}

    def _field(self, field: str, value: Any) -> Any:
        if field in _RESOURCES or (field in _KEPT and not isinstance(value, Mapping | list)):
            return value
        if field in {"labels", "annotations"} and isinstance(value, Mapping):
            return {self._key(k): self._label(k, v) for k, v in value.items()}
        if field in self._items and isinstance(value, list):
            return [self._items[field](item) for item in value]
        if isinstance(value, Mapping):
            return self.rewrite(value)
        if isinstance(value, list):
            return [self._field(field, item) for item in value]
        return self._text(field, value) if isinstance(value, str) else value

    def _text(self, field: str, text: str) -> str:
        if field in _NAMED or field == "name":
            return self._names.known(text) or self._texts.plain(text)
        return self._fields.get(field, self._texts.plain)(text)

    def _key(self, key: str) -> str:
        """Keys stay; this one carries a group's id."""
        if key.startswith(_GROUP_KEY):
            return f"{_GROUP_KEY}{self._texts.plain(key.removeprefix(_GROUP_KEY))}"
        return key

    def _label(self, key: str, value: Any) -> Any:
        if not isinstance(value, str) or keeps_label(key):
            return value
        if key in _NAME_KEYS:
            return self._names.known(value) or self._texts.plain(value)
        return self._texts.replace(value)

    def _variable(self, item: Any) -> Any:
        """The names of variables come from a fixed list."""
        if not isinstance(item, Mapping) or not isinstance(item.get("value"), str):
            return item
        return {"name": item.get("name"), "value": self._texts.plain(item["value"])}

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

    def _image(self, text: str) -> str:
        """Words of public images stay, the rest of the path is crossed out."""
        return "".join(
            piece if not piece.isalnum() or piece.lower() in IMAGE_WORDS else "x"
            for piece in _split_words(text)
        )

    def _scheduler(self, text: str) -> str:
        if text in SCHEDULERS or is_harmless(text):
            return text
        return self._names.numbered(text, "scheduler")


def _split_words(text: str) -> list[str]:
    """Runs of letters and digits, and what stands between them."""
    pieces: list[str] = []
    for character in text:
        if pieces and pieces[-1][-1].isalnum() and character.isalnum():
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces
