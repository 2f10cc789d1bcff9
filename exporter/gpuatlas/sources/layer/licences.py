"""When a licence ends, from the text of a ConfigMap that the administrator named. Pure.

Such a text may hold the licence itself, so nothing of it is quoted but the key and its date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from gpuatlas.model.layer import Licence
from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.kubernetes.metadata import read_time
from gpuatlas.sources.kubernetes.shape import fields, text
from gpuatlas.sources.layer.scalars import Scalar, read_scalars
from gpuatlas.sources.layer.settings import LicenceSource

MAX_TEXT: Final = 1024 * 1024
# Spelt with or without "_", "-" and capitals.
_END_KEYS: Final = frozenset(
    {"notafter", "expiry", "expires", "expiration", "validuntil"},
)
_ENDLESS: Final = frozenset({"never", "none", "perpetual", "permanent", "unlimited"})
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def read_licence(source: LicenceSource, raw: object) -> Licence:
    """The licence of a source. `raw` is its ConfigMap, None where there is none."""
    if raw is None:
        return _licence(source, present=False, error=f"{source.object} does not exist")
    value = fields(fields(raw).get("data")).get(source.key)
    if not isinstance(value, str):
        return _licence(source, present=False, error=f"{source.object} has no key {source.key}")
    try:
        not_after, record = licence_end(value)
    except MalformedError as error:
        return _licence(source, error=f"{source.object} {source.key}: {error}")
    return _licence(source, not_after=not_after, record=record)


def unread_licence(source: LicenceSource, reason: str) -> Licence:
    """The licence of a source that could not be read: it is there for all that is known."""
    return _licence(source, error=reason)


def licence_end(value: str) -> tuple[float | None, str]:
    """When the licence ends, in Unix seconds (None: never), and the words that say so.

    Of several dates the first to come counts. A day without a time counts as a whole.

    Raises:
        MalformedError: "bad-text", "no-date", "bad-time".
    """
    if len(value) > MAX_TEXT:
        raise MalformedError("bad-text", f"longer than {MAX_TEXT} characters")
    if "\n" not in value.strip() and _is_end(value.strip()):
        return _end(value.strip()), value.strip()
    found = [(_end(scalar.text.strip()), scalar.record) for scalar in _ends(value)]
    if not found:
        keys = ", ".join(sorted(_END_KEYS))
        raise MalformedError("no-date", f"no RFC 3339 date under any of the keys {keys}")
    dated = [(at, record) for at, record in found if at is not None]
    return min(dated) if dated else found[0]


def _ends(value: str) -> Iterator[Scalar]:
    for scalar in read_scalars(value):
        key = scalar.path[-1] if scalar.path else ""
        plain = key.lower().replace("_", "").replace("-", "") if isinstance(key, str) else ""
        if plain in _END_KEYS and _is_end(scalar.text.strip()):
            yield scalar


def _is_end(word: str) -> bool:
    return bool(_DAY.match(word)) or word.lower() in _ENDLESS


def _end(word: str) -> float | None:
    if word.lower() in _ENDLESS:
        return None
    try:
        if not _DAY.fullmatch(word):
            return read_time(word)
        day = datetime.fromisoformat(word).replace(tzinfo=UTC)
        return read_time(day + timedelta(days=1))
    except (ValueError, OverflowError):
        # Without the cause: its words would quote the text.
        raise MalformedError("bad-time", "its date is no RFC 3339 time or day") from None


def _licence(
    source: LicenceSource,
    *,
    present: bool = True,
    not_after: float | None = None,
    record: str = "",
    error: str = "",
) -> Licence:
    return Licence(
        name=source.name,
        source=source.object,
        present=present,
        not_after=not_after,
        record=record,
        error=text(error),
    )
