"""The handshake and register annotations of a node in their original text. Pure.

Facts: facts/hami.md 2.1 (keys), 2.2 (encodings by version), 2.4 (the handshake is no heartbeat from
v2.8 on, and without a zone its time is wrong by the writer's offset).
"""

from __future__ import annotations

import json
from typing import Final

from gpuatlas.checks.context import HAMI, CheckContext
from gpuatlas.model.devices import Registration
from gpuatlas.model.objects import Node

_HAMI_HANDSHAKE: Final = "hami.io/node-handshake"
_VOLCANO_HANDSHAKE: Final = "volcano.sh/node-vgpu-handshake"
_NVIDIA: Final = "nvidia"
_REPORTED: Final = "reported"


def handshake_key(node: Node, registration: Registration) -> str:
    """The annotation in which the layer speaks of the registration's cards, "" for none.

    Volcano has one key. HAMi's for NVIDIA is the bare one; the others end with the family's word
    ("-Ascend910B3"), or with what it begins with ("-va" of Vastai), in any case of letters.
    """
    if registration.layer != HAMI:
        return _VOLCANO_HANDSHAKE if _VOLCANO_HANDSHAKE in node.annotations else ""
    if registration.vendor == _NVIDIA:
        return _HAMI_HANDSHAKE if _HAMI_HANDSHAKE in node.annotations else ""
    family = registration.family.lower()
    start = f"{_HAMI_HANDSHAKE}-"
    words = {
        key: key.removeprefix(start).lower() for key in node.annotations if key.startswith(start)
    }
    matching = [key for key, word in words.items() if word and family.startswith(word)]
    return max(matching, key=len, default="")


def heartbeat_at(context: CheckContext, name: str) -> float | None:
    """When HAMi's NVIDIA plugin last reported, in Unix seconds; None where it does not report.

    Only plugins up to v2.7.1 do, which register in colon text: a JSON list is of a newer one, whose
    last "Reported" is left from before the upgrade.
    """
    node = context.nodes.get(name)
    if node is None:
        return None
    for registration in node.registrations:
        shake = registration.handshake
        if registration.layer != HAMI or registration.vendor != _NVIDIA or shake is None:
            continue
        listed = node.annotations.get(registration.source, "")
        if shake.state == _REPORTED and shake.zoned and not _is_json(listed):
            return shake.at
    return None


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] in {"[", "{"}


def device_record(text: str, card: str) -> str:
    """What a register annotation says of one card, as it stands there; "" where it is not found."""
    if _is_json(text):
        return _json_record(text, card)
    return next((part for part in text.split(":") if part.strip().split(",")[0] == card), "")


def _json_record(text: str, card: str) -> str:
    try:
        listed = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict) and card in (item.get("id"), item.get("uuid")):
            # JSON leaves out what is false (facts/hami.md 2.2), which a reader may not know.
            silent = "health" not in item and "healthy" not in item
            note = "no health, which means false: " if silent else ""
            return note + json.dumps(item, separators=(",", ":"))
    return ""
