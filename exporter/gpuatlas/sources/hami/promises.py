"""Reads allocation annotations of pods: which share of which card each container was promised.

`UUID,Type,MiB,cores:` for a device, `;` after (Volcano: between) containers; facts/hami.md 3.2 and
facts/errata.md. A tenant can write these annotations. What is read here is a claim about the pod
itself: whether its node has the card, and whether the card has room, is the join's to judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.devices import Promise
from gpuatlas.model.objects import Container
from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.hami import fields
from gpuatlas.sources.hami.keys import FamilyKey, has_placeholder_memory
from gpuatlas.sources.hami.matching import Demand, match_containers
from gpuatlas.sources.hami.mig import Instances
from gpuatlas.sources.hami.refusals import Refusals, quote

# Sixteen cards for each of eight containers. A text of more is no allocation but an attack, and a
# part of it would be a wrong sum: it is refused whole.
MAX_DEVICES: Final = 128
MAX_SEGMENTS: Final = 4096
_FIELDS: Final = 4
# MIG up to v2.9 and Volcano: `GPU-…[<template>-<slot>]`.
_MIG_SLOT = re.compile(r"([^\[\]]+)\[([0-9A-Za-z._-]{1,32})\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Share:
    """One record. `card` is "" for the filler that stands for a container without a device."""

    card: str
    slot: str
    memory_bytes: int | None
    cores: int | None

    @property
    def is_filler(self) -> bool:
        return not self.card


@dataclass(frozen=True, slots=True, kw_only=True)
class _Segment:
    """One container's records: position in the segment → share. Unreadable ones are missing."""

    position: int
    shares: dict[int, _Share]

    @property
    def demand(self) -> Demand:
        """What its devices get; None where they differ or nobody says."""
        memory = {share.memory_bytes for share in self.shares.values()}
        cores = {share.cores for share in self.shares.values()}
        return Demand(
            memory_bytes=memory.pop() if len(memory) == 1 else None,
            cores=cores.pop() if len(cores) == 1 else None,
        )


def read_promises(
    text: str,
    key: FamilyKey,
    containers: Sequence[Container],
    *,
    source: str,
    instances: Instances,
    refusals: Refusals,
) -> tuple[Promise, ...]:
    """The promises in the annotation `source`; unreadable records go to `refusals`."""
    field = f"annotation {source}"
    try:
        segments = _segments(text, key, refusals, field)
    except MalformedError as error:
        refusals.add_error(error, field=field)
        return ()
    names = match_containers([segment.demand for segment in segments], containers, key)
    return tuple(
        Promise(
            layer=key.family.layer,
            vendor=key.family.vendor,
            card=share.card,
            container=name,
            memory_bytes=share.memory_bytes,
            cores=share.cores,
            source=source,
            partition=share.slot or instances.get((segment.position, at, share.card), ""),
        )
        for segment, name in zip(segments, names, strict=True)
        for at, share in segment.shares.items()
    )


def _segments(text: str, key: FamilyKey, refusals: Refusals, field: str) -> list[_Segment]:
    _check_size(text)
    segments = []
    for position, part in enumerate(text.split(";")):
        records = [record for record in part.split(":") if record.strip()]
        shares: dict[int, _Share] = {}
        fillers = 0
        for at, record in enumerate(records):
            try:
                share = _share(record, key)
            except MalformedError as error:
                refusals.add_error(error, field=field)
                continue
            if share.is_filler:
                fillers += 1
            else:
                shares[at] = share
        # A segment whose records are all unreadable still stands for a container.
        if len(records) > fillers:
            segments.append(_Segment(position=position, shares=shares))
    return segments


def _check_size(text: str) -> None:
    if len(text) > fields.MAX_ANNOTATION:
        raise MalformedError(fields.TOO_LARGE, f"the annotation has {len(text)} characters")
    if text.count(";") > MAX_SEGMENTS or text.count(":") > MAX_SEGMENTS:
        raise MalformedError(fields.TOO_LARGE, f"the annotation has over {MAX_SEGMENTS} segments")
    # A device has three commas, and so has a filler; HAMi pads one for each container at most.
    devices = text.count(",") // (_FIELDS - 1)
    if devices > MAX_DEVICES:
        message = f"the annotation lists {devices} devices, at most {MAX_DEVICES} are read"
        raise MalformedError(fields.TOO_LARGE, message)


def _share(record: str, key: FamilyKey) -> _Share:
    values = record.strip().split(",")
    if len(values) != _FIELDS:
        message = f"{quote(record)} has {len(values)} fields, expected UUID,type,MiB,cores"
        raise MalformedError(fields.WRONG_FIELD_COUNT, message)
    memory = fields.memory(values[2], unit=key.family.memory_unit)
    cores = fields.cores(values[3])
    if not values[0] and memory is None and cores is None:
        return _Share(card="", slot="", memory_bytes=None, cores=None)
    card, slot = _card_and_slot(fields.card_id(values[0]))
    if cores and key.family.cores_are_mask:
        cores = cores.bit_count()
    return _Share(
        card=card,
        slot=slot,
        memory_bytes=None if has_placeholder_memory(card) else memory,
        cores=cores,
    )


def _card_and_slot(card: str) -> tuple[str, str]:
    if "[" not in card and "]" not in card:
        return card, ""
    match = _MIG_SLOT.fullmatch(card)
    if match is None:
        raise MalformedError(fields.BAD_TEXT, f"{quote(card)} is no card id with a MIG slot")
    return match[1], match[2]
