"""Of one check over the chosen clusters, and sums over the checks.

A finding is a firing alert of a check. One object that is both warned of and critical counts once.
"""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.signals.signal import Signal
from gpuatlas_dashboards.tokens import (
    CHECK_STATE_CODES,
    CHECK_STATE_COLOURS,
    SEVERITY_CODES,
    CheckState,
    Colour,
    Unit,
)

# Prometheus leaves a label's template in the series where it comes out empty: "{{ $labels.card }}".
NAMED: Final = "[^{].*"
# As matchers behind those of a board.
_FIRING: Final = 'alertstate="firing", layer=~"hardware|sharing"'


def _coded(series: str, codes: dict[str, int]) -> str:
    """The highest code of each check; `series` has `{}` where a value's matcher goes."""
    each = (f"{code} * {series.replace('VALUE', value)}" for value, code in codes.items())
    return "max by (check) (\n  " + "\n  or ".join(each) + "\n)"


STATE: Final = Signal(
    key="check.state",
    unit=Unit.COUNT,
    expr=_coded(
        'check:gpuatlas_check_state:max{SCOPE, state="VALUE"}',
        {state.value: code for state, code in CHECK_STATE_CODES.items()},
    ),
    legend="{{check}}",
)
SEVERITY: Final = Signal(
    key="check.severity",
    unit=Unit.COUNT,
    expr=_coded(
        f'ALERTS{{SCOPE, {_FIRING}, severity="VALUE"}}',
        {severity.value: code for severity, code in SEVERITY_CODES.items()},
    ),
)
SINCE: Final = Signal(
    key="check.since",
    unit=Unit.AGO,
    # Grafana's dates are in milliseconds.
    expr=(
        "1000 * min by (check) (ALERTS_FOR_STATE{SCOPE}"
        f" and ignoring (alertstate) ALERTS{{SCOPE, {_FIRING}}})"
    ),
)
FINDINGS: Final = Signal(
    key="check.findings",
    unit=Unit.COUNT,
    colour=CHECK_STATE_COLOURS[CheckState.FIRING],
    expr=(f"count by (check) (max without (severity, remedy) (ALERTS{{SCOPE, {_FIRING}}}))"),
)
CARDS_HIT: Final = Signal(
    key="check.cards_hit",
    unit=Unit.CARDS,
    colour=Colour.NEUTRAL,
    expr=f'count(group by (cluster, card) (ALERTS{{SCOPE, {_FIRING}, card=~"{NAMED}"}}))',
)
NODES_HIT: Final = Signal(
    key="check.nodes_hit",
    unit=Unit.COUNT,
    colour=Colour.NEUTRAL,
    expr=f'count(group by (cluster, node) (ALERTS{{SCOPE, {_FIRING}, node=~"{NAMED}"}}))',
)

SIGNALS: Final = (STATE, SEVERITY, SINCE, FINDINGS, CARDS_HIT, NODES_HIT)
