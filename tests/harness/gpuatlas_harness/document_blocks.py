"""What a document tells people to type: fenced blocks and the commands in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

DOCUMENTS: Final = Path(__file__).parents[3] / "docs"
_BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NAME: Final = re.compile(r"# (\S+\.ya?ml)\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block; `name` is the file that its first line names, "" for none."""

    document: str
    language: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.document}: {self.name or self.text.partition(chr(10))[0]}"


def blocks(document: str, language: str) -> tuple[Block, ...]:
    """The blocks of one language in docs/."""
    text = (DOCUMENTS / document).read_text("utf-8")
    return tuple(
        Block(document=document, language=language, name=_name(body), text=body)
        for found, body in _BLOCK.findall(text)
        if found == language
    )


def _name(body: str) -> str:
    named = _NAME.match(body)
    return named[1] if named else ""


def commands(document: str, program: str) -> tuple[tuple[str, ...], ...]:
    """The words behind `program` wherever a line of a shell block runs it, also in a pod."""
    return tuple(
        tuple(words[at + 1 :])
        for words in _lines(document)
        for at, word in enumerate(words)
        if word == program and (at == 0 or words[at - 1] in {"--", "do", ";"})
    )


def _lines(document: str) -> Iterator[list[str]]:
    for block in blocks(document, "sh"):
        for line in block.text.replace("\\\n", " ").splitlines():
            yield shlex.split(line, comments=True)
