"""The replacements: one for each name, given out once and kept. No order of names is lost."""

from __future__ import annotations

import hashlib
import ipaddress
import re
import string
from typing import Final

from gpuatlas.sources.capture.anonymise.vocabulary import is_uuid

_HEX: Final = re.compile(r"[0-9a-f]+|[0-9A-F]+")


class Names:
    """Original → replacement. A random `key` keeps ids and suffixes from being guessed back."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._given: dict[str, str] = {}
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}

    def known(self, text: str) -> str | None:
        """The replacement that was given out for a name, or None."""
        return self._given.get(text)

    def keep(self, text: str) -> None:
        """A name that may stay."""
        self.give(text, text)

    def numbered(self, text: str, word: str) -> str:
        """The next of "word-1", "word-2" …, once for each name; "" stays."""
        if not text or text in self._given:
            return self._given.get(text, "")
        while True:
            self._numbers[word] = self._numbers.get(word, 0) + 1
            replacement = f"{word}-{self._numbers[word]}"
            if replacement not in self._taken:
                return self.give(text, replacement)

    def below(self, text: str, parent: str, word: str) -> str:
        """A name made of its parent's and a suffix ("chat-7d9f8c", "web-0") keeps that form."""
        if text in self._given:
            return self._given[text]
        above = self._given.get(parent)
        if above is None or not text.startswith(f"{parent}-"):
            return self.numbered(text, word)
        suffix = text.removeprefix(f"{parent}-")
        return self.give(text, f"{above}-{self.suffix(suffix)}")

    def below_node(self, card: str, node: str) -> None:
        """A card's id. What HAMi made up from the node's name keeps the part behind it.

        facts/hami.md 2.3. UUIDs are replaced where they are found; other ids are scrambled.
        """
        above = self._given.get(node)
        if above is not None and card.startswith(f"{node}-"):
            self.give(card, f"{above}{card.removeprefix(node)}")
        elif not is_uuid(card):
            self.scrambled(card)

    def suffix(self, text: str) -> str:
        """A hash or an ordinal at the end of a name; numbers tell an order or a time, and stay."""
        return text if text.isdecimal() else self.scrambled(text)

    def scrambled(self, text: str) -> str:
        """Other letters and digits in the same places: UUIDs stay UUIDs."""
        if text in self._given:
            return self._given[text]
        for attempt in range(256):
            candidate = self._scramble(text, attempt)
            if candidate not in self._taken:
                break
        return self.give(text, candidate)

    def address(self, text: str) -> str:
        """The next address of 10.0.0.0/8, or of 2001:db8::/32 for IPv6."""
        if text in self._given:
            return self._given[text]
        family = ipaddress.ip_address(text).version
        number = self._numbers[f"v{family}"] = self._numbers.get(f"v{family}", 0) + 1
        base = "10.0.0.0" if family == 4 else "2001:db8::"  # noqa: PLR2004 IP versions
        return self.give(text, str(ipaddress.ip_address(base) + number))

    def give(self, text: str, replacement: str) -> str:
        """Decides the replacement of a name."""
        self._given[text] = replacement
        self._taken.add(replacement)
        return replacement

    def _scramble(self, text: str, attempt: int) -> str:
        seed = hashlib.blake2b(f"{attempt}/{text}".encode(), key=self._key).digest()
        # Long enough for every id that is read; longer ones repeat.
        stream = hashlib.shake_256(seed).digest(max(len(text), 1))
        letters = _letters_of(text)
        return "".join(_swap(c, stream[i], letters) for i, c in enumerate(text))


def _letters_of(text: str) -> int:
    """Six letters for hexadecimal text, else all: an id of hex digits stays one."""
    plain = "".join(c for c in text if c.isascii() and c.isalnum())
    return 6 if _HEX.fullmatch(plain) else 26


def _swap(character: str, byte: int, letters: int) -> str:
    if character in string.digits:
        return string.digits[byte % 10]
    if character in string.ascii_lowercase:
        return string.ascii_lowercase[byte % letters]
    if character in string.ascii_uppercase:
        return string.ascii_uppercase[byte % letters]
    return character
