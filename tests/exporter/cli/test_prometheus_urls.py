"""A URL at which no Prometheus can be is refused by every command, in one line without secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import Run

COMMANDS = ("serve", "cards", "workloads", "checks", "advise", "doctor", "report", "sizing")
SECRET = "s3cret"
CHARACTER = (
    "has a blank, a line break or another invisible character: leave it out, or write a blank that "
    "belongs there as %20"
)
REFUSED = (
    (
        "http://me:s3cret@p/prefix?token=s3cret",
        "has a query: end it before the ?, since /api/v1 is put behind it; a token belongs into "
        "the file of --prometheus-bearer-token-file",
    ),
    (
        "http://me:s3cret@p/#s3cret",
        "has a fragment: end it before the #, since /api/v1 is put behind it",
    ),
    ("http://me:s3cret@p/api/v1", "ends with /api/v1, which is put behind it: leave that out"),
    ("http://me:s3cret@p/a path", CHARACTER),
    ("http://me:s3cret@p\n", CHARACTER),
    ("http://me:s3cret\x07@p", CHARACTER),
)


def line(command: str, problem: str) -> str:
    """The one that says it."""
    if command == "serve":
        return f"gpuatlas serve: --prometheus-url: {problem}"
    return f"Error: --prometheus-url {problem}"


@pytest.mark.parametrize(("url", "problem"), REFUSED)
@pytest.mark.parametrize("command", COMMANDS)
def test_the_option_the_part_and_what_to_write(
    command: str, url: str, problem: str, run: Run
) -> None:
    result = run(command, "--prometheus-url", url)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1] == line(command, problem)
    assert SECRET not in result.output


def test_a_variable_with_a_line_break_at_its_end_is_refused_alike(run: Run) -> None:
    """As `echo` writes it into a Secret."""
    result = run("cards", GPUATLAS_PROMETHEUS_URL="http://me:s3cret@p\n")
    assert result.stderr.splitlines()[-1] == line("cards", CHARACTER)
