from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.kubernetes.events import Event, read_event

TYPES = ("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR")


def test_an_event_has_a_type_an_object_and_a_version() -> None:
    line = b'{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"7"}}}'
    raw = {"metadata": {"name": "a", "resourceVersion": "7"}}
    assert read_event(line) == Event(type="ADDED", raw=raw, version="7")


def test_a_bookmark_has_only_a_version() -> None:
    line = b'{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"9"}}}'
    assert (read_event(line).type, read_event(line).version) == ("BOOKMARK", "9")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param(b'{"type":"ADDED","obj', "not-json", id="truncated"),
        pytest.param(b"<html>", "not-json", id="a proxy's page"),
        pytest.param(b'{"type":"ADDED","object":"\xff"}', "not-json", id="not UTF-8"),
        pytest.param(b"[]", "unknown-event", id="a list"),
        pytest.param(b'{"object":{}}', "unknown-event", id="no type"),
        pytest.param(b'{"type":["ADDED"]}', "unknown-event", id="a list as type"),
        pytest.param(b'{"type":"RENAMED"}', "unknown-event", id="unknown type"),
    ],
)
def test_other_lines_are_refused(line: bytes, reason: str) -> None:
    with pytest.raises(MalformedError) as caught:
        read_event(line)
    assert caught.value.reason == reason


@settings(deadline=None, max_examples=200)
@given(st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode)))
def test_no_line_raises_anything_else(line: bytes) -> None:
    try:
        outcome = read_event(line).type
    except MalformedError as error:
        outcome = error.reason
    assert outcome in {*TYPES, "not-json", "unknown-event"}
