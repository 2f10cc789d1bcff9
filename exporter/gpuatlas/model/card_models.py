"""The spelling of card models: one model is written in several ways. Pure.

Sources write "NVIDIA A100-SXM4-80GB", "NVIDIA-A100-SXM4-80GB-SHARED", "nvidia-tesla-a100": names
are compared by whole words, without the brand.
"""

from __future__ import annotations

import re
from typing import Final

_BRANDS: Final = frozenset({"NVIDIA", "TESLA"})
# What the device plugin's labels append (facts/k8s.md 1.1).
_SUFFIX: Final = re.compile(r"( MIG \d+G .*| MIG INVALID.*| SHARED)$")


def plain_model(model: str) -> str:
    """The model without brand, dashes and the label's suffixes: the same for all spellings."""
    words = re.sub(r"[^A-Z0-9]+", " ", model.upper()).strip()
    words = _SUFFIX.sub("", _SUFFIX.sub("", words))
    listed = words.split()
    while listed and listed[0] in _BRANDS:
        listed.pop(0)
    return " ".join(listed)


def is_called(model: str, name: str) -> bool:
    """Whether a model, in any spelling, is `name` or begins with the words of it."""
    return f"{plain_model(model)} ".startswith(f"{name.upper()} ")
