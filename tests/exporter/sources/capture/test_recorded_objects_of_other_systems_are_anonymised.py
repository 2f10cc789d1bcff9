"""Recorded claims, queues and groups without names: the same, and no name is left."""

from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.sources.capture.anonymise import anonymise
from gpuatlas.sources.capture.contents import Capture, RawObject
from gpuatlas.sources.capture.trimming import trim_capture
from gpuatlas_harness.anonymised import KEY, text_of
from gpuatlas_harness.other_systems import recorded, seen, shape


def test_recorded_objects_keep_their_shape_without_their_names() -> None:
    capture = trim_capture(recorded())
    assert shape(seen(anonymise(capture, key=KEY))) == shape(seen(capture))


@pytest.mark.parametrize("name", ["zqname", "zq-name", "zqname.example"])
def test_no_name_is_left_anywhere(name: str) -> None:
    """The recorded objects, each text that a user chose turned into one that is easy to find."""
    kept = ("apiVersion", "kind", "type", "status", "phase", "driver", "device", "uid")
    plain = text_of(trim_capture(recorded()))
    words = {"team-a", "team-b", "team-c", "research", "pretrain", "inference", "sweep", "chat-0"}
    assert all(word in plain for word in words)
    hidden = anonymise(trim_capture(renamed(recorded(), name, kept)), key=KEY)
    assert name not in text_of(hidden)
    left = text_of(anonymise(recorded(), key=KEY))
    assert [word for word in sorted(words) if word in left] == []


def renamed(capture: Capture, name: str, kept: tuple[str, ...]) -> Capture:
    """Each name, message and label value followed by `name`."""

    def change(value: Any, field: str) -> Any:
        if isinstance(value, dict):
            device = field == "devices" and "name" in value
            return {k: v if device and k == "name" else change(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [change(item, field) for item in value]
        chosen = field in {"name", "message", "queue", "queueName", "clusterQueue", "podName"}
        return (
            f"{value}{name}" if chosen and isinstance(value, str) and field not in kept else value
        )

    return Capture(
        clock=capture.clock,
        objects=tuple(
            RawObject(body=change(dict(raw.body), ""), where="") for raw in capture.objects
        ),
    )
