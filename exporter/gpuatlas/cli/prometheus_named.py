"""What is wrong with how options name a Prometheus: for `serve` and for all other commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from gpuatlas.cli.prometheus_login import FILES, HEADER, problem_of_login

if TYPE_CHECKING:
    from gpuatlas.sources.promapi.settings import PrometheusSettings

MATCHER: Final = "prometheus_matcher"
PROMETHEUS_OPTIONS: Final = (
    *FILES,
    "prometheus_ca_file",
    "prometheus_insecure_skip_verify",
    HEADER,
    MATCHER,
)
"""Those that mean nothing without a Prometheus."""

# It stands in queries as it is: what else is in it would be PromQL, or break it. `__name__` each
# query has already. The chart asks the same (validate.yaml).
_LABEL: Final = re.compile(r"(?!__name__$)[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_NO_LABEL: Final = (
    "is no label of a series: letters, digits and _ with no digit first, such as cluster=prod"
)

PAGES_FROM_EXPORTERS: Final = "exporters"
PAGES_FROM_PROMETHEUS: Final = "prometheus"


def problems_of_prometheus(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The options that are wrong, and why each is. A command need not have all of them."""
    from gpuatlas.sources.promapi.settings import problem_of_url

    url = options.get("prometheus_url")
    if url is None:
        yield from _useless(options)
        return
    if problem := problem_of_url(url):
        yield "prometheus_url", problem
    elif (login := problem_of_login(options)) is not None:
        yield login
    yield from _no_pairs(options)


def named_prometheus(options: Mapping[str, Any]) -> PrometheusSettings:
    """Which Prometheus to ask, where the options name one and `problems_of_prometheus` has none."""
    from gpuatlas.sources.promapi.settings import PrometheusSettings

    return PrometheusSettings(
        url=options["prometheus_url"],
        bearer_token_file=options["prometheus_bearer_token_file"],
        username_file=options["prometheus_username_file"],
        password_file=options["prometheus_password_file"],
        ca_file=options["prometheus_ca_file"],
        insecure=options["prometheus_insecure_skip_verify"],
        headers=_pairs(options[HEADER]),
        matchers=_pairs(options[MATCHER]),
    )


def _pairs(texts: Iterable[str]) -> dict[str, str]:
    """The value of each name."""
    return {name: value for name, _, value in (text.partition("=") for text in texts)}


def _useless(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in PROMETHEUS_OPTIONS:
        if options.get(name):
            yield name, "needs --prometheus-url"
    if options.get("pages_from") == PAGES_FROM_PROMETHEUS:
        yield "pages_from", f"{PAGES_FROM_PROMETHEUS} needs --prometheus-url"


def _no_pairs(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    # Not what was written: "Authorization: Bearer …", as curl has it, is a secret.
    if not all(map(_is_pair, options[HEADER])):
        yield HEADER, "must be NAME=VALUE, such as X-Scope-OrgID=team-a"
    for text in options[MATCHER]:
        if not _is_pair(text):
            yield MATCHER, f"{text!r} must be LABEL=VALUE, such as cluster=prod"
        elif not _LABEL.fullmatch(label := text.partition("=")[0]):
            yield MATCHER, f"{text!r}: {label!r} {_NO_LABEL}"


def _is_pair(text: str) -> bool:
    name, equals, _ = text.partition("=")
    return bool(name and equals)
