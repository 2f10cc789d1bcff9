"""Which object a proposal is about, and what its file is called. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.sizing import Proposal, SizedContainer

_UNSAFE: Final = re.compile(r"[^a-z0-9.-]+")
_LONGEST: Final = 200  # file systems take 255 bytes


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Target:
    """The object to change. `kind` is as in series: with its group where that is not the usual."""

    cluster: str
    namespace: str
    kind: str
    name: str


def target_of(proposal: Proposal) -> Target:
    """The workload's own object."""
    of = proposal.of
    return Target(cluster=of.cluster, namespace=of.namespace, kind=of.kind, name=of.name)


def has_object(of: SizedContainer) -> bool:
    """Whether it is one object: runs with generated names are several, unless one makes them."""
    return of.group in {"", f"{of.kind}/{of.name}"}


def file_name(target: Target) -> str:
    """From names that strangers chose: no way out of the folder, no word for a shell."""
    parts = (target.cluster, target.namespace, target.kind, target.name)
    words_of_it = [_UNSAFE.sub("-", part.lower()).strip("-.") for part in parts if part]
    return f"{'_'.join(words_of_it)[:_LONGEST]}.yaml"
