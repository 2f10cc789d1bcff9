"""Captures of a sharing layer's own objects, and what is read of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuatlas.model.layer import LayerObjects
from gpuatlas.sources.capture.contents import Capture, RawObject
from gpuatlas.sources.capture.projection import Captured, project_capture
from gpuatlas_harness.anonymised import NOW

Object = dict[str, Any]
Objects = Callable[[], list[Object]]
CA_ENDS = 1_804_136_767.0  # 2027-03-04T05:06:07Z
NO_HANDSHAKE = {"certificate": "a capture holds no TLS handshake with a webhook"}


def a_capture(objects: list[Object], **more: Any) -> Capture:
    return Capture(
        clock=NOW,
        objects=tuple(RawObject(body=o, where="objects/x.yaml:1") for o in objects),
        **more,
    )


def seen(capture: Capture) -> Captured:
    return project_capture(capture, now=0.0)


def layer_of(capture: Capture) -> LayerObjects:
    return seen(capture).observations.layer


def of_kind(capture: Capture, kind: str) -> Object:
    (found,) = [raw for raw in capture.objects if raw.kind == kind]
    return dict(found.body)
