"""What a signal is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gpuatlas_dashboards.tokens import Unit

SCOPE: Final = "SCOPE"  # stands in an expression where the label matchers go


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """A quantity with its expression.

    Attributes:
        key: `<entity>.<quantity>`; its words are found under it.
        unit: How Grafana shows the base unit.
        expr: PromQL, each selector with `{SCOPE}` or `{SCOPE, …}`.
        colour: Of its line or bar, the same on all boards.
        legend: Grafana's legend format; the short title where it is empty.
    """

    key: str
    unit: Unit
    expr: str
    colour: str = ""
    legend: str = ""

    @property
    def name(self) -> str:
        """The key without its entity, fit to be the name of a query."""
        return self.key.rpartition(".")[2]

    def within(self, scope: str) -> str:
        """The expression for label matchers such as those of `variables`."""
        return self.expr.replace(SCOPE, scope)
