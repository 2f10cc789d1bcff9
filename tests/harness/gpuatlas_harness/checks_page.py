"""A report of the checks in which every metric of it has something to say."""

from __future__ import annotations

from gpuatlas.model.checks import (
    CheckReport,
    CheckResult,
    Finding,
    InputState,
    MissingInput,
    NodeLayer,
)

from .build import NOW


def a_check_report() -> CheckReport:
    """A check with findings, one that lacks something and one that does not apply."""
    held = Finding(
        check="S13",
        signal="lock",
        object="Node/gpu-a",
        node="gpu-a",
        source="node annotation hami.io/mutex.lock",
        record="2026-09-21T13:33:20Z,team-a,chat-0",
    )
    stuck = Finding(
        check="S13",
        signal="allocating",
        object="StatefulSet/team-a/chat",
        node="gpu-a",
        card="GPU-00000000-0000-4000-8000-00000000000a",
        namespace="team-a",
        pod="chat-0",
        source="pod annotation hami.io/bind-phase",
        record="allocating",
        count=3,
    )
    lack = MissingInput(
        check="S14", input="hami-scheduler page", reason="HTTP 500 from 10.0.0.7:9395"
    )
    blind = MissingInput(check="S14", input="annotation", node="gpu-b", reason="not JSON")
    return CheckReport(
        at=NOW,
        results=(
            CheckResult(
                check="S13",
                state=InputState.OK,
                findings=(held, stuck),
                nodes=(("gpu-a", InputState.OK),),
            ),
            CheckResult(
                check="S14",
                state=InputState.MISSING,
                missing=(lack, blind),
                nodes=(("gpu-a", InputState.OK), ("gpu-b", InputState.MISSING)),
            ),
            CheckResult(check="S17", state=InputState.NOT_APPLICABLE),
        ),
        nodes=(
            NodeLayer(
                node="gpu-a",
                layers=("hami",),
                monitor_up=True,
                plugin_ready=False,
                missing_labels=("gpu=on",),
                registered_cards=1,
                driver_cards=2,
                heartbeat_at=NOW - 30,
                lock_at=NOW - 600,
                lock_owner="team-a/chat-0",
            ),
            NodeLayer(node="gpu-b", layers=("volcano",), lock_at=NOW - 10),
        ),
    )
