"""Where the servers' programs are, and what becomes of a test when one is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

BUILD_SCRIPT = Path(__file__).resolve().parents[2] / "servers" / "build.py"


class BinaryMissingError(Exception):
    """A program is not on this machine; the message says how to get it."""


@cache
def built_binary(name: str) -> Path:
    """A program of ``tests/servers/build.py``, which is asked where it is and builds nothing.

    It is asked once of each: several hundred tests run one of them.
    """
    answer = subprocess.run(
        [sys.executable, str(BUILD_SCRIPT), "--find", name],
        capture_output=True,
        text=True,
        check=False,
    )
    if answer.returncode != 0:
        raise BinaryMissingError(answer.stderr.strip())
    return Path(answer.stdout.strip())


def system_binary(name: str, *, package: str) -> Path:
    """A program on ``PATH`` that the named operating system package brings."""
    found = shutil.which(name)
    if found is None:
        message = f"{name} is not on PATH; the package {package} has it"
        raise BinaryMissingError(message)
    return Path(found)


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the test, but fail it in CI, where a missing program is a broken CI."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def required(look_up: Callable[[], Path]) -> Path:
    """The program that ``look_up`` finds; the test is skipped, or fails in CI, without it."""
    try:
        return look_up()
    except BinaryMissingError as error:
        reason = str(error)
    skip_or_fail(reason)
