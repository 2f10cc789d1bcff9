from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.sources.hami.handshake import read_handshake

NOON = 1767268800.0  # 2026-01-01 12:00:00 UTC


@pytest.mark.parametrize(
    ("text", "state", "at"),
    [
        ("Requesting_2026.01.01 12:00:00", "requesting", NOON),
        ("Requesting_2026-01-01 12:00:00", "requesting", NOON),
        ("Deleted_2026.01.01 12:00:00", "deleted", NOON),
        ("Deleted_2026-01-01 12:00:00", "deleted", NOON),
        ("Reported_2026.01.01 12:00:00", "reported", NOON),
        ("Reported 2026-01-01 12:00:00.123456789 +0000 UTC m=+12.345", "reported", NOON),
        ("Reported 2026-01-01 20:00:00.1 +0800 CST m=+1.2", "reported", NOON),
        ("Reported 2026-01-01 06:30:00 -0530 X", "reported", NOON),
        ("Reported 2026-01-01 12:00:00 +0000 UTC", "reported", NOON),
        ("Requesting_", "requesting", None),
        ("Requesting", "requesting", None),
        ("Deleted_yesterday", "deleted", None),
        ("Requesting_2026-13-01 12:00:00", "requesting", None),
        ("Requesting_2026-02-31 12:00:00", "requesting", None),
        ("Requesting_2026-01-01 25:00:00", "requesting", None),
        ("Requesting_2026-01.01 12:00:00", "requesting", None),
        ("Reported 2026-01-01 12:00:00 +9900 X", "reported", None),
        ("Reported 0001-01-01 00:00:00 +0000 UTC", "reported", None),
        ("Reported 0001-01-01 00:00:00 +1200 X", "reported", None),
        ("Requesting_0000-01-01 00:00:00", "requesting", None),
        ("", "unknown", None),
        ("Active", "unknown", None),
        ("requesting_2026-01-01 12:00:00", "unknown", None),
        ("RequestingX", "unknown", None),
        ("2026-01-01 12:00:00", "unknown", None),
    ],
)
def test_every_format_is_read(text: str, state: str, at: float | None) -> None:
    found = read_handshake(text)
    assert (found.state, found.at) == (state, at)


@pytest.mark.parametrize(
    ("text", "zoned"),
    [
        ("Reported 2026-01-01 12:00:00.123456789 +0000 UTC m=+12.345", True),
        ("Reported 2026-01-01 06:30:00 -0530 X", True),
        ("Reported_2026.01.01 12:00:00", False),
        ("Requesting_2026-01-01 12:00:00", False),
        ("Reported 2026-01-01 12:00:00 +9900 X", False),  # a zone that is none
        ("Requesting_", False),
        ("", False),
    ],
)
def test_only_go_s_own_format_tells_the_zone(text: str, *, zoned: bool) -> None:
    assert read_handshake(text).zoned is zoned


HANDSHAKES = st.one_of(
    st.text(),
    st.builds(
        "{}{}{}-{:02}-{:02} {:02}:{:02}:{:02}{}".format,
        st.sampled_from(["Reported", "Requesting", "Deleted", "Lost"]),
        st.sampled_from(["_", " ", ""]),
        st.from_regex(r"[0-9]{4}", fullmatch=True),
        *(st.integers(0, 99) for _ in range(5)),
        st.sampled_from(["", ".5", " +0800 CST", " -9999 X", "\n", " +0000 UTC m=+1"]),
    ),
)


@settings(deadline=None, max_examples=300)
@given(HANDSHAKES)
def test_any_text_has_a_state_and_no_time_before_1970(text: str) -> None:
    handshake = read_handshake(text)
    assert handshake.state in {"reported", "requesting", "deleted", "unknown"}
    assert handshake.at is None or 0 <= handshake.at < 253402300800 + 86400
