"""How values of the checks are written: states, severities, names, causes and actions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpuatlas_dashboards.check_catalogue import checks
from gpuatlas_dashboards.panels.fields import text_of_pattern, texts_of_values
from gpuatlas_dashboards.tokens import (
    CHECK_STATE_CODES,
    CHECK_STATE_COLOURS,
    CHECK_STATE_MARKS,
    SEVERITY_CODES,
    SEVERITY_COLOURS,
    CheckState,
    Severity,
)

Json = dict[str, Any]

_UNUSED: Final = "[^|]*"
_NAME: Final = "([^|]+)"
# An object is written Kind/namespace/name, or Kind/name where it has no namespace.
_KIND_AND_NAME: Final = "([^|/]+)/(?:[^|/]+/)?([^|/]+)"


def check_state_text(state: CheckState, words: Mapping[CheckState, str]) -> str:
    """Mark and word, as in "✖ firing"."""
    return f"{CHECK_STATE_MARKS[state]} {words[state]}"


def check_state_codes(words: Mapping[CheckState, str]) -> Json:
    """For values of the signal `check.state`."""
    return texts_of_values(
        {
            str(code): (check_state_text(state, words), CHECK_STATE_COLOURS[state])
            for state, code in CHECK_STATE_CODES.items()
        }
    )


def grades(words: Mapping[Severity, str]) -> Json:
    """For severities as numbers, the gravest 0, so that they are sorted."""
    gravest = max(SEVERITY_CODES.values())
    return texts_of_values(
        {str(gravest - code): (words[s], SEVERITY_COLOURS[s]) for s, code in SEVERITY_CODES.items()}
    )


def texts(words: Mapping[str, str]) -> Json:
    """From keys to words without colours."""
    return texts_of_values({key: (word, "") for key, word in words.items()})


def runbook_pages() -> Json:
    """From checks to the paths of their pages."""
    return texts({check.id: check.runbook for check in checks()})


def with_places(words: Mapping[str, str], places: Sequence[str]) -> list[Json]:
    """From "KEY|PLACE|PLACE…|FILLER" to the words of KEY; `<node>` becomes the node's name.

    Where a name is missing, the words stay as they are.
    """
    return [mapping for key, text in words.items() for mapping in _of_key(key, text, places)]


def _of_key(key: str, text: str, places: Sequence[str]) -> list[Json]:
    start = re.escape(key).replace("/", "\\/")
    plain = text.replace("$", "$$")
    filled, pattern, group = plain, "", 1
    for place in places:
        mark = "<kind>/<name>" if place == "object" else f"<{place}>"
        if mark not in plain:
            pattern += rf"\|{_UNUSED}"
            continue
        part = _KIND_AND_NAME if place == "object" else _NAME
        names = [f"${group + number}" for number in range(re.compile(part).groups)]
        filled = filled.replace(mark, "/".join(names))
        pattern += rf"\|{part}"
        group += len(names)
    anyhow = text_of_pattern(rf"/^{start}\|.*$/", plain)
    if filled == plain:
        return [anyhow]
    return [text_of_pattern(rf"/^{start}{pattern}\|.*$/", filled), anyhow]
