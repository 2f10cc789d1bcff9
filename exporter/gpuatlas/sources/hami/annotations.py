"""Reads what sharing layers wrote on nodes and pods: the entry to the annotation readers.

Nothing here raises. A bad record becomes a `Rejection` of the source "hami-annotations" and the
others stay; `reason` is one of the words in gpuatlas.sources.hami.fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from gpuatlas.model.devices import Promise, Registration
from gpuatlas.model.objects import Container
from gpuatlas.model.rejections import Rejection
from gpuatlas.sources.hami import fields
from gpuatlas.sources.hami.derivation import derive
from gpuatlas.sources.hami.handshake import read_handshake
from gpuatlas.sources.hami.keys import (
    FamilyKey,
    is_allocated_key,
    is_register_key,
    promised_family,
    registered_family,
)
from gpuatlas.sources.hami.mig import read_instances
from gpuatlas.sources.hami.promises import MAX_DEVICES, read_promises
from gpuatlas.sources.hami.refusals import Refusals
from gpuatlas.sources.hami.register import read_devices

SOURCE: Final = "hami-annotations"


def read_node(
    name: str, annotations: Mapping[str, str], capacity: Mapping[str, int]
) -> tuple[tuple[Registration, ...], tuple[Rejection, ...]]:
    """The cards that sharing layers registered on a node, in the order of the annotation keys.

    `capacity` holds the node's extended resources; vendors without a register annotation get the
    cards that HAMi makes up from it (`derivation` says what that proves).
    """
    refusals = Refusals(SOURCE, f"node {name}")
    registrations = []
    registered = set()
    for key in sorted(annotations):
        found = registered_family(key)
        if found is None:
            if is_register_key(key):
                _refuse_unknown(key, refusals)
            continue
        registered.add(found.family.vendor)
        registration = _registration(name, key, found, annotations, refusals)
        if registration is not None:
            registrations.append(registration)
    registrations += derive(name, capacity, known=registered, refusals=refusals)
    return tuple(registrations), refusals.result()


def _registration(
    node: str,
    key: str,
    found: FamilyKey,
    annotations: Mapping[str, str],
    refusals: Refusals,
) -> Registration | None:
    family = found.family
    field = f"annotation {key}"
    devices = read_devices(annotations[key], family, node=node, refusals=refusals, field=field)
    if devices is None:
        return None
    handshake = annotations.get(family.handshake.replace("{word}", found.word))
    return Registration(
        layer=family.layer,
        vendor=family.vendor,
        family=found.word,
        source=key,
        devices=devices,
        handshake=None if handshake is None else read_handshake(handshake),
    )


def read_pod(
    namespace: str, name: str, annotations: Mapping[str, str], containers: Sequence[Container]
) -> tuple[tuple[Promise, ...], tuple[Rejection, ...]]:
    """What a pod's containers were promised, in the order of the annotation keys.

    The annotations stay on finished pods for ever, and a tenant can write them: the caller drops
    the promises of pods that hold nothing, and those on cards that the pod's node does not have.
    """
    refusals = Refusals(SOURCE, f"pod {namespace}/{name}")
    keys = [key for key in sorted(annotations) if key.endswith(("-allocated", "-ids-new"))]
    if not keys:
        return (), ()
    promises: list[Promise] = []
    for key in keys:
        found = promised_family(key)
        if found is None:
            if is_allocated_key(key):
                _refuse_unknown(key, refusals)
            continue
        read = read_promises(
            annotations[key],
            found,
            containers,
            source=key,
            instances=read_instances(annotations, found.family.instances, refusals),
            refusals=refusals,
        )
        if len(promises) + len(read) > MAX_DEVICES:
            message = f"all annotations together list over {MAX_DEVICES} devices"
            refusals.add(fields.TOO_LARGE, message, field=f"annotation {key}")
            continue
        promises += read
    return tuple(promises), refusals.result()


def _refuse_unknown(key: str, refusals: Refusals) -> None:
    message = "no row in gpuatlas.sources.hami.families has this key; its cards are not shown"
    refusals.add(fields.UNKNOWN_VENDOR, message, field=f"annotation {key}")
