"""What the pages of HAMi's monitor and scheduler have in common: labels and bounds of values.

Labels have three spellings. A page out of a Prometheus that does not honour labels has `exported_*`
beside the target's own, which then name the exporter; names up to v2.8 have their own words
(`podname`); names from v2.9 have Kubernetes' (`pod`). Percent numbers are called ratios by HAMi.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from gpuatlas.model.pages import Sample, Tenant
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import MAX_CARD_BYTES, clean_text, plausible_bytes, plausible_ratio
from gpuatlas.sources.hami import fields
from gpuatlas.sources.hami.refusals import quote

MISSING_LABEL: Final = "missing-label"
UNDERFLOW: Final = "underflow"
CONTRADICTION: Final = "contradiction"

BUILD_INFO: Final = "hami_build_info"
# HAMi's counters are unsigned 64-bit numbers: what fell below zero reads as nearly 2^64
# (facts/errata.md; HAMi issue 1181).
_UNDERFLOWED: Final = 2.0**60
_CARD: Final = ("device_uuid", "deviceuuid")
_NODE: Final = ("exported_node", "nodeid", "node")
_INDEX: Final = ("device_index", "deviceidx")
_TYPE: Final = ("device_type", "devicetype")
_NAMESPACE: Final = ("exported_namespace", "podnamespace", "namespace")
_POD: Final = ("exported_pod", "podname", "pod")
_CONTAINER: Final = ("exported_container", "ctrname", "container")
_POSITION: Final = ("container_index", "containeridx")
_MAX_NAME: Final = 253  # of a Kubernetes object


def _first(labels: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((labels[name] for name in names if labels.get(name)), "")


def card_of(sample: Sample) -> str:
    """The card's UUID. Raises empty-id, bad-text."""
    return fields.card_id(_first(sample.labels, _CARD))


def tenant_of(sample: Sample) -> Tenant:
    """The container that the sample is about. Raises missing-label, bad-text."""
    return Tenant(
        _object_name(sample, _NAMESPACE, "namespace"),
        _object_name(sample, _POD, "pod"),
        _object_name(sample, _CONTAINER, "container", optional=True),
    )


def pod_of(sample: Sample) -> tuple[str, str]:
    """(namespace, name) of the pod that the sample is about. Raises missing-label, bad-text."""
    return _object_name(sample, _NAMESPACE, "namespace"), _object_name(sample, _POD, "pod")


def node_of(sample: Sample, *, optional: bool = False) -> str:
    """The node that the sample is about. Raises missing-label, bad-text."""
    return _object_name(sample, _NODE, "node", optional=optional)


def _object_name(
    sample: Sample, names: tuple[str, ...], what: str, *, optional: bool = False
) -> str:
    value = _first(sample.labels, names)
    if not value and not optional:
        raise MalformedError(MISSING_LABEL, f"no label names the {what}")
    if len(value) > _MAX_NAME or not value.isascii() or not value.isprintable():
        raise MalformedError(fields.BAD_TEXT, f"the {what} is {quote(value)}")
    return value


def index_of(sample: Sample) -> str:
    """The card's index on its node as the page has it; may be any text."""
    return clean_text(_first(sample.labels, _INDEX))


def position_of(sample: Sample) -> str:
    """The container's position in the pod's allocation as the page has it; may be any text."""
    return _first(sample.labels, _POSITION)


def type_of(sample: Sample) -> str:
    """The card's model as the page has it."""
    return clean_text(_first(sample.labels, _TYPE))


def version_of(sample: Sample) -> str:
    """The version in a `hami_build_info` sample."""
    return clean_text(sample.labels.get("version", ""))


def bytes_value(sample: Sample) -> float:
    """Card memory in bytes. Raises not-a-number, underflow, out-of-range."""
    _refuse_nan(sample)
    if math.isfinite(sample.value) and sample.value > _UNDERFLOWED:
        raise MalformedError(UNDERFLOW, f"{sample.value!r} bytes: the counter fell below zero")
    value = plausible_bytes(sample.value)
    if value is None:
        message = f"{sample.value!r} bytes, expected 0 to {MAX_CARD_BYTES}"
        raise MalformedError(fields.OUT_OF_RANGE, message)
    return value


def percent_value(sample: Sample) -> float:
    """A percent number as a ratio. Raises not-a-number, out-of-range."""
    _refuse_nan(sample)
    ratio = plausible_ratio(sample.value / 100)
    if ratio is None:
        message = f"{sample.value!r} percent, expected 0 to 100"
        raise MalformedError(fields.OUT_OF_RANGE, message)
    return ratio


def bounded_value(sample: Sample, *, most: float) -> float:
    """A number in 0..most. Raises not-a-number, out-of-range."""
    _refuse_nan(sample)
    if not 0 <= sample.value <= most:
        message = f"{sample.value!r}, expected 0 to {most:g}"
        raise MalformedError(fields.OUT_OF_RANGE, message)
    return sample.value


def _refuse_nan(sample: Sample) -> None:
    if math.isnan(sample.value):
        raise MalformedError(fields.NOT_A_NUMBER, "NaN")
