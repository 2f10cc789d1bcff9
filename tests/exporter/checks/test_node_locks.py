from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.checks.locks import NodeLock, node_locks
from gpuatlas_harness.observed import a_node

KEY = "hami.io/mutex.lock"
AT = 1_787_307_072.0  # 2026-08-21 10:11:12 UTC


def read(text: str, key: str = KEY) -> NodeLock:
    (lock,) = node_locks(replace(a_node(), annotations={key: text}))
    return lock


@pytest.mark.parametrize(
    ("text", "at", "owner"),
    [
        ("2026-08-21T10:11:12Z", AT, ""),
        ("2026-08-21T18:11:12+08:00", AT, ""),
        ("2026-08-21T10:11:12.5Z", AT + 0.5, ""),
        ("2026-08-21T10:11:12Z,team-a,infer-0", AT, "team-a/infer-0"),
        ("2026-08-21T10:11:12+00:00,team-a,infer-0", AT, "team-a/infer-0"),
        ("1787307072000000000", AT, ""),
        ("2026-08-21T10:11:12Z,team-a", AT, ""),
        ("2026-08-21T10:11:12Z,,infer-0", AT, ""),
        ("2026-08-21T10:11:12", None, ""),  # no zone: its age would be a guess
        ("2026-08-21 10:11:12Z", None, ""),
        ("2026-02-31T10:11:12Z", None, ""),
        ("2026-08-21T10:11:12+99:00", None, ""),
        ("0001-01-01T00:00:00Z", None, ""),
        ("1787307072", None, ""),
        ("locked,team-a,infer-0", None, "team-a/infer-0"),
    ],
)
def test_every_format(text: str, at: float | None, owner: str) -> None:
    assert read(text) == NodeLock(key=KEY, text=text, at=at, owner=owner)


@pytest.mark.parametrize("key", ["cambricon.com/dsmlu.lock", "volcano.sh/mutex.lock"])
def test_every_layer_s_lock(key: str) -> None:
    assert read("2026-08-21T10:11:12Z", key).key == key


def test_the_oldest_comes_first_and_the_unreadable_last() -> None:
    node = replace(
        a_node(),
        annotations={
            KEY: "locked",
            "volcano.sh/mutex.lock": "2026-08-21T10:11:13Z",
            "cambricon.com/dsmlu.lock": "2026-08-21T10:11:12Z",
        },
    )
    assert [lock.key for lock in node_locks(node)] == [
        "cambricon.com/dsmlu.lock",
        "volcano.sh/mutex.lock",
        KEY,
    ]


def test_an_empty_annotation_is_no_lock() -> None:
    assert node_locks(replace(a_node(), annotations={KEY: "", "other.lock": "x"})) == ()


TEXTS = st.one_of(
    st.text(),
    st.builds(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{}".format,
        *(st.integers(0, 9999) for _ in range(6)),
        st.sampled_from(["Z", "+08:00", "-99:99", "", ".123456789Z"]),
        st.sampled_from(["", ",a,b", ",a", ",,", "\n"]),
    ),
    st.from_regex(r"[0-9٠-٩]{18,20}", fullmatch=True),
)


@settings(deadline=None, max_examples=200)
@given(text=TEXTS.filter(bool))
def test_no_text_raises_or_gives_an_absurd_time(text: str) -> None:
    lock = read(text)
    assert lock.text == text
    assert lock.at is None or 0 <= lock.at < 253_402_300_800  # the year 10000
