"""Command lines as words, in linear time.

Charts wrap the real command in `bash -c "..."`, so quotes count as spaces and shell operators as
ends of a command. This is no shell: it finds words, it does not expand anything. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

# Annotations end at 256 KiB and no honest command line comes near; what is beyond is not looked at.
MAX_COMMAND_TEXT: Final = 262_144
END: Final = ";"

# Neither alternative can match what the other does, so there is nothing to try twice.
_TOKEN: Final = re.compile(r"""[^\s'"`;|&()<>\\]+|\\\W?|[`;|&()<>\n]""")
# After one of these come names of packages or folders, not programs.
_NO_COMMAND_AFTER: Final = frozenset({"install", "uninstall", "download", "cd", "mkdir"})


def command_text(command: object, args: object) -> str:
    """Command and arguments of one container as one text; values of other types are left out."""
    parts: list[str] = []
    size = 0
    for words in (command, args):
        for word in words if isinstance(words, list) else ():
            if not isinstance(word, str):
                continue
            parts.append(word)
            size += len(word) + 1
            if size > MAX_COMMAND_TEXT:
                return " ".join(parts)[:MAX_COMMAND_TEXT]
    return " ".join(parts)


def split_words(text: str) -> list[str]:
    """The words; `END` stands where a command ends."""
    return list(_words(text))


def _words(text: str) -> Iterator[str]:
    skipping = False
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token[0] in "`;|&()<>\n":
            skipping = False
            yield END
        elif token[0] == "\\" or skipping:
            continue
        else:
            yield token
            skipping = token in _NO_COMMAND_AFTER


def base_name(word: str) -> str:
    """A program without its folder."""
    return word.rpartition("/")[2]


def option_name(word: str) -> str:
    """An option without its value, in dashes: Python programs take underscores as well."""
    if not word.startswith("-"):
        return ""
    return word.partition("=")[0].replace("_", "-")


def joined(parts: Iterable[Iterable[str]]) -> list[str]:
    """Groups of words as one list in which no two groups can be read together."""
    result: list[str] = []
    for part in parts:
        words = list(part)
        if words:
            result += [END, *words] if result else words
    return result
