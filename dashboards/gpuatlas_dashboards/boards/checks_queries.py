"""PromQL of the board Checks that is more than a signal."""

from __future__ import annotations

from typing import Final

from gpuatlas_dashboards.scopes import CHECK, CLUSTER
from gpuatlas_dashboards.signals import check
from gpuatlas_dashboards.signals.check_sentences import WAYS
from gpuatlas_dashboards.tokens import SEVERITY_CODES, Severity

_LAYERS: Final = 'layer=~"hardware|sharing"'


def scope(*matchers: str) -> str:
    """Matchers for the chosen clusters and what else is asked for."""
    return ", ".join((CLUSTER, *matchers))


def alerts(*matchers: str) -> str:
    """The alerts of the checks that fire."""
    return f'ALERTS{{{scope(*matchers)}, alertstate="firing", {_LAYERS}}}'


def begun(*matchers: str) -> str:
    """When each firing alert became active, in seconds since 1970."""
    return f"ALERTS_FOR_STATE{{{scope(*matchers)}}} and ignoring (alertstate) {alerts(*matchers)}"


def of_known_checks(count: str) -> str:
    """A count that is 0 only where checks are known."""
    return f"{count} or 0 * count({check.STATE.within(CLUSTER)})"


def findings_of(severity: Severity) -> str:
    """Findings whose gravest severity this one is."""
    own, *graver = (
        f"max without (severity, remedy) ({alerts(matcher)})"
        for matcher in (
            f'severity="{grade}"'
            for grade, code in SEVERITY_CODES.items()
            if code >= SEVERITY_CODES[severity]
        )
    )
    return of_known_checks(f"count({' unless '.join((own, *graver))})")


def title_keys() -> str:
    """One row for the chosen check: `finds` is the key of its title, `page` that of its runbook."""
    finds = f'label_replace({check.STATE.within(CHECK)}, "page", "$1", "check", "(.*)")'
    # Behind the key, words without meaning: see `checks_fillers.py`.
    filler = ("nnnn " * 14).strip()
    return f"""group by (finds, page) (
  label_replace({finds}, "finds", "$1|{filler}", "check", "(.*)")
)"""


def missing_inputs() -> str:
    """A row for each missing input of a check with its node; `reason` may say how to get it."""
    foreign = f"check:gpuatlas_missing_input:group{{{CLUSTER}, input=~"
    each = [f"gpuatlas_check_missing_input_info{{{CLUSTER}}}"]
    for inputs, way in WAYS.items():
        each.append(f'label_replace({foreign}"{inputs}"}}, "reason", "{way}", "", "")')
    expr = "(" + "\nor ".join(each) + ")"
    named = f'label_replace({expr}, "name", "$1", "check", "(.*)")'
    return f"group by (cluster, check, name, input, node, reason) ({named})"


# The first value is the one that is shown where nobody chose: the worst state, then the gravest.
WORST_FIRST: Final = f"""sort_desc(
10 * {check.STATE.within(CLUSTER)}
+ on (check) (
{check.SEVERITY.within(CLUSTER)}
or on (check)
0 * {check.STATE.within(CLUSTER)}
)
)"""
