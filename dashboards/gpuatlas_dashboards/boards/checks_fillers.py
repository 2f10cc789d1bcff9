"""Words without meaning behind a key, so that its row in a table is high enough for its text.

A value mapping shows a key such as "H05|margin" as a text. Grafana 12 measures the height of a row
by the value and not by the text, which would be cut. Nobody sees the filler: the mapping takes the
whole value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from gpuatlas_dashboards.boards.checks_words import advice_in_all_languages

_WORD: Final = "nnnn "  # about as wide as letters are on average
_WIDE: Final = "⺀"  # letters from here on are about twice as wide


def filled(expr: str, of: str, lengths: Mapping[str, int], steps: tuple[int, ...]) -> str:
    """PromQL with the label `filler`, by the key in the label `of`.

    `lengths` are those of the texts in letters; a text gets the shortest step that holds it. What
    has no text gets the first step.
    """
    found = f'label_replace({expr}, "filler", "{_words(steps[0])}", "", "")'
    for below, step in pairwise(steps):
        keys = [key for key, length in lengths.items() if below < length]
        if keys:
            pattern = "|".join(re.escape(key).replace("\\", "\\\\") for key in keys)
            found = f'label_replace({found}, "filler", "{_words(step)}", "{of}", "{pattern}")'
    return found


def _words(letters: int) -> str:
    return (_WORD * (letters // len(_WORD))).strip()


def length(text: str) -> int:
    """How long a text is, in letters of average width."""
    return sum(2 if letter >= _WIDE else 1 for letter in text)


# The longest over all languages, so that their boards ask the same.
TOGETHER: Final = {
    key: max(length(text) for text in texts) for key, texts in advice_in_all_languages().items()
}
