"""Ways to log in to a Prometheus: by a token, by a user name and a password, by neither."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

TOKEN: Final = "prometheus_bearer_token_file"  # noqa: S105 (the name of an option)
USERNAME: Final = "prometheus_username_file"
PASSWORD: Final = "prometheus_password_file"  # noqa: S105 (the name of an option)
FILES: Final = (TOKEN, USERNAME, PASSWORD)
HEADER: Final = "prometheus_header"


def problem_of_login(options: Mapping[str, Any]) -> tuple[str, str] | None:
    """The option that is wrong and why, None where there is at most one whole way to log in.

    Two would not fail: one of them would be sent, and nobody would know which.
    """
    from gpuatlas.sources.promapi.settings import names_user

    for given, lacking in ((USERNAME, PASSWORD), (PASSWORD, USERNAME)):
        if options[given] and not options[lacking]:
            return given, f"needs --{lacking.replace('_', '-')}"
    if options[TOKEN] and options[USERNAME]:
        return TOKEN, "and --prometheus-username-file are two ways to log in: leave one away"
    has_user = names_user(options["prometheus_url"])
    if has_user and (options[TOKEN] or options[USERNAME]):
        return (
            "prometheus_url",
            "has a user of its own beside the file to log in with: leave it out",
        )
    if _logs_in(options[HEADER]) and (has_user or options[TOKEN] or options[USERNAME]):
        return HEADER, "names Authorization beside another way to log in: leave one away"
    return None


def _logs_in(headers: Iterable[str]) -> bool:
    """Whether one of them, each NAME=VALUE, would be overwritten by another way to log in."""
    names = (header.partition("=")[0] for header in headers)
    return any(name.strip().lower() == "authorization" for name in names)
