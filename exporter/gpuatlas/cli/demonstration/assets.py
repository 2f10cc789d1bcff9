"""The rules, alerts and dashboards that lie beside the package in its repository.

They are no part of the wheel: an installed `gpuatlas demo` finds them when it runs in a checkout.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_RULES = "recording_rules"
_ALERTS = "alerts"
_GROUPS = "groups:"  # the first word of a rule file at the margin


@dataclass(frozen=True, slots=True, kw_only=True)
class Assets:
    """A checkout of the repository. `rule_files` are recording rules and alerts."""

    root: Path
    rule_files: tuple[Path, ...]

    @property
    def dashboards(self) -> Path:
        """The generated dashboards; the folder may not be there."""
        return self.root / "dashboards" / "generated"

    @property
    def provisioning(self) -> Path:
        """What Grafana reads at its start."""
        return self.root / "deploy" / "demo" / "grafana"


def find_assets() -> Assets | None:
    """Beside this source tree, else in the folder where the command runs."""
    for root in (Path(__file__).resolve().parents[4], Path.cwd()):
        files = tuple(_rule_files(root))
        if files:
            return Assets(root=root, rule_files=files)
    return None


def _rule_files(root: Path) -> Iterator[Path]:
    if (root / _RULES).is_dir() and (root / _ALERTS).is_dir():
        for folder in (_RULES, _ALERTS):
            yield from (file for file in sorted((root / folder).glob("*.yaml")) if _has_rules(file))


def _has_rules(file: Path) -> bool:
    """The folder of the alerts holds a table of XIDs, too. Reading YAML for that is too slow."""
    with file.open(encoding="utf-8") as lines:
        return any(line.startswith(_GROUPS) for line in lines)
