"""A sharing layer's configuration with its names replaced, made anew of the settings that are read.

What nobody reads is left out, so that no text of an administrator passes. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, Final

import orjson

from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.layer.configs import (
    FILTER,
    NODE_NAME,
    NODES,
    NODES_KEY,
    read_text,
    wanted_scalars,
)
from gpuatlas.sources.layer.scalars import Scalar

# Stands in for a text that nobody can read: neither can this.
UNREADABLE: Final = "{unreadable"


def rewrite_config(
    key: str, content: str, *, name: Callable[[str], str], word: Callable[[str], str]
) -> str:
    """The text of one key of a ConfigMap as JSON, which is YAML as well.

    `name` replaces the name of a node, `word` any other text; numbers stay. A text with a fault
    keeps a fault.
    """
    try:
        scalars = list(wanted_scalars(key, content))
        made = _nodes(scalars, name, word) if key == NODES_KEY else _defaults(scalars, word)
        written = orjson.dumps(made).decode()
    except (MalformedError, orjson.JSONEncodeError):
        return UNREADABLE
    same = bool(read_text(key, written).error) is bool(read_text(key, content).error)
    return written if same else UNREADABLE


def _defaults(scalars: Iterable[Scalar], word: Callable[[str], str]) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for scalar in scalars:
        section, setting = scalar.path if len(scalar.path) > 1 else ("", "")
        found[str(section)][str(setting)] = _value(scalar, word)
    return found


def _nodes(
    scalars: Iterable[Scalar], name: Callable[[str], str], word: Callable[[str], str]
) -> dict[str, Any]:
    nodes: dict[str | int, dict[str, Any]] = defaultdict(dict)
    for scalar in scalars:
        node, setting = nodes[scalar.path[1]], str(scalar.path[2]).lower()
        if setting == FILTER:
            hidden = node.setdefault(FILTER, {}).setdefault(str(scalar.path[3]).lower(), [])
            hidden.append(_value(scalar, word))
        else:
            node[setting] = _value(scalar, name if setting == NODE_NAME else word)
    return {NODES: list(nodes.values())}


def _value(scalar: Scalar, word: Callable[[str], str]) -> int | float | str | None:
    if scalar.is_null:
        return None
    number = scalar.number
    if number is None:
        return word(scalar.text)
    return int(number) if number.is_integer() else number
