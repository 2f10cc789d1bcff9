"""The labels that all series must have: their names stand in queries, so they are checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from gpuatlas.cli.prometheus_named import problems_of_prometheus

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import Run

RULE = "is no label of a series: letters, digits and _ with no digit first, such as cluster=prod"


def problems(text: str) -> Iterator[tuple[str, str]]:
    files = dict.fromkeys(("bearer_token_file", "username_file", "password_file", "header"), ())
    options = {f"prometheus_{name}": value for name, value in files.items()}
    return problems_of_prometheus(
        {**options, "prometheus_url": "http://p", "prometheus_matcher": (text,)}
    )


@pytest.mark.parametrize(
    "text", ["cluster=prod", "_a1=", "__replica__=x", 'cluster="prod"', "on=x", 'a="b"} or up{x=c']
)
def test_usable(text: str) -> None:
    assert [*problems(text)] == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("cluster!=prod", "cluster!"),
        ('{cluster="prod"}', "{cluster"),
        ("a} or up{x=c", "a} or up{x"),
        ("team-a=x", "team-a"),
        ("1a=x", "1a"),
        (" cluster=prod", " cluster"),
        ("cluster\n=prod", "cluster\n"),
        ("clüster=prod", "clüster"),
        # Each query has one of its own.
        ("__name__=up", "__name__"),
    ],
)
def test_what_else_stands_for_a_name_is_refused(text: str, name: str) -> None:
    assert [*problems(text)] == [("prometheus_matcher", f"{text!r}: {name!r} {RULE}")]


@pytest.mark.parametrize("command", ["serve", "cards", "doctor", "sizing"])
def test_every_command_says_it(command: str, run: Run) -> None:
    result = run(command, "--prometheus-url", "http://p", "--prometheus-matcher", "a-b=c")
    assert (result.exit_code, result.stdout) == (2, "")
    colon = ":" if command == "serve" else ""
    assert result.stderr.splitlines()[-1].endswith(
        f"--prometheus-matcher{colon} 'a-b=c': 'a-b' {RULE}"
    )
