"""What Alertmanager's page for a new silence reads out of a link to it.

The page is an Elm program. It takes what stands behind ``#``, splits its query at ``&`` and ``=``,
decodes percent signs (and leaves ``+`` a plus), and reads matchers in braces. Up to 0.31 it takes a
quoted value as it is, since 0.32 as a JSON string.
"""

from __future__ import annotations

import json
import re
from typing import Final
from urllib.parse import unquote

_MATCHER: Final = re.compile(r'\s*(\w+)\s*(=~|!~|!=|=)("(?:[^"\\]|\\.)*")\s*')


def matchers_of(link: str, *, quotes_are_json: bool = True) -> dict[str, str]:
    """Names and values of the matchers, all of which must be ``=``.

    Raises:
        ValueError: the page would open without matchers.
    """
    _, _, behind = link.partition("#")
    path, _, query = behind.partition("?")
    pairs = [part.split("=") for part in query.split("&")]
    filters = [unquote(pair[1]) for pair in pairs if len(pair) == 2 and pair[0] == "filter"]
    if path != "/silences/new" or len(filters) != 1:
        message = f"no form with one filter: {link}"
        raise ValueError(message)
    return _read(filters[0], quotes_are_json=quotes_are_json)


def _read(text: str, *, quotes_are_json: bool) -> dict[str, str]:
    if not (text.startswith("{") and text.endswith("}")):
        message = f"no braces around {text}"
        raise ValueError(message)
    found, place, end = {}, 1, len(text) - 1
    while place < end:
        match = _MATCHER.match(text, place, end)
        if match is None or match[2] != "=" or text[match.end()] not in ",}":
            message = f"no matcher at {text[place:]}"
            raise ValueError(message)
        found[match[1]] = str(json.loads(match[3])) if quotes_are_json else match[3][1:-1]
        place = match.end() + 1
    return found
