"""Settings that make a program take card memory ahead of need, read where they stand in the spec.

Sources: facts/k8s.md 4 and 4.1 (vLLM, SGLang), the JAX and TensorFlow guides on GPU memory. A
setting with a share that cannot be read (a shell variable) is still reported, without the share.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from gpuatlas.sources.runtimes.words import END, option_name

OPTIONS: Final = frozenset({"--gpu-memory-utilization", "--mem-fraction-static"})

_JAX_SWITCH: Final = "XLA_PYTHON_CLIENT_PREALLOCATE"
# The newer name stands first: where both are set, it is the one that is read.
_JAX_SHARES: Final = ("XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION")
_TENSORFLOW_SWITCH: Final = "TF_FORCE_GPU_ALLOW_GROWTH"
VARIABLES: Final = frozenset({_JAX_SWITCH, *_JAX_SHARES, _TENSORFLOW_SWITCH})

# Runtimes inside which any framework may run, so that its variables may be in force.
_OPEN: Final = frozenset({"unknown", "jupyter", "ray", "ray-serve", "mpi", "triton"})
_JAX: Final = _OPEN | {"jax"}
_TENSORFLOW: Final = _OPEN | {"tensorflow", "tensorflow-serving"}

_SHARE: Final = re.compile(r"[01]?(?:\.[0-9]{0,15})?")
YES: Final = frozenset({"true", "1", "yes", "on"})
NO: Final = frozenset({"false", "0", "no", "off"})


class MemoryAhead(NamedTuple):
    """`share` as in `model.pod_spec.Runtime.memory_ahead`; `setting` "" where nothing is stated."""

    share: float | None
    setting: str


NOT_STATED: Final = MemoryAhead(None, "")


def read_share(text: str) -> float | None:
    """A share of a card as written: above 0, at most 1; None for anything else."""
    if not any(c.isdigit() for c in text) or _SHARE.fullmatch(text) is None:
        return None
    share = float(text)
    return share if 0 < share <= 1 else None


def stated_options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Memory options in the order in which they stand: (name, value as written)."""
    for position, word in enumerate(words):
        if (name := option_name(word)) not in OPTIONS:
            continue
        value = word.partition("=")[2]
        following = words[position + 1] if position + 1 < len(words) else END
        # Also after a bare "=": a quoted value is a word of its own.
        yield name, value or ("" if following == END else following)


def read_options(words: Sequence[str]) -> MemoryAhead:
    """What the command line states; the last of several wins, as in the programs themselves."""
    found = NOT_STATED
    for name, value in stated_options(words):
        found = MemoryAhead(read_share(value), name)
    return found


def read_variables(runtime: str, env: Mapping[str, str]) -> MemoryAhead:
    """What variables state, only those that this runtime can be reading."""
    if runtime in _JAX and (found := _read_jax(env)) != NOT_STATED:
        return found
    if runtime in _TENSORFLOW and _TENSORFLOW_SWITCH in env:
        grows = env[_TENSORFLOW_SWITCH].lower() in YES
        return MemoryAhead(0.0 if grows else None, _TENSORFLOW_SWITCH)
    return NOT_STATED


def _read_jax(env: Mapping[str, str]) -> MemoryAhead:
    if env.get(_JAX_SWITCH, "").lower() in NO:
        # The shares then only limit growth.
        return MemoryAhead(0.0, _JAX_SWITCH)
    for name in _JAX_SHARES:
        if name in env:
            return MemoryAhead(read_share(env[name]), name)
    return MemoryAhead(None, _JAX_SWITCH) if _JAX_SWITCH in env else NOT_STATED
