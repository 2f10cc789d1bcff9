"""Hints in the chart's schema: a value of an unknown name is refused with the name of the nearest.

Helm holds values against the schema before it looks at a template, so only the schema can say it.
JSON Schema has no distance between words. What it has is patterns for names: each known name gets
some that its misspellings match, tried from the narrowest to the widest, and the one that matches
leads to a constant, the right name, that the wrong one is not. Helm prints that constant.

It also says which values nothing can do without: sections, numbers, switches, and words that have a
default. They are missing after `helm upgrade --reuse-values` from a chart that did not have them
yet, and where somebody sets null; templates would then render half a Deployment, or none.

`python -m gpuatlas_harness.chart_names` writes both into `helm/gpuatlas/values.schema.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

Schema = dict[str, Any]

PATH: Final = Path(__file__).parents[3] / "helm" / "gpuatlas" / "values.schema.json"
_DEFAULTS: Final = PATH.with_name("values.yaml")
# Shorter words say nothing about what was meant.
_WORD: Final = 4
# Ids of checks: one digit more or less is another check.
_ID: Final = re.compile(r"[A-Z]\d\d")
# What other charts call it.
_ELSEWHERE: Final = {
    "(service|pod)[Mm]onitor|metrics": "scrape.by",
    "prometheusRules?|alerts": "rules.as",
    "grafana": "dashboards",
    "pdb": "podDisruptionBudget",
    "labels": "commonLabels",
    "args": "extraArgs",
    "env": "extraEnv",
}
# The same inside of a section: by the path of a value that it has.
_ELSEWHERE_IN: Final = {
    "image.": {"[Ii]mage[Pp]ullSecrets|[Pp]ullSecrets?|[Ss]ecrets?": "imagePullSecrets"},
}


def with_hints(schema: Schema, path: str = "") -> Schema:
    """The same schema, with a hint for each object whose names are fixed."""
    if "properties" not in schema:
        return schema
    parts = {
        name: with_hints(part, f"{path}{name}.") for name, part in schema["properties"].items()
    }
    hinted = {**schema, "properties": parts}
    if schema["additionalProperties"] is False:
        names = {name: f"{path}{name}" for name in parts}
        hinted["propertyNames"] = {"if": {"enum": list(names)}, "else": _nearest(names, path)}
    return hinted


def with_required(schema: Schema, defaults: Any) -> Schema:
    """The same schema with what must not be missing, by its default.

    Lists and maps of one's own may be, and what only charts set that this one is a part of.
    """
    if "properties" not in schema:
        return schema
    parts = {
        name: with_required(part, defaults.get(name, {}))
        for name, part in schema["properties"].items()
    }
    needed = [
        name
        for name, part in parts.items()
        if name in defaults and ("properties" in part or _is_needed(defaults[name]))
    ]
    ordered = {key: value for key, value in schema.items() if key != "required"}
    if not needed:
        return {**ordered, "properties": parts}
    at = [*ordered].index("properties")
    items = [*ordered.items()]
    return dict([*items[:at], ("required", needed), ("properties", parts), *items[at + 1 :]])


def _is_needed(default: Any) -> bool:
    return not isinstance(default, list | dict) and default != ""


def _nearest(names: Mapping[str, str], path: str) -> Schema:
    """What no other name meets, so that its refusal says the path of the one that was meant."""
    answer: Schema = {"enum": list(names.values())}
    for pattern, meant in reversed([*_tries(names, path)]):
        answer = {"if": {"pattern": pattern}, "then": {"const": meant}, "else": answer}
    return answer


def _tries(names: Mapping[str, str], section: str) -> Iterator[tuple[str, str]]:
    for name, path in names.items():
        yield from ((pattern, path) for pattern in _written_otherwise(name))
    # Before the misspellings: many a word meets those of a short name, as "pdb" those of "web".
    elsewhere = _ELSEWHERE_IN.get(section, {}) if section else _ELSEWHERE
    yield from ((f"^({pattern})$", path) for pattern, path in elsewhere.items())
    for name, path in names.items():
        yield from ((pattern, path) for pattern in _mistyped(name))
    for name, path in names.items():
        yield from ((pattern, path) for pattern in _by_words(name))


def _written_otherwise(name: str) -> Iterator[str]:
    """scrapeTimeout as scrape_timeout, Scrape-Timeout or scrapetimeout."""
    yield "^" + "[-_ ]?".join(map(_any_case, _words(name))) + "$"


def _mistyped(name: str) -> Iterator[str]:
    """One letter more, less or another, or two exchanged: all but two stand as they are."""
    if len(name) > 2 and not _ID.fullmatch(name):
        ways = (f"{name[:at]}.{{0,3}}{name[at + 2 :]}" for at in range(len(name) - 1))
        yield f"^({'|'.join(ways)})$"


def _by_words(name: str) -> Iterator[str]:
    """It has the first half of one of the name's words, or is the beginning of one."""
    words = [word for word in _words(name) if len(word) >= _WORD]
    halves = (_any_case(word[: max(_WORD, len(word) // 2 + 1)]) for word in words)
    beginnings = (f"^{_any_case(word[:3])}{_any_of_the_rest(word[3:])}$" for word in words)
    if words:
        yield "|".join(sorted({*halves, *beginnings}))


def _any_of_the_rest(rest: str) -> str:
    """None, some or all of these letters, from the first on."""
    return "".join(f"({letter}" for letter in rest) + ")?" * len(rest)


def _words(name: str) -> list[str]:
    return re.findall(r"[A-Z]?[a-z0-9]+", name)


def _any_case(word: str) -> str:
    return f"[{word[0].upper()}{word[0].lower()}]{word[1:]}"


def text() -> str:
    """What the file must be. A hint is a line of its own: nobody reads it."""
    hints: list[str] = []

    def put_aside(part: Any) -> Any:
        if not isinstance(part, dict):
            return part
        kept = {key: put_aside(value) for key, value in part.items() if key != "propertyNames"}
        if "propertyNames" in part:
            hints.append(json.dumps(part["propertyNames"], separators=(",", ":")))
            kept["propertyNames"] = f"hint {len(hints) - 1}"
        return kept

    defaults = yaml.safe_load(_DEFAULTS.read_text(encoding="utf-8"))
    known = with_required(json.loads(PATH.read_text(encoding="utf-8")), defaults)
    schema = put_aside(with_hints(known))
    whole = json.dumps(schema, indent=2) + "\n"
    return re.sub(r'"hint (\d+)"', lambda found: hints[int(found[1])], whole)


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
