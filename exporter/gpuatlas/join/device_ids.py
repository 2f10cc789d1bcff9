"""What a kubelet's device id says of the card. Pure; nothing here raises.

The ids of `allocatedResourcesStatus` (KEP-4680) are the device plugin's own (facts/k8s.md 1.2, 1.6
and 1.13): a card's UUID, a MIG UUID, either with `::<n>` for the n-th replica, GKE's
`nvidia<N>[/gi<M>][/vgpu<K>]`, or `<driver>/<pool>/<device>` for a claim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from gpuatlas.model.claims import DeviceKey

_UUID: Final = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_CARD: Final = re.compile(f"GPU-{_UUID}")
# Drivers up to R470 named an instance by its card, GPU instance and compute instance.
_OLD_MIG: Final = re.compile(rf"MIG-(GPU-{_UUID})/([0-9]{{1,4}})/[0-9]{{1,4}}")
_GKE: Final = re.compile(r"nvidia([0-9]{1,4})(?:/gi([0-9]{1,4}))?(?:/vgpu[0-9]{1,4})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceId:
    """At most one of `card`, `index` and `mig` is set; `instance` is a GPU instance's number."""

    card: str = ""
    index: str = ""
    mig: str = ""
    instance: str = ""


def read_device_id(written: str) -> DeviceId:
    """The card, card index or MIG instance that a device plugin's id names."""
    device = written.split("::", 1)[0]
    old = _OLD_MIG.fullmatch(device)
    if old is not None:
        return DeviceId(card=old[1], instance=old[2])
    by_index = _GKE.fullmatch(device)
    if by_index is not None:
        return DeviceId(index=str(int(by_index[1])), instance=by_index[2] or "")
    return DeviceId(mig=device) if device.startswith("MIG-") else DeviceId(card=device)


def is_card_uuid(text: str) -> bool:
    """Whether the text is a UUID of a whole NVIDIA card and nothing more.

    Sharing layers append a number of their own to it, and say nothing of the card by that.
    """
    return _CARD.fullmatch(text) is not None


def read_claim_device(written: str) -> DeviceKey | None:
    """The device of a claim. Names of pools may hold slashes, those of drivers and devices not."""
    driver, _, rest = written.partition("/")
    pool, _, device = rest.rpartition("/")
    return DeviceKey(driver, pool, device) if driver and pool and device else None
