"""How a Prometheus HTTP API is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit


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


def is_usable(url: str) -> bool:
    """Whether it is an http or https URL with a host, and with a port that there is, if any.

    None with an @ behind the host is: it belongs to a password in which a / was not written as
    %2F, and half of that password would count as the path, which messages show.
    """
    try:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or "@" in url.partition(parts.netloc)[2]:
            return False
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def names_user(url: str) -> bool:
    """Whether a user name or a password stands in the URL."""
    try:
        return "@" in urlsplit(url).netloc
    except ValueError:
        return False
