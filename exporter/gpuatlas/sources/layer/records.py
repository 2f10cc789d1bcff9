"""What the parsers of this package share: the record of an object and its numbers. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.kubernetes.metadata import label_text
from gpuatlas.sources.kubernetes.shape import fields, text

# Kubernetes counts pods, generations of controllers and ports in 32 bits, others in 64.
MAX_COUNT: Final = 2**31 - 1
MAX_GENERATION: Final = 2**63 - 1


def metadata_of(raw: object) -> Mapping[str, object]:
    """The metadata of an object, or an empty one."""
    return fields(fields(raw).get("metadata"))


def name_of(raw: object) -> tuple[str, str]:
    """(namespace, name).

    Raises:
        MalformedError: "no-name".
    """
    metadata = metadata_of(raw)
    name = label_text(metadata.get("name"))
    if not name:
        raise MalformedError("no-name", "an object without metadata.name")
    return label_text(metadata.get("namespace")), name


def labels_of(raw: object) -> Mapping[str, object]:
    """The labels of an object or of a pod template, unchecked."""
    return fields(metadata_of(raw).get("labels"))


def label_of(labels: Mapping[str, object], key: str) -> str:
    """A label's value, "" where there is none."""
    return label_text(labels.get(key))


def read_count(value: object, field: str, *, default: int = 0, most: int = MAX_COUNT) -> int:
    """A whole number from 0 on; an absent one is `default`, as the API server leaves out zeros.

    Raises:
        MalformedError: "bad-number".
    """
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise MalformedError("bad-number", f"{field} is no whole number from 0 to {most}")
    return value


def words(value: object, default: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The texts of a list."""
    return tuple(text(item) for item in value) if isinstance(value, list) else default
