"""HTTP sessions for servers on loopback."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import requests


def loopback_session(
    *, ca: Path | None = None, headers: Mapping[str, str] | None = None
) -> requests.Session:
    """A session that trusts ``ca`` alone and ignores proxies and CA bundles of the environment."""
    session = requests.Session()
    session.trust_env = False
    session.verify = True if ca is None else str(ca)
    session.headers.update(headers or {})
    return session
