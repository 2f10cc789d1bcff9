"""Patches that fit the owners' manifests: one for each workload that gets a proposal.

Three forms: a strategic merge patch for kinds of Kubernetes, a JSON 6902 patch for kinds whose
lists do not merge, and where neither can be written the values alone with the reason. Nothing is
applied here, and nothing is read: whoever calls gives the objects that could be. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from typing import Any, Final

import yaml

from gpuatlas.model.sizing import (
    Proposal,
    Reservation,
    Resource,
    SizedContainer,
    SizingReport,
    Verdict,
)
from gpuatlas.model.snapshot import Sharing
from gpuatlas.sizing import patch_words as words
from gpuatlas.sizing.patch_assumed import assumed
from gpuatlas.sizing.patch_bodies import ContainerChange, fragment, json_body, strategic_body
from gpuatlas.sizing.patch_kind import EACH, PatchKind
from gpuatlas.sizing.patch_names import Target, file_name, has_object, target_of
from gpuatlas.sizing.patch_paths import PATCH_KINDS
from gpuatlas.sizing.patch_places import FoundContainer, find_container
from gpuatlas.sizing.patch_quantities import CannotPatchError
from gpuatlas.sizing.patch_values import changes

Manifest = Mapping[str, Any]

_RESOURCES: Final = tuple(Resource)
_NAME: Final = re.compile(r"[a-z0-9]([-.a-z0-9]*[a-z0-9])?")
_UNASKED: Final = "it was not asked for"
_BOTH: Final = (
    "limits and requests are both here, which is right whichever of them it has; the names of "
    "resources are those that its sharing layer has by default"
)


class Form(StrEnum):
    """What kind of patch it is; the first two as `kubectl patch --type` has them."""

    STRATEGIC = "strategic"
    JSON = "json"
    VALUES = "values"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadPatch:
    """One file. `text` is YAML with a comment at its head."""

    target: Target
    form: Form
    file: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoPatch:
    """A workload with a proposal that cannot be written, and why."""

    target: Target
    reason: str


def targets_of(report: SizingReport) -> tuple[Target, ...]:
    """The objects that proposals are about, as far as they have a name and a kind that is known."""
    found = {target_of(proposal) for proposal in _spoken(report) if has_object(proposal.of)}
    return tuple(sorted(target for target in found if target.kind in PATCH_KINDS))


def url_paths(target: Target) -> tuple[str, ...]:
    """Where the API server has it, one for each version of its kind; none for unknown kinds.

    None for what no object can be called either: names come from series, which anybody may have
    written, and the paths are asked for with the user's own rights.
    """
    kind = PATCH_KINDS.get(target.kind)
    if kind is None or not all(map(_NAME.fullmatch, (target.namespace, target.name))):
        return ()
    return kind.url_paths(target.namespace, target.name)


def make_patches(
    report: SizingReport, manifests: Mapping[Target, Manifest | str]
) -> tuple[list[WorkloadPatch], list[NoPatch]]:
    """Patches for all workloads with a proposal, and those of which there can be none.

    Args:
        report: proposals, and the reservations of their containers.
        manifests: the objects as the API server has them, or why one could not be read.
    """
    patches: list[WorkloadPatch] = []
    refused: list[NoPatch] = []
    for target, proposals in groupby(sorted(_spoken(report), key=_order), key=target_of):
        maker = _Maker(
            report, target, list(proposals), manifests.get(target, "it was not asked for")
        )
        try:
            patches.append(maker.make())
        except CannotPatchError as error:
            refused.append(NoPatch(target=target, reason=str(error)))
    return _with_own_names(patches), refused


class _Maker:
    """Makes the patch of one workload."""

    def __init__(
        self,
        report: SizingReport,
        target: Target,
        proposals: list[Proposal],
        manifest: Manifest | str,
    ) -> None:
        self._report = report
        self._target = target
        self._proposals = proposals
        self._manifest = None if isinstance(manifest, str) else manifest
        self._unread = manifest if isinstance(manifest, str) else ""
        self._file = file_name(target)

    def make(self) -> WorkloadPatch:
        """Raises `CannotPatchError`."""
        kind = PATCH_KINDS.get(self._target.kind)
        if kind is None:
            return self._values("where this kind keeps its containers is not known here", ())
        if not has_object(self._proposals[0].of):
            group = self._proposals[0].of.group
            reason = f"its runs ({group}) have names of their own: change what makes them"
            return self._values(reason, self._places_in_words(kind))
        if not kind.built_in and self._manifest is None:
            reason = (
                "its lists have no names to merge by, so a patch needs the positions in the object "
                f"itself, and that could not be read: {self._unread}"
            )
            return self._values(reason, self._places_in_words(kind))
        changed = list(self._changed(kind))
        if kind.built_in:
            body = strategic_body(kind, self._target.namespace, self._target.name, changed)
            return self._patch(Form.STRATEGIC, kind, changed, body)
        return self._patch(Form.JSON, kind, changed, json_body(changed))

    def _changed(self, kind: PatchKind) -> Iterator[ContainerChange]:
        for of in dict.fromkeys(proposal.of for proposal in self._proposals):
            if self._manifest is None:
                yield self._by_its_pods(of)
                continue
            found = find_container(kind, self._manifest, of.container)
            if not found:
                message = (
                    f"the object has no container {of.container!r}: its resources are elsewhere"
                )
                raise CannotPatchError(message)
            yield from self._by_the_object(of, found)

    def _by_the_object(
        self, of: SizedContainer, found: list[FoundContainer]
    ) -> Iterator[ContainerChange]:
        """Wherever it has what its pods are promised; several templates can have such a container.

        Raises `CannotPatchError` where none has.
        """
        refusals: list[CannotPatchError] = []
        for each in found:
            try:
                made = changes(self._all_of(of), self._reservation(of), each.asked)
            except CannotPatchError as error:
                refusals.append(error)
                continue
            yield ContainerChange(container=each.name, changes=tuple(made), found=each)
        if len(refusals) == len(found):
            raise refusals[0]

    def _by_its_pods(self, of: SizedContainer) -> ContainerChange:
        """What its pods ask for stands in its template, too, but for what admission added."""
        reservation = self._reservation(of)
        made = changes(self._all_of(of), reservation, assumed(reservation))
        if not of.container and not all(change.annotation for change in made):
            message = f"which container it is nobody tells, and it was not read: {self._unread}"
            raise CannotPatchError(message)
        return ContainerChange(container=of.container, changes=tuple(made), found=None)

    def _all_of(self, of: SizedContainer) -> list[Proposal]:
        """Also those that say that it fits: a share of a card is of memory and compute at once."""
        return sorted((each for each in self._report.proposals if each.of == of), key=_order)

    def _reservation(self, of: SizedContainer) -> Reservation:
        reservation = self._report.reservations.get(of)
        if reservation is None:
            raise CannotPatchError("what its containers are promised is not known")
        return reservation

    def _patch(
        self, form: Form, kind: PatchKind, changed: list[ContainerChange], body: Any
    ) -> WorkloadPatch:
        target = self._target
        lines = [*self._head(), *self._before()]
        lines += words.how_to_apply(kind, target.namespace, target.name, form, self._file)
        lines += words.put_back(changed)
        if self._unread:
            lines += ["", f"the object itself could not be looked at: {self._unread}", _BOTH]
        return self._file_of(form, self._file, lines, [body])

    def _values(self, reason: str, places: Iterable[str]) -> WorkloadPatch:
        """The values without a place, for a person."""
        lines = [*self._head(), "", f"THIS IS NO PATCH: {reason}", *places]
        bodies = []
        for of in dict.fromkeys(proposal.of for proposal in self._proposals):
            try:
                made = self._by_its_pods(of).changes
            except CannotPatchError:
                continue
            bodies.append({"container": of.container, **fragment(made)})
        return self._file_of(Form.VALUES, f"{self._file[:-5]}.values.yaml", lines, bodies)

    def _places_in_words(self, kind: PatchKind) -> Iterator[str]:
        yield "its containers can be at:"
        for place in kind.places:
            path = ".".join(place.path).replace(f".{EACH}", "[]")
            yield f"  {path}.{place.block}" if place.block else f"  {path}.containers[].resources"

    def _head(self) -> Iterator[str]:
        target = self._target
        yield from words.title(target.kind, target.namespace, target.name, self._report.at)
        yield from words.measured(self._proposals)

    def _before(self) -> Iterator[str]:
        """What must be there first: whole cards are given up for something that nodes hand out."""
        for proposal in self._proposals:
            if proposal.target and self._reservation(proposal.of).sharing is Sharing.PLAIN:
                yield ""
                yield (
                    f"FIRST there has to be a node that hands out {proposal.target}: those that it "
                    "runs on hand out whole cards, and its pods would wait"
                )

    def _file_of(
        self, form: Form, file: str, lines: Iterable[str], bodies: list[Any]
    ) -> WorkloadPatch:
        written = "---\n".join(
            yaml.safe_dump(body, sort_keys=False, width=2**20) for body in bodies
        )
        text = words.comment(list(lines)) + written
        return WorkloadPatch(target=self._target, form=form, file=file, text=text)


def _spoken(report: SizingReport) -> Iterator[Proposal]:
    """The proposals that change something."""
    for proposal in report.proposals:
        speaks = proposal.verdict in {Verdict.SMALLER, Verdict.LARGER}
        if speaks and proposal.proposed is not None:
            yield proposal


def _order(proposal: Proposal) -> tuple[Target, str, int]:
    return (target_of(proposal), proposal.of.container, _RESOURCES.index(proposal.resource))


def _with_own_names(patches: list[WorkloadPatch]) -> list[WorkloadPatch]:
    """Two that would have one name get numbers."""
    taken: set[str] = set()
    named: list[WorkloadPatch] = []
    for patch in patches:
        file, number = patch.file, 1
        while file in taken:
            number += 1
            file = f"{patch.file[:-5]}-{number}.yaml"
        taken.add(file)
        named.append(replace(patch, file=file, text=patch.text.replace(patch.file, file)))
    return named
