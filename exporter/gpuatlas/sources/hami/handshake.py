"""Reads the handshake annotations of HAMi and Volcano (facts/hami.md 2.4).

The text is `Reported <time>` or `<State>_<time>`. It tells when somebody last spoke, and whether
the scheduler has dropped the node (`Deleted`). It is no heartbeat from HAMi v2.8 on.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Final

from gpuatlas.model.devices import Handshake

_STATES: Final = {"Reported": "reported", "Requesting": "requesting", "Deleted": "deleted"}
_STATE = re.compile(r"(Reported|Requesting|Deleted)(?:[_ ].*)?", re.ASCII | re.DOTALL)
# Dots up to v2.4 and in the Ascend plugin, dashes from v2.5. Only Go's time.String(), which the
# NVIDIA plugin wrote up to v2.7.1, carries a zone.
_TIME = re.compile(
    r"[A-Za-z]+[_ ](\d{4})([.-])(\d{2})\2(\d{2}) (\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?"
    r"(?: ([+-])(\d{2})(\d{2})\b.*)?",
    re.ASCII | re.DOTALL,
)


def read_handshake(text: str) -> Handshake:
    """State and time of a handshake; never raises.

    A time without a zone is taken as UTC. That is wrong by the scheduler's offset where its pod
    runs in another zone, which the text cannot tell.
    """
    match = _STATE.fullmatch(text)
    if match is None:
        return Handshake(state="unknown", at=None)
    time = _TIME.fullmatch(text)
    at = None if time is None else _instant(time)
    return Handshake(
        state=_STATES[match[1]],
        at=at,
        zoned=at is not None and time is not None and time[8] is not None,
    )


def _instant(match: re.Match[str]) -> float | None:
    year, _, month, day, hour, minute, second, sign, zone_hours, zone_minutes = match.groups()
    offset = timedelta(hours=int(zone_hours or 0), minutes=int(zone_minutes or 0))
    try:
        zone = timezone(-offset if sign == "-" else offset)
        time = datetime(
            int(year), int(month), int(day), int(hour), int(minute), int(second), tzinfo=zone
        )
        at = time.timestamp()
    except (ValueError, OverflowError):  # 31 February, hour 25, a zone of 99 hours
        return None
    return at if at >= 0 else None  # Go's zero time is in the year 1
