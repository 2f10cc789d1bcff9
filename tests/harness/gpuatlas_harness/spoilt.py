"""Objects as nobody writes them: junk, and recorded ones of which parts are junk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from gpuatlas.model.rejections import MalformedError

JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)


def junk_of(
    words: Sequence[str], texts: st.SearchStrategy[str], *, most: int
) -> st.SearchStrategy[object]:
    """Junk whose fields are often called by words that are read; numbers are up to `most`."""
    return st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(-9, most), st.floats(), texts),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.one_of(st.sampled_from(words), st.text(max_size=5)), inner, max_size=5
            ),
        ),
        max_leaves=30,
    )


def spoilt(
    draw: Callable[..., Any], raw: object, junk: st.SearchStrategy[object], *, depth: int
) -> Any:
    """An object of which one to three parts, as deep as that, are junk."""
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.lists(st.integers(0, 20), min_size=1, max_size=depth))
        raw = _replaced(raw, path, draw(junk))
    return raw


def _replaced(raw: object, path: Sequence[int], value: object) -> object:
    """`raw` with one part, found by following `path`, replaced by `value`."""
    if not path or not isinstance(raw, dict | list) or not raw:
        return value
    keys = list(raw) if isinstance(raw, dict) else range(len(raw))
    chosen = keys[path[0] % len(keys)]
    changed: Any = raw.copy()
    changed[chosen] = _replaced(raw[chosen], path[1:], value)
    return changed


def outcome(project: Callable[[object], object], raw: object) -> object:
    """The projection, or the refusal. As text: NaN is not equal to itself."""
    try:
        return repr(project(raw))
    except MalformedError as error:
        return error.reason, str(error)
