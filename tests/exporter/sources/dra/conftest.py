"""Loads the synthetic objects of tests/fixtures/dra as the API server sends them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

FIXTURES = Path(__file__).parents[3] / "fixtures" / "dra"
Object = dict[str, Any]


@pytest.fixture(scope="session")
def recorded() -> dict[tuple[str, str], Object]:
    """(version, name) → the object; the same names never occur twice in one version."""
    found: dict[tuple[str, str], Object] = {}
    for path in sorted(FIXTURES.glob("*/*.yaml")):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            key = (path.parent.name, document["metadata"]["name"])
            assert key not in found
            found[key] = document
    return found


@pytest.fixture
def dra(recorded: dict[tuple[str, str], Object]) -> Callable[[str, str], Object]:
    """(version, name) → a copy that the test may change."""

    def load(version: str, name: str) -> Object:
        return copy.deepcopy(recorded[version, name])

    return load


@pytest.fixture
def dra_slices(recorded: dict[tuple[str, str], Object]) -> Callable[[str], list[Object]]:
    """Version → its slices, in the order of the file."""

    def load(version: str) -> list[Object]:
        return [
            copy.deepcopy(raw)
            for (found, _), raw in recorded.items()
            if found == version and raw["kind"] == "ResourceSlice"
        ]

    return load
