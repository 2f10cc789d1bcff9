"""What the boards say of single checks. In English all of it comes from `alerts/*.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCatalogueTexts:
    """Texts by check.

    Attributes:
        names: Two or three words.
        titles: What it finds, one sentence.
    """

    names: Mapping[str, str]
    titles: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAdviceTexts:
    """Texts by check and signal, as `check_catalogue.said` has the keys.

    Attributes:
        causes: Why that signal fires.
        actions: What to do first. `<node>` stands for the name of one, and a board fills it in
            where the finding has it.
    """

    causes: Mapping[str, str]
    actions: Mapping[str, str]
