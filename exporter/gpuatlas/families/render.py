"""Sample lines of metric families. Fast: a page has some 450,000 lines and one core renders them.

Both exposition formats have the same sample lines; only the headers differ (`exposition`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeVar

from gpuatlas.families.spec import Family, Series

E = TypeVar("E")


def render_group(families: Sequence[Family[E]], entity: E) -> tuple[bytes, ...]:
    """The sample lines of one entity: one fragment for each family, b"" where it has no samples.

    A series that an entity yields twice is written once, the first one: a reader would refuse the
    second. A number that is not finite is no measurement and is left out. Text that UTF-8 cannot
    hold (lone surrogates) becomes "?".
    """
    # Most families of an entity carry the same label sets, so each is escaped and joined once.
    texts = {family.labels: _LabelTexts(family.labels) for family in families}
    return tuple(
        _lines(family.name, family.samples(entity), texts[family.labels]) for family in families
    )


def escape(value: str) -> str:
    r"""A label value as it stands between quotes: `\`, `"` and line feeds escaped."""
    if "\\" in value or '"' in value or "\n" in value:  # rare, and the test is cheap
        value = value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return value


def number_text(number: float) -> str:
    """Text that reads back as exactly this number: integers in full, others by `repr`."""
    return repr(float(number)) if isinstance(number, float) else str(int(number))


class _LabelTexts(dict[tuple[str, ...], str]):
    """Label values → `{name="value",…}`, remembered."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__()
        self._names = names

    def __missing__(self, values: tuple[str, ...]) -> str:
        pairs = zip(self._names, values, strict=True)
        body = ",".join([f'{name}="{escape(value)}"' for name, value in pairs])
        text = self[values] = f"{{{body}}}" if body else ""
        return text


def _lines(name: str, samples: Iterable[Series], texts: _LabelTexts) -> bytes:
    numbers: dict[str, float] = {}
    for values, number in samples:
        if math.isfinite(number):
            numbers.setdefault(texts[values], number)
    text = "".join(
        [f"{name}{labels} {number_text(number)}\n" for labels, number in numbers.items()]
    )
    return text.encode(errors="replace")
