from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.checks.release import is_since, release_of, release_of_image


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("v2.8.1", "2.8.1"),
        ("2.8.1", "2.8.1"),
        (" v2.10.0 ", "2.10.0"),
        ("v2.8.1-dirty", "2.8.1"),
        ("v2.8.1-3-gabc1234", "2.8.1"),
        ("v2.8.1-amd64", "2.8.1"),
        ("2.8.1+build.7", "2.8.1"),
        ("v2.9.0-rc.1", "2.9.0-rc.1"),
        ("v2.9.0-RC1", "2.9.0-rc1"),
        ("v2.9.0-beta-dirty", "2.9.0-beta"),
        ("v2.8", ""),
        ("latest", ""),
        ("main-abc1234", ""),
        ("", ""),
        ("2.8.1x", ""),
        ("20260101", ""),
    ],
)
def test_a_version_text(text: str, release: str) -> None:
    assert release_of(text) == release


@pytest.mark.parametrize(
    ("image", "release"),
    [
        ("projecthami/hami:v2.8.1", "2.8.1"),
        ("docker.io/projecthami/hami:v2.8.1", "2.8.1"),
        ("registry.example:5000/mirror/hami:v2.8.1", "2.8.1"),
        ("registry.example:5000/mirror/hami", ""),
        ("projecthami/hami:v2.8.1@sha256:0f1e", "2.8.1"),
        ("projecthami/hami@sha256:0f1e", ""),
        ("projecthami/hami:latest", ""),
        ("projecthami/hami", ""),
        ("", ""),
    ],
)
def test_an_image(image: str, release: str) -> None:
    assert release_of_image(image) == release


@pytest.mark.parametrize(
    ("version", "since"),
    [("v2.9.0", True), ("v2.10.0", True), ("v3.0.0", True), ("v2.8.3", False), ("", False)],
)
def test_a_release_is_compared_by_its_numbers(version: str, *, since: bool) -> None:
    assert is_since(version, (2, 9)) is since


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=40))
def test_any_text_gives_a_release_or_nothing(text: str) -> None:
    for release in (release_of(text), release_of_image(text)):
        assert release == "" or re.fullmatch(r"\d+\.\d+\.\d+(-[a-z]+([.-]?\d+)?)?", release)
        assert release_of(release) == release
