"""The checks as `alerts/*.yaml` has them: nobody types one twice.

Annotations of alerts are no series, so a board cannot ask for them: their texts are read here when
the boards are made, and go into them as value mappings. A template for one alert becomes a
sentence for all of them, in which `<namespace>` stands for what the template would fill in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import yaml

ALERTS: Final = Path(__file__).resolve().parents[2] / "alerts"
LAYERS: Final = ("hardware", "sharing")

# One check says something of its own for each number of an XID.
BY_XID: Final = "H01"

_WORD: Final = re.compile(r"[A-Z][a-z]+")
_ACRONYMS: Final = {"Xid": "XID", "Ecc": "ECC", "Pcie": "PCIe", "Nvlink": "NVLink"}

# The forms of templates that the texts have; each becomes what it stands for.
_FORMS: Final = (
    (r"\{\{-? */\*.*?\*/ *-?\}\}", ""),
    (r"\s*\{\{-? range .*?\{\{-? else -?\}\}(.*?)\{\{-? end -?\}\}", r"\1"),
    (
        r"\{\{-? with \$labels\.(\w+) -?\}\}(.*?)\{\{ \. \}\}(.*?)"
        r"(?:\{\{-? else -?\}\}.*?)?\{\{-? end -?\}\}",
        r"\2<\1>\3",
    ),
    (r'\{\{ \$labels\.object \| reReplaceAll "/\.\*/" "/" \}\}', "<kind>/<name>"),
    (r'\{\{ \$labels\.object \| reReplaceAll "\^\[\^/\]\*/\|/\.\*\$" "" \}\}', "<namespace>"),
    (r"\{\{ \$labels\.(\w+) \}\}", r"<\1>"),
)
_XID_BRANCH: Final = re.compile(
    r'\{\{-? (?:else )?if eq \$labels\.xid "(\d+)" -?\}\}\s*(.*?)\s*(?=\{\{)', re.DOTALL
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What a firing rule says: why it fires, and what to do first."""

    cause: str
    action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check.

    Attributes:
        id: As in "H05".
        layer: "hardware" or "sharing".
        alert: The name of its alert, as in "GpuTemperatureNearSlowdown".
        summary: What it finds, in one sentence.
        advice: By signal, of H01 by the number of the XID.
        runbook: Path of its page in the repository.
        interval: Seconds between two looks at it.
    """

    id: str
    layer: str
    alert: str
    summary: str
    advice: Mapping[str, Advice]
    runbook: str
    interval: int

    @property
    def speaks_with_one_voice(self) -> bool:
        """Whether all its signals say the same."""
        return len(set(self.advice.values())) == 1

    @property
    def name(self) -> str:
        """The alert's name as words: "Temperature near slowdown"."""
        words = _WORD.findall(self.alert.removeprefix("Gpu"))
        name = " ".join(_ACRONYMS.get(word, word.lower()) for word in words)
        return name[0].upper() + name[1:]


@cache
def checks() -> tuple[Check, ...]:
    """All of them, in the order of the catalogue."""
    return tuple(check for layer in LAYERS for check in _checks_of(layer))


@cache
def said(layer: str) -> Mapping[str, Advice]:
    """What the alerts of a layer say, by check and signal: "S01|limit-off", "H01|79" for an XID.

    By the check alone, "H05", where all its signals say the same.
    """
    found: dict[str, Advice] = {}
    for check in checks():
        if check.layer != layer:
            continue
        if check.speaks_with_one_voice:
            found[check.id] = next(iter(check.advice.values()))
        else:
            found |= {f"{check.id}|{word}": advice for word, advice in check.advice.items()}
    return found


def _checks_of(layer: str) -> Iterator[Check]:
    content = yaml.safe_load((ALERTS / f"{layer}.yaml").read_text(encoding="utf-8"))
    rules = [
        (rule, group["interval"])
        for group in content["groups"]
        for rule in group["rules"]
        if "alert" in rule
    ]
    for check, of_check in groupby(rules, key=lambda entry: str(entry[0]["labels"]["check"])):
        its_rules, intervals = zip(*of_check, strict=True)
        first = its_rules[0]
        yield Check(
            id=check,
            layer=layer,
            alert=str(first["alert"]),
            summary=str(first["annotations"]["summary"]),
            advice={word: advice for rule in its_rules for word, advice in _advice(check, rule)},
            runbook=str(first["annotations"]["runbook_url"]),
            interval=_seconds(check, set(intervals)),
        )


def _seconds(check: str, intervals: set[str]) -> int:
    """Of one interval such as "2m". Raises ValueError where a check has several."""
    found = {re.fullmatch(r"(\d+)m", interval) for interval in intervals}
    if len(found) != 1 or None in found:
        message = f"{check} is judged at intervals of {sorted(intervals)}"
        raise ValueError(message)
    (minutes,) = (int(match[1]) for match in found if match)
    return 60 * minutes


def _advice(check: str, rule: Mapping[str, Any]) -> Iterator[tuple[str, Advice]]:
    cause, action = rule["annotations"]["cause"], rule["annotations"]["action"]
    if check != BY_XID:
        yield rule["labels"]["signal"], Advice(cause=plain(cause), action=plain(action))
        return
    actions = dict(_XID_BRANCH.findall(action))
    for number, meaning in _XID_BRANCH.findall(cause):
        yield number, Advice(cause=meaning, action=actions[number])


def plain(template: str) -> str:
    """A template as a sentence. Raises ValueError for a form that nobody described above."""
    text = template
    for form, instead in _FORMS:
        text = re.sub(form, instead, text, flags=re.DOTALL)
    if "{{" in text:
        message = f"no plain form of {template!r}"
        raise ValueError(message)
    return " ".join(text.split())
