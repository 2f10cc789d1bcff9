"""Brings `alerts/xid.yaml` into the alert texts of `alerts/hardware.yaml`.

A Prometheus template cannot read a file, so the meaning and the action of each number that H01
alerts on stand in its annotations as a chain of comparisons, between two template comments. Run as
a module to write them; a test compares.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import yaml

from gpuatlas_harness.alert_rules import ALERTS

_BLOCK: Final = re.compile(
    r"(?P<indent> *)\{\{- /\* xid\.yaml: (?P<field>cause|action) \*/ -\}\}\n"
    r".*?"
    r"\{\{- /\* end \*/ -\}\}\n",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Xid:
    """One row of the table."""

    number: int
    category: str  # critical, warning, storm, application or information
    meaning: str
    nvidia: str  # the immediate action of NVIDIA's catalog
    advice: str
    source: str

    @property
    def cause(self) -> str:
        return f"XID {self.number}: {self.meaning}."

    @property
    def action(self) -> str:
        return f"NVIDIA's action: {self.nvidia}. First step: {self.advice}."


def table() -> tuple[Xid, ...]:
    """Every row of `alerts/xid.yaml`, in its order."""
    rows = yaml.safe_load((ALERTS / "xid.yaml").read_text(encoding="utf-8"))["xids"]
    return tuple(Xid(category=row.pop("class"), **row) for row in rows)


def with_texts(rules: str) -> str:
    """The text of a rule file with each marked block written again."""
    return _BLOCK.sub(_written, rules)


def _written(block: re.Match[str]) -> str:
    alerting = [xid for xid in table() if xid.category in {"critical", "warning"}]
    branches = [
        f'{{{{- {"else " if position else ""}if eq $labels.xid "{xid.number}" -}}}} '
        f"{getattr(xid, block['field'])}"
        for position, xid in enumerate(alerting)
    ]
    lines = [f"{{{{- /* xid.yaml: {block['field']} */ -}}}}", *branches]
    lines += ["{{- end -}}", "{{- /* end */ -}}"]
    return "".join(f"{block['indent']}{line}\n" for line in lines)


if __name__ == "__main__":
    path = ALERTS / "hardware.yaml"
    path.write_text(with_texts(path.read_text(encoding="utf-8")), encoding="utf-8")
