"""Single values of YAML and JSON texts, their places, and texts that want too much."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.layer.scalars import Scalar, read_scalars


def read(text: str) -> list[Scalar]:
    return list(read_scalars(text))


def test_values_have_their_path_line_and_record() -> None:
    text = '# x\na:\n  b: 1.5   # one\n  c: "two"\n  d:\n  - x\n  - {e: ~}\n'
    assert read(text) == [
        Scalar(("a", "b"), "1.5", plain=True, line=3, record="b: 1.5"),
        Scalar(("a", "c"), "two", plain=False, line=4, record='c: "two"'),
        Scalar(("a", "d", 0), "x", plain=True, line=6, record="x"),
        Scalar(("a", "d", 1, "e"), "~", plain=True, line=7, record="e: ~"),
    ]


def test_json_is_read_alike_with_tabs_too() -> None:
    text = '{\n\t"a": [{"b":1, "c" : "\\u00e9"}]\n}'
    assert read(text) == [
        Scalar(("a", 0, "b"), "1", plain=True, line=2, record='"b":1'),
        Scalar(("a", 0, "c"), "é", plain=False, line=2, record='"c" : "\\u00e9"'),
    ]


def test_characters_that_json_escapes_as_two_are_replaced() -> None:
    (found,) = read(json.dumps({"a": "x\N{GRINNING FACE}"}))
    assert (found.path, found.text) == (("a",), "x\ufffd\ufffd")


def test_a_record_is_one_line_of_bounded_length() -> None:
    (long,) = read(f"a: {'x' * 500}")
    assert len(long.record) == 200
    (folded,) = read("a:\n  b\n  c\n")
    assert (folded.text, folded.record) == ("b c", "a:")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1.0),
        ("-2.5e3", -2500.0),
        (".5", 0.5),
        ("'1'", None),
        ("0x10", None),
        ("1_000", None),
        (".inf", None),
        ("nan", None),
        ("true", None),
    ],
)
def test_numbers_are_plain_decimal_ones(text: str, number: float | None) -> None:
    (found,) = read(f"a: {text}")
    assert found.number == number


@pytest.mark.parametrize("text", ["a:", "a: ~", "a: null", '{"a": null}'])
def test_nothing_is_null(text: str) -> None:
    (found,) = read(text)
    assert found.is_null


def test_only_the_first_document_is_read() -> None:
    assert [one.text for one in read("a: 1\n---\na: 2\n")] == ["1"]


def test_an_alias_of_a_value_gives_the_value_and_one_of_more_nothing() -> None:
    text = "a: &one 5\nb: &many [1]\nc: *one\nd: *many\ne: {<<: *many, f: 6}\n"
    assert [(one.path, one.text) for one in read(text)] == [
        (("a",), "5"),
        (("b", 0), "1"),
        (("c",), "5"),
        (("e", "f"), "6"),
    ]


def test_a_bomb_of_aliases_costs_its_own_length() -> None:
    lines = ["a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    assert len(read("\n".join(lines))) == 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: [", "line 3: not YAML: "),
        ("a: 1\n\tb: 2", "line 2: not YAML: "),
        ("a: *nobody", "line 1: the alias *nobody stands for nothing"),
        ("? [a]\n: b", "line 1: a key must be plain text"),
        ("? *x\n: b", "line 1: a key must be plain text"),
        ("a: \x00", "line 1: not text: "),
        ("a: \ud800", "line 1: not text: "),
        ("[" * 65 + "]" * 65, "line 1: nested deeper than 64 levels"),
        ("{" * 500_000, "line 1: "),
    ],
)
def test_texts_that_cannot_be_read_say_the_line(text: str, message: str) -> None:
    with pytest.raises(MalformedError) as caught:
        read(text)
    assert str(caught.value).startswith(message)
    assert caught.value.reason == "bad-text"


def flat(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], str]]:
    if isinstance(value, dict):
        return [found for key, inner in value.items() for found in flat(inner, (*path, key))]
    if isinstance(value, list):
        return [found for n, inner in enumerate(value) for found in flat(inner, (*path, n))]
    return [(path, value if isinstance(value, str) else json.dumps(value))]


WORDS = st.text(max_size=12, alphabet=st.characters(codec="utf-8", max_codepoint=0xFFFF))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None, max_examples=200)
@given(value=JSON, indent=st.sampled_from([None, 1, 4]))
def test_every_value_of_any_json_is_found_in_order(value: Any, indent: int | None) -> None:
    found = read(json.dumps(value, indent=indent))
    assert [(one.path, one.text) for one in found] == flat(value)


@settings(deadline=None, max_examples=300)
@given(text=st.text(max_size=80) | st.text(alphabet="{}[]:,&*a-\n 1\"'#|>?!%@", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = read(text)
    except MalformedError:
        return
    assert all(len(one.record) <= 200 and "\n" not in one.record for one in found)
