"""Faults of a whole HAMi installation, of exporters and of the licence. One row each.

A fault of an installation names one of its nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from gpuatlas.demo.fault_kind import (
    HAMI,
    EndpointEffect,
    Fault,
    FaultKind,
    InstallationEffect,
    LicenceEffect,
)
from gpuatlas.demo.patterns import DAY
from gpuatlas.demo.scenario import NodeSpec
from gpuatlas.demo.state import EndpointState
from gpuatlas.demo.state_layer import CertificateState, HamiState, LicenceState

_LONG_AGO_SECONDS: Final = 600.0  # far beyond any lease (facts/hami.md 6.5)
_ROLES_SINCE: Final = (2, 9)


def _one_field(**changes: Any) -> InstallationEffect:
    def effect(hami: HamiState, fault: Fault) -> HamiState:
        del fault
        return replace(hami, **changes)

    return effect


def _certificate(make: Callable[[CertificateState, Fault], CertificateState]) -> InstallationEffect:
    def effect(hami: HamiState, fault: Fault) -> HamiState:
        return replace(hami, certificate=make(hami.certificate, fault))

    return effect


def _trusting(whom: str) -> InstallationEffect:
    return _certificate(lambda certificate, _: replace(certificate, trusted=whom))


def _days_later(fault: Fault) -> float:
    return fault.began + fault.number("days") * DAY


def _lease_stands(hami: HamiState, fault: Fault) -> HamiState:
    return replace(hami, lease_renewed_at=fault.began - _LONG_AGO_SECONDS)


def _other_scheduler(hami: HamiState, fault: Fault) -> HamiState:
    return replace(hami, scheduler_version=fault.text("version"))


def _edited(hami: HamiState, fault: Fault) -> HamiState:
    return replace(hami, config_edited_at=fault.began)


def _unknown_node(hami: HamiState, fault: Fault) -> HamiState:
    return replace(hami, config_nodes=(fault.text("called"),))


def _licence(change: Callable[[Fault], dict[str, Any]]) -> LicenceEffect:
    def effect(licence: LicenceState, fault: Fault) -> LicenceState:
        return replace(licence, **change(fault))

    return effect


def _behaves(behaviour: str) -> EndpointEffect:
    def effect(endpoint: EndpointState, fault: Fault) -> EndpointState:
        del fault
        return replace(endpoint, behaviour=behaviour)

    return effect


def _without_roles(node: NodeSpec) -> str:
    """Only from v2.9 do schedulers say that they lead (facts/hami.md 3.5)."""
    old = node.hami is not None and node.hami.numbers < _ROLES_SINCE
    return f"the schedulers of {node.name} say nothing of their role" if old else ""


ENDPOINTS: Final = ("dcgm", "hami-monitor", "hami-scheduler")
_ENDPOINT: Final = {"endpoint": "dcgm"}

INSTALLATION: Final[tuple[FaultKind, ...]] = (
    FaultKind(
        name="webhook-absent",
        description="HAMi's MutatingWebhookConfiguration is not there",
        sharing=HAMI,
        on_installation=_one_field(configured=False),
    ),
    FaultKind(
        name="webhook-not-covering",
        description="no rule of HAMi's webhook covers the creation of pods",
        sharing=HAMI,
        on_installation=_one_field(admits=False),
    ),
    FaultKind(
        name="webhook-no-endpoints",
        description="the Service of HAMi's webhook has no ready endpoint: from v2.9 the "
        "scheduler's pod lost the label of the leader, before that it is not ready",
        sharing=HAMI,
        on_installation=_one_field(leads=False),
    ),
    FaultKind(
        name="webhook-unreachable",
        description="HAMi's webhook is there and cuts every connection",
        sharing=HAMI,
        on_installation=_one_field(answers=False),
    ),
    FaultKind(
        name="certificate-ends",
        description="the certificate that HAMi's webhook serves ends in a few days",
        options={"days": 2},
        sharing=HAMI,
        on_installation=_certificate(lambda c, fault: replace(c, ends_at=_days_later(fault))),
    ),
    FaultKind(
        name="authority-ends",
        description="the authority in the caBundle of HAMi's webhook ends in a few days",
        options={"days": 2},
        sharing=HAMI,
        on_installation=_certificate(
            lambda c, fault: replace(c, authority_ends_at=_days_later(fault))
        ),
    ),
    FaultKind(
        name="authority-wrong",
        description="the caBundle of HAMi's webhook is that of another authority",
        sharing=HAMI,
        on_installation=_trusting("other"),
    ),
    FaultKind(
        name="authority-missing",
        description="the caBundle of HAMi's webhook is empty",
        sharing=HAMI,
        on_installation=_trusting("none"),
    ),
    FaultKind(
        name="leader-lost",
        description="nobody renews the Lease of HAMi's schedulers",
        sharing=HAMI,
        on_installation=_lease_stands,
    ),
    FaultKind(
        name="two-leaders",
        description="a second pod of HAMi's scheduler claims to lead",
        sharing=HAMI,
        unfit=_without_roles,
        on_installation=_one_field(rivals=1),
    ),
    FaultKind(
        name="scheduler-version",
        description="HAMi's scheduler has another version than its device plugin",
        options={"version": "v2.10.0"},
        sharing=HAMI,
        on_installation=_other_scheduler,
    ),
    FaultKind(
        name="config-unreadable",
        description="HAMi's configuration of the nodes is no JSON",
        sharing=HAMI,
        on_installation=_one_field(config_readable=False),
    ),
    FaultKind(
        name="config-not-applied",
        description="HAMi's configuration of the nodes was written again, and no pod that reads it "
        "has been restarted since",
        sharing=HAMI,
        on_installation=_edited,
    ),
    FaultKind(
        name="config-unknown-node",
        description="HAMi's configuration names a node that does not exist",
        options={"called": "a10g-9"},
        sharing=HAMI,
        on_installation=_unknown_node,
    ),
    FaultKind(
        name="licence-ends",
        description="the licence ends in a few days",
        options={"days": 2},
        on_licence=_licence(lambda fault: {"ends_at": _days_later(fault)}),
    ),
    FaultKind(
        name="licence-missing",
        description="the licence's ConfigMap is not there",
        on_licence=_licence(lambda _: {"present": False}),
    ),
    FaultKind(
        name="licence-unreadable",
        description="what the licence's ConfigMap says is no date",
        options={"text": "see the contract"},
        on_licence=_licence(lambda fault: {"text": fault.text("text")}),
    ),
    FaultKind(
        name="endpoint-http-500",
        description="an exporter answers every scrape with HTTP 500",
        options=_ENDPOINT,
        on_endpoint=_behaves("http-500"),
    ),
    FaultKind(
        name="endpoint-hangs",
        description="an exporter takes the connection and never answers",
        options=_ENDPOINT,
        on_endpoint=_behaves("hangs"),
    ),
    FaultKind(
        name="endpoint-refuses",
        description="an exporter's pod runs, and nothing answers at its port",
        options=_ENDPOINT,
        on_endpoint=_behaves("refuses"),
    ),
    FaultKind(
        name="endpoint-gone",
        description="an exporter's pod does not run; HAMi's monitor is in the pod of the device "
        "plugin (S10 fires beside S06), its scheduler's page in that of the webhook (S07)",
        options=_ENDPOINT,
        on_endpoint=_behaves("gone"),
    ),
)
