"""Loads what the drivers publish, from tests/fixtures/dra, as the sources hand it to the join."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

FIXTURES = Path(__file__).parents[2] / "fixtures" / "dra"


@pytest.fixture
def dra_slices() -> Callable[[str], list[dict[str, Any]]]:
    """Version → its raw slices, in the order of the file."""

    def load(version: str) -> list[dict[str, Any]]:
        text = (FIXTURES / version / "slices.yaml").read_text(encoding="utf-8")
        return list(yaml.safe_load_all(text))

    return load
