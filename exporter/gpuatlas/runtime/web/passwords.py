"""Checks basic-auth passwords against bcrypt hashes, at most one at a time and once each.

bcrypt is slow on purpose (about 70 ms at cost 10), and a scraper sends its password every few
seconds: a pair that was right once is remembered as a keyed digest, and compared in constant time.
An unknown user costs as much time as a known one, so nobody can learn the names by the clock.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import threading
from collections.abc import Mapping
from typing import Final

import bcrypt

# A queue of guesses must not hold all threads of the server.
MAX_WAIT_SECONDS: Final = 1.0


class BusyError(Exception):
    """Other passwords are being checked: the client may try again."""


class PasswordChecker:
    """Remembers the last right password of each user. Thread-safe."""

    def __init__(self, max_wait_seconds: float = MAX_WAIT_SECONDS) -> None:
        self._max_wait = max_wait_seconds
        self._key = secrets.token_bytes(32)
        self._right: dict[str, bytes] = {}
        self._turn = threading.Lock()

    def check(self, authorization: str, users: Mapping[str, str]) -> bool:
        """Whether the `Authorization` header names one of `users` (name → hash) and its password.

        Raises:
            BusyError: the check could not begin in time.
        """
        credentials = _decode_basic(authorization)
        if credentials is None or not users:
            return False
        user, password = credentials
        known = user in users
        hashed = users.get(user) or next(iter(users.values()))
        digest = self._digest(user, hashed, password)
        if known and hmac.compare_digest(self._right.get(user, b""), digest):
            return True
        if not (self._matches(password, hashed) and known):
            return False
        self._right[user] = digest
        return True

    def _digest(self, user: str, hashed: str, password: bytes) -> bytes:
        parts = (user.encode(), hashed.encode(), password)
        text = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        return hmac.new(self._key, text, hashlib.sha256).digest()

    def _matches(self, password: bytes, hashed: str) -> bool:
        if not self._turn.acquire(timeout=self._max_wait):
            raise BusyError
        try:
            return bcrypt.checkpw(password, hashed.encode())
        except ValueError:
            # Longer than bcrypt's 72 bytes, or with a NUL inside: no such password was ever hashed.
            return False
        finally:
            self._turn.release()


def _decode_basic(authorization: str) -> tuple[str, bytes] | None:
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        decoded = base64.b64decode(encoded.strip(), validate=True)
        user, colon, password = decoded.partition(b":")
        return (user.decode(), password) if colon else None
    except (binascii.Error, UnicodeError, ValueError):
        return None
