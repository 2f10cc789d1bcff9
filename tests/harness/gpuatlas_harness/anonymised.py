"""Captures whose names are hidden: objects with names, and the text that may have none of them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from gpuatlas.sources.capture.contents import Capture

KEY = b"a key for tests"
NOW = 1_787_307_072.0
UUIDS = [f"GPU-{n:08x}-00aa-4000-8000-00000000000{n}" for n in range(1, 5)]
# A name that is no part of anything else.
SECRET = st.from_regex(r"zq[a-z]{3,8}", fullmatch=True)


def text_of(capture: Capture) -> str:
    """All that a capture says."""
    objects = [json.dumps(dict(raw.body)) for raw in capture.objects]
    pages = [p.file + "\n" + p.body.decode("utf-8", "replace") for p in capture.pages]
    return "\n".join([*objects, *pages, *(f"{s.name} {s.reason}" for s in capture.silences)])


def raw_object(
    kind: str,
    name: str,
    namespace: str,
    labels: dict[str, str],
    annotations: dict[str, str],
    **more: Any,
) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace, "uid": f"{kind}-{namespace}-{name}"}
    metadata |= {"labels": labels, "annotations": annotations}  # type: ignore[dict-item]
    version = "apps/v1" if kind == "ReplicaSet" else "v1"
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **more}
