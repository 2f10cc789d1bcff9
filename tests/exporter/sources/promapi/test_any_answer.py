"""No answer makes the reader raise anything but an error of ours."""

from __future__ import annotations

import contextlib
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.sources.errors import BadAnswerError
from gpuatlas.sources.promapi.client import _selection

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)
POINT = st.tuples(st.integers(0, 100) | st.floats(0, 100), st.sampled_from(["1", "NaN", "x"]))
ENTRY = st.fixed_dictionaries(
    {},
    optional={
        "metric": JSON | st.dictionaries(st.sampled_from(["__name__", "a"]), st.text() | JSON),
        "values": JSON | st.lists(POINT | JSON, max_size=3),
    },
)


@settings(max_examples=150, deadline=None)
@given(st.lists(ENTRY | JSON, max_size=5) | JSON, JSON)
def test_entries_of_any_shape(entries: object, warnings: object) -> None:
    data = {"resultType": "matrix", "result": entries}
    answer = {"status": "success", "data": data, "warnings": warnings}
    body = json.dumps(answer).encode()
    try:
        selection = _selection(body, "prom")
    except BadAnswerError:
        return
    assert isinstance(entries, list | str | dict)
    assert len(selection.series) + selection.unreadable == len(entries)
    for series in selection.series:
        assert series.newest_at in series.points
        assert all(isinstance(text, str) for text in series.points.values())
        assert all(isinstance(text, str) for text in series.labels.values())


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_bodies_of_any_kind(body: bytes) -> None:
    with contextlib.suppress(BadAnswerError):
        _selection(body, "prom")
