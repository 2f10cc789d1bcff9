"""Free text: labels, annotations, addresses. Piece by piece; what is not harmless is replaced."""

from __future__ import annotations

import ipaddress
import re
from typing import Any, Final

import orjson

from gpuatlas.sources.capture.anonymise.names import Names
from gpuatlas.sources.capture.anonymise.vocabulary import JSON_KEY, UUID, is_harmless

_PIECE: Final = re.compile(r"""[^\s,;:|"'\[\]{}()=/\\_#@<>]+""")
_IPV6: Final = re.compile(r"(?<![0-9A-Za-z:.])[0-9a-fA-F:]{2,39}(?![0-9A-Za-z:.])")


def pieces_of(text: str) -> list[str]:
    """What stands between separators."""
    return _PIECE.findall(text)


class Texts:
    """Replaces text by `names`; `models` are pieces of card models, which stay."""

    def __init__(self, names: Names, models: frozenset[str] = frozenset()) -> None:
        self._names = names
        self._models = models

    def replace(self, text: str) -> str:
        """The text with its pieces replaced; JSON stays JSON."""
        if text[:1] in {"[", "{"}:
            try:
                return orjson.dumps(self._json(orjson.loads(text))).decode()
            except (orjson.JSONDecodeError, orjson.JSONEncodeError):
                pass
        return self.plain(text)

    def plain(self, text: str) -> str:
        """The text as a sequence of pieces between separators."""
        known = self._names.known(text)
        if known is not None and not is_harmless(text):
            return known
        text = _IPV6.sub(self._address, text)
        return _PIECE.sub(lambda match: self._piece(match[0]), text)

    def _json(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {self._json_key(key): self._json(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._json(item) for item in value]
        return self.plain(value) if isinstance(value, str) else value

    def _json_key(self, key: str) -> str:
        return key if JSON_KEY.fullmatch(key) else self.plain(key)

    def _address(self, match: re.Match[str]) -> str:
        text = match[0]
        if text.count(":") < 2:  # noqa: PLR2004 the shortest, "::", has two
            return text
        try:
            ipaddress.IPv6Address(text)
        except ValueError:
            return text
        return self._names.address(text)

    def _piece(self, piece: str) -> str:
        if _is_ipv4(piece):
            return self._names.address(piece)
        if piece in self._models or is_harmless(piece):
            return piece
        known = self._names.known(piece)
        if known is not None:
            return known
        if UUID.search(piece):
            return UUID.sub(lambda match: self._names.scrambled(match[0]), piece)
        return self._names.numbered(piece, "word")


def _is_ipv4(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True
