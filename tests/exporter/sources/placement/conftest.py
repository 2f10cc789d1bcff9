"""Objects as the systems write them, by "<system>/<name>"."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

Object = dict[str, Any]
FIXTURES = Path(__file__).parents[3] / "fixtures" / "placement"


@pytest.fixture(scope="session")
def all_written() -> Mapping[str, Object]:
    """Every object of the fixtures; not to be changed."""
    return {
        f"{path.parent.name}/{path.stem}": yaml.safe_load(path.read_text())
        for path in sorted(FIXTURES.glob("*/*.yaml"))
    }


@pytest.fixture
def written(all_written: Mapping[str, Object]) -> Callable[[str], Object]:
    """A copy of one object."""
    return lambda name: copy.deepcopy(all_written[name])
