"""S17: licences of commercial layers, and of NVIDIA's vGPU guests, that are missing or ending.

Facts: facts/hami.md 6.7 (nothing tells a commercial layer's licence unless the administrator names
where it stands); DCGM_FI_DEV_VGPU_LICENSE_STATUS is 0 on every card that is no vGPU, too. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from gpuatlas.checks.conditions import rfc3339
from gpuatlas.checks.context import CheckContext
from gpuatlas.model.catalogue import Severity
from gpuatlas.model.checks import CheckResult, Finding, InputState, MissingInput
from gpuatlas.model.layer import Licence
from gpuatlas.model.pages import CardReading, DcgmPage

CHECK: Final = "S17"
# The alert's own thresholds (alerts/sharing.yaml): a warning so long before the end.
WARNING_SECONDS: Final = 30 * 86_400.0
CRITICAL_SECONDS: Final = 3 * 86_400.0
_VGPU_FIELD: Final = "DEV_VGPU_LICENSE_STATUS"
_VGPU_METRIC: Final = f"DCGM_FI_{_VGPU_FIELD}"
# How drivers name the cards of vGPU guests: "GRID A100-40C", "NVIDIA A40-48Q" (size and series).
_VGPU_MODEL: Final = re.compile(r".*(?:GRID|vGPU).*|.*-[0-9]+[ABCQ]")
_HOW: Final = f"add {_VGPU_METRIC} to the counters file of dcgm-exporter"


def ended(context: CheckContext) -> CheckResult:
    """Licences that were named and cannot be relied on."""
    guests = list(_guests(context))
    licences = context.layer.licences
    if not guests and not licences:
        return CheckResult(check=CHECK, state=InputState.NOT_APPLICABLE)
    refused = [licence for licence in licences if _is_refused(context, licence)]
    read = [licence for licence in licences if licence not in refused]
    findings = [f for licence in read for f in _of_licence(licence, context.now)]
    findings += [_unlicensed(page, card) for page, card in guests if _status(card) == 0]
    missing = (*_unread(refused), *_unseen(guests))
    return CheckResult(
        check=CHECK,
        state=InputState.MISSING if missing else InputState.OK,
        findings=tuple(findings),
        missing=missing,
    )


def _is_refused(context: CheckContext, licence: Licence) -> bool:
    """Whether its source could not be read at all, which says nothing of what stands in it."""
    return bool(licence.error) and licence.error in context.layer.unread.values()


def _unread(refused: Iterable[Licence]) -> Iterator[MissingInput]:
    for licence in refused:
        yield MissingInput(check=CHECK, input="licence", reason=f"{licence.name}: {licence.error}")


def _of_licence(licence: Licence, now: float) -> Iterator[Finding]:
    if not licence.present:
        yield _finding("missing", licence, licence.error or f"{licence.source} does not exist")
    elif licence.error:
        yield _finding("unreadable", licence, licence.error)
    elif licence.not_after is not None and licence.not_after - now < WARNING_SECONDS:
        record = licence.record or f"ends {rfc3339(licence.not_after)}"
        soon = licence.not_after - now < CRITICAL_SECONDS
        severity = Severity.CRITICAL if soon else Severity.WARNING
        yield _finding("ends", licence, record, severity=severity)


def _finding(signal: str, licence: Licence, record: str, *, severity: str = "") -> Finding:
    return Finding(
        check=CHECK,
        signal=signal,
        object=licence.source,
        source=f"licence {licence.name}",
        record=record,
        severity=severity,
    )


def _guests(context: CheckContext) -> Iterator[tuple[DcgmPage, CardReading]]:
    """Cards that are a hypervisor's virtual ones."""
    for page in context.observations.dcgm:
        for card in page.cards.values():
            if _VGPU_MODEL.fullmatch(card.model):
                yield page, card


def _status(card: CardReading) -> float | None:
    return card.fields.get(_VGPU_FIELD)


def _node(page: DcgmPage, card: CardReading) -> str:
    return page.node or card.host


def _unlicensed(page: DcgmPage, card: CardReading) -> Finding:
    node = _node(page, card)
    return Finding(
        check=CHECK,
        signal="vgpu-unlicensed",
        object=f"Node/{node}",
        node=node,
        card=card.card,
        source=f"metric {_VGPU_METRIC}",
        record=f'{_VGPU_METRIC}{{UUID="{card.card}",modelName="{card.model}"}} 0',
    )


def _unseen(guests: list[tuple[DcgmPage, CardReading]]) -> Iterator[MissingInput]:
    """Nodes with guests of whose licence nothing is exported."""
    for node in sorted({_node(page, card) for page, card in guests if _status(card) is None}):
        yield MissingInput(check=CHECK, input=_VGPU_METRIC, node=node, reason=_HOW)
