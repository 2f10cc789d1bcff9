from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from gpuatlas_dashboards import signals
from gpuatlas_dashboards.catalogue import BOARDS, LANGUAGES
from gpuatlas_dashboards.texts import en, ja
from gpuatlas_dashboards.tokens import CheckState, Severity, State

MODULES: Final = [module.name for module in pkgutil.iter_modules(en.__path__)]
# Kubernetes' own words and marks are the same in every language.
SAME: Final = {"Namespace", "Pod", "Pods", "CPU", "GPU", "UUID", "DRA", "MIG", "–"}


def texts_of(package: str, module: str) -> dict[str, str]:
    """Path within the module → text, for every text of a language's module."""
    content = importlib.import_module(f"gpuatlas_dashboards.texts.{package}.{module}")
    value = getattr(content, "TEXTS", None) or content.WORDS
    return dict(_texts(value, ""))


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _texts(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(inner, f"{path}[{key}]")
    elif isinstance(value, (list, tuple)):
        for place, inner in enumerate(value):
            yield from _texts(inner, f"{path}[{place}]")


def test_both_languages_have_the_same_modules() -> None:
    assert [module.name for module in pkgutil.iter_modules(ja.__path__)] == MODULES
    assert "shared" in MODULES


@pytest.mark.parametrize("module", MODULES)
def test_both_languages_have_the_same_texts(module: str) -> None:
    english, japanese = texts_of("en", module), texts_of("ja", module)

    assert [path for path, text in english.items() if text] == [
        path for path, text in japanese.items() if text
    ]


@pytest.mark.parametrize("module", MODULES)
def test_every_japanese_text_is_translated(module: str) -> None:
    english, japanese = texts_of("en", module), texts_of("ja", module)
    untranslated = [
        path
        for path, text in japanese.items()
        if text and text == english.get(path) and text not in SAME
    ]

    assert untranslated == []


@pytest.mark.parametrize("module", MODULES)
def test_a_translation_keeps_what_is_filled_in(module: str) -> None:
    english, japanese = texts_of("en", module), texts_of("ja", module)
    for path, text in english.items():
        found = re.findall(r"\{\w+\}|\$\w+|\$\{[^}]+\}", text)
        assert sorted(re.findall(r"\{\w+\}|\$\w+|\$\{[^}]+\}", japanese[path])) == sorted(found)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_every_signal_has_words_and_no_words_lack_a_signal(language: Any) -> None:
    assert sorted(language.signals) == sorted(signal.key for signal in signals.ALL)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_every_state_has_a_word(language: Any) -> None:
    shared = language.shared

    assert list(shared.states) == list(shared.state_meanings) == list(State)
    assert list(shared.check_states) == list(CheckState)
    assert list(shared.severities) == list(Severity)


def test_signals_have_keys_of_their_own() -> None:
    keys = [signal.key for signal in signals.ALL]

    assert sorted(set(keys)) == sorted(keys)


@pytest.mark.parametrize("entry", BOARDS, ids=lambda entry: entry.id.value)
def test_every_board_builds_in_every_language(entry: Any) -> None:
    titles = [entry.build(language).title for language in LANGUAGES]

    assert len(set(titles)) == len(LANGUAGES)
