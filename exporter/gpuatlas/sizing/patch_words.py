"""The comment at the head of a patch: what was measured, what it saves, how to go back. Pure."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from gpuatlas.model.sizing import Proposal, Resource
from gpuatlas.model.units import MIB, clean_text
from gpuatlas.sizing.patch_bodies import ContainerChange
from gpuatlas.sizing.patch_kind import PatchKind

_WIDTH: Final = 98
_LONGEST: Final = 2000
_EACH: Final = {
    Resource.MEMORY: " on each card",
    Resource.COMPUTE: " of each card",
    Resource.CARDS: "",
}


def title(kind: str, namespace: str, name: str, at: float) -> list[str]:
    """The first line, by which our own files are known."""
    stamp = datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return [f"gpuatlas sizing, {stamp}: {kind} {namespace}/{name}"]


def measured(proposals: Iterable[Proposal]) -> Iterator[str]:
    """For each proposal what is promised, what was measured over how many days, what it saves."""
    for proposal in proposals:
        container = proposal.of.container
        of = f"container {container}, {proposal.resource}" if container else proposal.resource
        yield ""
        yield (
            f"{of}: {amount(proposal.resource, proposal.present)} promised"
            f"{_EACH[proposal.resource]}, peak {amount(proposal.resource, proposal.peak)}, "
            f"proposed {amount(proposal.resource, proposal.proposed)}"
        )
        yield f"  measured: {_basis(proposal)}"
        if proposal.saving is not None:
            yield f"  {_saving(proposal)}"
        yield f"  {proposal.text}"


def amount(resource: Resource, value: float | None) -> str:
    """A value in the unit in which people write it: MiB, percent, a number."""
    if value is None:
        return "?"
    if resource is Resource.MEMORY:
        return f"{value / MIB:,.0f} MiB"
    return f"{value:.0%}" if resource is Resource.COMPUTE else f"{value:g}"


def _basis(proposal: Proposal) -> str:
    covered = "" if proposal.coverage is None else f", {proposal.coverage:.1%} of it seen"
    return f"{proposal.window_days:.3g} days{covered}"


def _saving(proposal: Proposal) -> str:
    saving = proposal.saving or 0.0
    said = amount(proposal.resource, abs(saving))
    cards = " of a card" if proposal.resource is Resource.COMPUTE else ""
    if proposal.resource is Resource.CARDS:
        cards = " cards"
    verb = "gives back" if saving >= 0 else "takes more:"
    return f"{verb} {said}{cards} over all its containers"


def put_back(changed: Iterable[ContainerChange]) -> Iterator[str]:
    """The old values, one line each."""
    yield ""
    yield "to put it back, the old values:"
    for each in changed:
        for change in each.changes:
            where = "annotation" if change.annotation else f"container {each.container}:"
            old = "not there" if change.old is None else change.old
            yield f"  {where} {change.name}: {old}"


def how_to_apply(kind: PatchKind, namespace: str, name: str, form: str, file: str) -> Iterator[str]:
    """By kubectl, by kustomize, and what it does to the pods that run."""
    yield ""
    if kind.fixed:
        yield f"cannot be applied to the object that exists: {kind.fixed}"
    else:
        yield "to apply:"
        where, what = shlex.quote(namespace), f"{kind.resource} {shlex.quote(name)}"
        yield f"  kubectl --namespace {where} patch {what} --type {form} --patch-file {file}"
        yield f"  what it does: {kind.effect}"
    target = f"{{kind: {kind.kind}, name: {name}}}"
    yield f"in a kustomization.yaml: patches: [{{path: {file}, target: {target}}}]"


def comment(lines: Sequence[str]) -> str:
    """The lines as a comment of YAML, whatever is in them. Commands stay whole."""
    written: list[str] = []
    for line in (clean_text(line, limit=_LONGEST) for line in lines):
        indent = " " * (len(line) - len(line.lstrip()))
        fixed = line.lstrip().startswith(("kubectl ", "in a kustomization.yaml"))
        parts = [line] if fixed or not line else _wrapped(line, indent)
        written += [f"# {part}".rstrip() for part in parts]
    return "".join(f"{part}\n" for part in written)


def _wrapped(line: str, indent: str) -> list[str]:
    return textwrap.wrap(
        line,
        _WIDTH,
        subsequent_indent=indent or "  ",
        break_on_hyphens=False,
        break_long_words=False,
    )
