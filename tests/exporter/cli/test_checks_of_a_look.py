"""From findings to what is shown of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuatlas.cli.judged import Evidence, JudgedCheck, Occurrence
from gpuatlas.cli.live_checks import judge_look
from gpuatlas.model.catalogue import Catalogue, CheckEntry, Layer, Severity, SignalEntry
from gpuatlas.model.checks import CheckState
from gpuatlas.sources.catalogue import load_catalogue
from gpuatlas_harness.checked_layers import (
    a_checked_cluster,
    a_plugin_pod,
    a_shared_node,
    a_shared_pod,
)
from gpuatlas_harness.observed import a_container, a_dcgm_page, a_reading, uuid

CATALOGUE = load_catalogue()


def of_cluster(catalogue: Catalogue = CATALOGUE) -> dict[str, JudgedCheck]:
    """A shared card that waits for a reset, and a tenant without its limits."""
    tenant = a_shared_pod(
        containers=(
            a_container(limits={"nvidia.com/gpu": 1}, env={"CUDA_DISABLE_CONTROL": "true"}),
        )
    )
    page = a_dcgm_page(a_reading(1, DEV_ROW_REMAP_PENDING=1))
    context = a_checked_cluster([a_shared_node()], [a_plugin_pod(), tenant], dcgm=(page,))
    verdict = judge_look(context.observations, context.snapshot, catalogue)
    assert (verdict.at, verdict.address) == (context.now, "")
    assert verdict.nodes == frozenset({"gpu-a"})
    (cluster,) = verdict.clusters
    return {check.entry.id: check for check in cluster.checks}


def test_a_finding_of_a_pod_is_told_with_cause_and_action() -> None:
    (found,) = of_cluster()["S01"].occurrences
    assert found == Occurrence(
        signal="disable-control",
        severity=Severity.CRITICAL,
        node="gpu-a",
        card=uuid(1),
        index="0",
        namespace="team-a",
        pod="chat-0",
        object="Pod/team-a/chat-0",
        evidence=(Evidence("env of container main", "CUDA_DISABLE_CONTROL=true"),),
        cause=(
            "With this variable in the container's own env the device plugin does not mount the "
            "interposer."
        ),
        action=("Take the variable out of the pod template: kubectl -n team-a edit Pod/chat-0"),
    )


def test_a_finding_of_a_card_names_its_tenants() -> None:
    (found,) = of_cluster()["H04"].occurrences
    assert (found.index, found.pods) == ("0", ("team-a/chat-0",))
    assert found.severity is Severity.WARNING


def test_hardware_checks_say_what_an_instant_does_not_show() -> None:
    checks = of_cluster()
    assert checks["H03"].unseen == ("lifetime", "remapped")
    assert checks["H02"].unseen == ("storm", "repeat")
    assert checks["S01"].unseen == ()


def test_a_check_that_nobody_here_judges_is_unknown() -> None:
    entry = CheckEntry(
        id="S99", alert="New", layer=Layer.SHARING, title="New", signals=(), runbook=""
    )
    newer = replace(CATALOGUE, checks=(*CATALOGUE.checks, entry))
    assert of_cluster(newer)["S99"].state is CheckState.UNKNOWN


@pytest.mark.parametrize(
    ("severities", "expected"),
    [((Severity.INFO,), Severity.INFO), ((Severity.WARNING, Severity.INFO), Severity.WARNING)],
)
def test_where_an_evaluator_does_not_say_the_catalogue_does(
    severities: tuple[Severity, ...], expected: Severity
) -> None:
    signal = SignalEntry(signal="disable-control", severities=severities, cause="", action="")
    checks = tuple(
        replace(entry, signals=(signal,)) if entry.id == "S01" else entry
        for entry in CATALOGUE.checks
    )
    (found,) = of_cluster(replace(CATALOGUE, checks=checks))["S01"].occurrences
    assert (found.severity, found.cause, found.action) == (expected, "", "")


def test_a_signal_that_the_catalogue_lacks_is_a_warning() -> None:
    checks = tuple(replace(entry, signals=()) for entry in CATALOGUE.checks)
    (found,) = of_cluster(replace(CATALOGUE, checks=checks))["S01"].occurrences
    assert (found.severity, found.cause) == (Severity.WARNING, "")
