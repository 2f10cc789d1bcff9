"""A command silences warnings of single endpoints on its own output, not in the whole process."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from gpuatlas.cli.looking import warn_as_lines

ENDPOINTS = ("gpuatlas.sources.scrape", "gpuatlas.sources.promapi")


@contextmanager
def bare_root() -> Iterator[None]:
    """The root logger as a new process has it."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers.clear()
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


def test_only_the_lines_of_endpoints_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    before = [logging.getLogger(name).level for name in ENDPOINTS]
    with bare_root():
        warn_as_lines()
        for name in (*ENDPOINTS, "gpuatlas.sources.kubernetes"):
            logging.getLogger(f"{name}.reader").warning("of %s", name)
    assert capsys.readouterr().err == "warning: of gpuatlas.sources.kubernetes\n"
    assert [logging.getLogger(name).level for name in ENDPOINTS] == before
