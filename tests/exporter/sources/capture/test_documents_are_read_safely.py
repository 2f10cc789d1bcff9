from __future__ import annotations

import contextlib
import re
import time
from typing import Any

import orjson
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.sources.capture.contents import CaptureError
from gpuatlas.sources.capture.documents import MAX_ALIASED_VALUES, read_json, read_yaml


def one(text: str) -> Any:
    (document,) = read_yaml(text.encode(), name="x.yaml")
    return document.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1", {"a": 1}),
        ("a: '1'", {"a": "1"}),
        ("a: [true, False, null, ~, 1.5, -3, 1e3]", {"a": [True, False, None, None, 1.5, -3, 1e3]}),
        ("gpu: on", {"gpu": "on"}),
        ("a: yes", {"a": "yes"}),
        ("at: 2026-08-21T10:11:12Z", {"at": "2026-08-21T10:11:12Z"}),
        ("a: 0x10", {"a": "0x10"}),
        ("a: !!str 1", {"a": "1"}),
        ("a: &x {b: 1}\nc: *x", {"a": {"b": 1}, "c": {"b": 1}}),
        ("a: &x text\nc: *x", {"a": "text", "c": "text"}),
        ("a:\nb: ''", {"a": None, "b": ""}),
        ("a: |\n  two\n  lines\n", {"a": "two\nlines\n"}),
        ("1: a\ntrue: b", {"1": "a", "true": "b"}),
    ],
)
def test_values(text: str, value: Any) -> None:
    assert one(text) == value


def test_documents_of_a_file_come_one_by_one_with_their_lines() -> None:
    documents = list(read_yaml(b"# first\na: 1\n---\n---\n\nb: 2\n", name="x.yaml"))

    assert [(d.value, d.line) for d in documents] == [({"a": 1}, 2), ({"b": 2}, 6)]


def test_items_of_a_list_know_their_line() -> None:
    (document,) = read_yaml(b"kind: List\nitems:\n- a: 1\n- a: 2\n  b: 3\n", name="x.yaml")

    assert [document.line_of(item) for item in document.value["items"]] == [3, 4]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: [1, 2", "x.yaml:3: not YAML: did not find expected ',' or ']'"),
        ("a: 1\n  b: 2", "x.yaml:2: not YAML: mapping values are not allowed in this context"),
        ("a: 1\nb: \x01", "x.yaml:2: not text: control characters are not allowed"),
        ("a: 1\na: 2", 'x.yaml:2: the key "a" appears twice'),
        ("a: !!python/object:os.system x", "x.yaml:1: the tag tag:yaml.org,2002:python/object"),
        ("- 1\n- !secret x", "x.yaml:2: the tag !secret is not allowed in a capture"),
        ("a: &x {b: *x}", "x.yaml:1: the alias *x stands inside itself or for nothing"),
        ("a: *nothing", "x.yaml:1: the alias *nothing stands inside itself or for nothing"),
        ("? [a, b]\n: 1", "x.yaml:1: a key must be plain text"),
        ("{" * 65 + "a: 1" + "}" * 65, "x.yaml:1: a key must be plain text"),
        ("[" * 65 + "]" * 65, "x.yaml:1: nested deeper than 64 levels"),
        ("[" * 5000, "x.yaml:1:"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(CaptureError) as error:
        list(read_yaml(text.encode(), name="x.yaml"))

    assert str(error.value).startswith(said)


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(CaptureError, match=r"x\.yaml:2: not text: invalid leading UTF-8 octet"):
        list(read_yaml(b"a: 1\nb: \xff\xfe\n", name="x.yaml"))


def test_a_bomb_of_aliases_is_defused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    started = time.process_time()

    with pytest.raises(CaptureError, match=f"stand for more than {MAX_ALIASED_VALUES} values"):
        list(read_yaml("\n".join(lines).encode(), name="x.yaml"))
    assert time.process_time() - started < 5  # expanded it would be 10**12 values


def test_json_names_the_line() -> None:
    with pytest.raises(CaptureError, match=r"x\.json:3: not JSON: "):
        list(read_json(b'{\n"a": 1,\n"b" 2}', name="x.json"))


# A number without a point to YAML 1.2 and to kubectl; to this writer, of YAML 1.1, a text.
EXPONENT = re.compile(r"[-+]?[0-9]+[eE][-+]?[0-9]+")
TEXT = st.text(max_size=20).filter(lambda text: EXPONENT.fullmatch(text) is None)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda children: (
        st.lists(children, max_size=4) | st.dictionaries(TEXT.filter(bool), children, max_size=4)
    ),
    max_leaves=20,
)


@settings(deadline=None, max_examples=150)
@given(PLAIN)
def test_what_a_yaml_writer_wrote_reads_back(value: Any) -> None:
    written = yaml.safe_dump(value).encode()
    read = [document.value for document in read_yaml(written, name="x")]

    assert read == ([] if value is None else [value])


@settings(deadline=None, max_examples=150)
@given(PLAIN)
def test_json_reads_back_as_yaml_too(value: Any) -> None:
    written = orjson.dumps({"v": value})

    assert [d.value for d in read_json(written, name="x")] == [{"v": value}]


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=200) | st.text("abc:-[]{}&*!?|>'\"#%@\n \t", max_size=60).map(str.encode))
def test_no_bytes_raise_anything_else(body: bytes) -> None:
    for reader in (read_yaml, read_json):
        with contextlib.suppress(CaptureError):
            list(reader(body, name="x"))
