"""How a Prometheus HTTP API is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

_CHARACTER: Final = (
    "has a blank, a line break or another invisible character: leave it out, or write a blank that "
    "belongs there as %20"
)
_BEGINNING: Final = "must begin with http:// or https:// and name a host"
_SECOND_AT: Final = (
    "has an @ behind its host: write a /, ?, # or @ of a user name, a password or a path as %2F, "
    "%3F, %23 or %40"
)
_BACKSLASH: Final = (
    "has a \\: write / where a path has it, and %5C where a user name or a password has it"
)
_PORT: Final = "must have a port from 1 to 65535 behind its host, or none"
_BEHIND_THE_PATH: Final = {
    "?": "has a query: end it before the ?, since /api/v1 is put behind it; a token belongs into "
    "the file of --prometheus-bearer-token-file",
    "#": "has a fragment: end it before the #, since /api/v1 is put behind it",
}
_API: Final = "ends with /api/v1, which is put behind it: leave that out"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrometheusSettings:
    """Where it is, who we are, and the bounds. Times are seconds."""

    url: str = field(repr=False)
    """Base URL, with the prefix that the server is under, if any: what stands before `/api/v1`.
    A user name and password in it are sent as basic authentication; nothing may show them."""

    bearer_token_file: Path | None = None
    """File with a bearer token. Read again for each query, since such tokens are rotated."""

    username_file: Path | None = None
    password_file: Path | None = None
    """Files with what basic authentication sends, both or none. Read again for each query."""

    ca_file: Path | None = None
    """PEM file of the authorities to trust; None trusts those of `requests` (certifi)."""

    insecure: bool = False
    """Verify no certificate. Whoever sits between can then read the token and forge all numbers."""

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Further headers, such as the tenant of Mimir and Thanos (`X-Scope-OrgID`)."""

    matchers: Mapping[str, str] = field(default_factory=dict)
    """Labels that all series must have, such as `cluster` on a server that holds several clusters;
    without it such a server's answers are refused, because node names repeat between clusters."""

    timeout: float = 20.0
    """The most that one query may take."""

    round_timeout: float = 60.0
    """The most that the queries of a round may take together, give or take one query."""

    limit_bytes: int = 128 * 1024 * 1024
    """The largest answer, decompressed. A family of 8,000 cards takes about 8 MiB."""

    workers: int = 4
    """Queries at once."""

    page_max_age: float = 90.0
    """Scrapes that are older are not used: Prometheus itself would still answer with series up to
    five minutes after their end. It is also how long pages outlive failing queries."""


def problem_of_url(url: str) -> str:
    """Why no Prometheus can be asked at this URL and what to write, "" where one can.

    Nothing of the URL itself is in it: any part may belong to a password in which a / was not
    written as %2F.
    """
    if problem := _problem_of_characters(url):
        return problem
    try:
        parts = urlsplit(url)
    except ValueError:
        return _BEGINNING
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return _BEGINNING
    # Half of the password would count as the path, which messages show.
    if "@" in f"{parts.path}{parts.query}{parts.fragment}":
        return _SECOND_AT
    if not _has_port(parts):
        return _PORT
    return _problem_behind_the_host(url)


def _problem_of_characters(url: str) -> str:
    if " " in url or not url.isprintable():
        return _CHARACTER
    # For urlsplit() it belongs to the user, for the client the host ends before it: with
    # http://DOMAIN\user:password@host the password would be sent to DOMAIN.
    return _BACKSLASH if "\\" in url else ""


def _has_port(parts: SplitResult) -> bool:
    """Whether there is such a port, if one is named."""
    try:
        return parts.port != 0
    except ValueError:
        return False


def _problem_behind_the_host(url: str) -> str:
    # Also where nothing follows the separator: the paths of the API would.
    for separator in url:
        if separator in _BEHIND_THE_PATH:
            return _BEHIND_THE_PATH[separator]
    return _API if url.rstrip("/").endswith("/api/v1") else ""


def names_user(url: str) -> bool:
    """Whether a user name or a password stands in the URL."""
    try:
        return "@" in urlsplit(url).netloc
    except ValueError:
        return False
