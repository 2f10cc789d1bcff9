"""What the example for Alertmanager silences, by a real one and the labels that our rules give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import pytest

from gpuatlas_harness.alertmanager import AlertmanagerServer, Receiver, delivered_to
from gpuatlas_harness.binaries import required, system_binary
from gpuatlas_harness.fired import fired
from gpuatlas_harness.polling import poll

DEADLINE_SECONDS: Final = 20.0
NEVER: Final = "2100-01-01T00:00:00Z"

Labels = dict[str, str]


def card(uuid: str = "GPU-a", node: str = "gpu-1") -> Labels:
    """What dcgm-exporter says of a card."""
    return {"UUID": uuid, "Hostname": node, "gpu": "0", "modelName": "NVIDIA A100-SXM4-80GB"}


ON_CARD: Final = {"node": "gpu-1", "card": "GPU-a"}
ON_NODE: Final = {"node": "gpu-1"}
LLM: Final = {**ON_CARD, "namespace": "team-a", "object": "Deployment/team-a/llm"}
CHAT_0: Final = {**ON_CARD, "namespace": "team-a", "pod": "chat-0", "container": "main"}

GONE: Final = fired("H12", "card-gone", **card())
DRAIN: Final = fired("H12", "recovery", "warning", **card())
NO_CARDS: Final = fired("H12", "no-cards", Hostname="gpu-1", job="d", instance="10.0.0.1:9400")
THROTTLED: Final = fired("H07", "hw-time", **card())
SLOWED: Final = fired("H07", "sw-time", **card())
PLUGIN: Final = fired("S10", "missing", **ON_NODE, object="DaemonSet/kube-system/plugin")
LABEL: Final = fired("S11", "label", **ON_NODE, object="Node/gpu-1")
DEAD: Final = fired("exporter-down")

WARM: Final = fired("H05", "margin", "warning", **card())
HOT: Final = fired("H05", "margin", "critical", **card())
HOT_BESIDE: Final = fired("H05", "margin", "critical", **card("GPU-b"))
XID_79: Final = fired("H01", "xid", "critical", **card(), xid="79")
XID_94: Final = fired("H01", "xid", "warning", **card(), xid="94")
UNLIMITED: Final = fired("S01", "disable-control", **LLM)
CORES_OFF: Final = fired("S01", "core-limit-off", **LLM)
OVER_PROMISE: Final = fired("S03", "over-promise", **CHAT_0)
IDLE: Final = fired("card-held-idle", **ON_CARD)
SILENT: Final = fired("S06", "silent", "warning", **ON_NODE)
FROZEN: Final = fired("S06", "silent", "critical", **ON_NODE)
FROZEN_BESIDE: Final = fired("S06", "silent", "critical", node="gpu-2")
BLIND: Final = fired("inputs-missing", check="S03")

UNREACHABLE: Final = fired(
    "S07", "unreachable", namespace="kube-system", object="Service/kube-system/hami-scheduler"
)
HANDSHAKES: Final = fired("source-down", source="webhook-certificate")

# What is silenced, by what.
SILENCED: Final[Mapping[str, tuple[Labels, Labels]]] = {
    "a lost card: its heat": (GONE, HOT),
    "a lost card: its heat, its node unnamed": (
        GONE,
        fired("H05", "fixed", "warning", UUID="GPU-a"),
    ),
    "a lost card: a lesser XID": (GONE, XID_94),
    "a lost card: what a tenant does on it": (GONE, OVER_PROMISE),
    "a lost card: what an object does on it": (GONE, UNLIMITED),
    "a lost card: that it is held idle": (GONE, IDLE),
    "a node without cards: a card's warning": (NO_CARDS, WARM),
    "a node without cards: an idle card": (NO_CARDS, IDLE),
    "cut clocks: the heat": (THROTTLED, HOT),
    "cut clocks: the memory's heat": (THROTTLED, fired("H06", "memory", "critical", **card())),
    "slowed clocks: a warning of heat": (SLOWED, WARM),
    "no plugin: its monitor": (PLUGIN, FROZEN),
    "no plugin: its registration": (PLUGIN, fired("S12", "missing", **ON_NODE, object="a")),
    "no label: the monitor": (LABEL, SILENT),
    "no label: the heartbeat": (LABEL, fired("S12", "heartbeat", **ON_NODE)),
    "no exporter: the webhook": (DEAD, fired("S07", "absent", object="a")),
    "no exporter: a tenant": (DEAD, OVER_PROMISE),
    "no exporter: an idle card": (DEAD, IDLE),
    "no exporter: its sources": (DEAD, fired("source-down", source="dcgm")),
    "no exporter: a blind sharing check": (DEAD, BLIND),
    "no answer of the webhook: the handshakes": (UNREACHABLE, HANDSHAKES),
    "no answer of the webhook: its certificate cannot be judged": (
        UNREACHABLE,
        fired("inputs-missing", check="S08"),
    ),
    "no pods: no new page": (
        fired("source-down", source="kubernetes-pods"),
        fired("refresh-stuck", instance="10.0.0.9:9835"),
    ),
    "two severities: a link": (
        fired("H11", "link", "critical", **card()),
        fired("H11", "link", "warning", **card()),
    ),
    "two severities: XIDs of a card": (XID_79, XID_94),
    "two severities: a node": (FROZEN, SILENT),
    "two severities: a certificate": (
        fired("S08", "ends", "critical", object="m", webhook="a"),
        fired("S08", "ends", "warning", object="m", webhook="a"),
    ),
    "two severities: a licence": (
        fired("S17", "ends", "critical", licence="a", source="s"),
        fired("S17", "ends", "warning", licence="a", source="s"),
    ),
}

# What might be thought to be silenced, and is not.
TOLD: Final[Mapping[str, tuple[Labels, Labels]]] = {
    "a lost card: another card": (GONE, HOT_BESIDE),
    "a lost card: the critical XID that says why": (GONE, XID_79),
    "a lost card: its node's plugin": (GONE, PLUGIN),
    "a lost card: what is on no card": (GONE, fired("S09", "pending", namespace="a", object="b")),
    "a card to drain of traffic: its heat": (DRAIN, WARM),
    "a node without cards: another node": (
        NO_CARDS,
        fired("H05", "margin", "warning", **card("GPU-c", node="gpu-2")),
    ),
    "a node without cards: a tenant without limits": (NO_CARDS, UNLIMITED),
    "a node without cards: its monitor": (NO_CARDS, SILENT),
    "cut clocks: another card's heat": (THROTTLED, HOT_BESIDE),
    "slowed clocks: critical heat": (SLOWED, HOT),
    "heat: slowed clocks": (HOT, SLOWED),
    "no plugin: another node's monitor": (PLUGIN, FROZEN_BESIDE),
    "no plugin: a tenant of the node": (PLUGIN, CORES_OFF),
    "no plugin: the label": (PLUGIN, LABEL),
    "no label: what is critical": (LABEL, FROZEN),
    "no label: the plugin": (LABEL, PLUGIN),
    "no exporter: the hardware": (DEAD, WARM),
    "no exporter: a blind hardware check": (DEAD, fired("inputs-missing", check="H02")),
    "no exporter: a guest's licence": (DEAD, fired("S17", "vgpu-unlicensed", **card())),
    "no exporter: renamed labels": (DEAD, fired("labels-renamed", job="gpuatlas")),
    "no answer of the webhook: another source": (UNREACHABLE, fired("source-down", source="dcgm")),
    "no answer of the webhook: another blind check": (UNREACHABLE, BLIND),
    "a webhook without endpoints: the handshakes": (
        fired("S07", "no-endpoints", namespace="kube-system", object="Service/kube-system/hami"),
        HANDSHAKES,
    ),
    "failing handshakes: the webhook": (HANDSHAKES, UNREACHABLE),
    "no dcgm-exporter: no new page": (
        fired("source-down", source="dcgm"),
        fired("refresh-stuck", instance="10.0.0.9:9835"),
    ),
    "two severities: two cards": (
        fired("H11", "link", "critical", **card("GPU-b")),
        fired("H11", "link", "warning", **card()),
    ),
    "two severities: two signals of a card": (
        fired("H04", "remap-failed", **card()),
        fired("H04", "correctable", **card()),
    ),
    "two severities: two signals of an object": (UNLIMITED, CORES_OFF),
    "two severities: two tenants of a card": (
        OVER_PROMISE,
        fired("S03", "over-limit", **{**CHAT_0, "pod": "chat-1"}),
    ),
    "two severities: two certificates": (
        fired("S08", "ends", "critical", object="m", webhook="b"),
        fired("S08", "ends", "warning", object="m", webhook="a"),
    ),
    "two severities: two licences": (
        fired("S17", "ends", "critical", licence="b", source="s"),
        fired("S17", "ends", "warning", licence="a", source="s"),
    ),
    "a node: another check of its cards": (FROZEN, fired("S03", "uncounted", **ON_CARD)),
}


@dataclass(frozen=True)
class Running:
    """A real Alertmanager with the example, and what it sends."""

    alertmanager: AlertmanagerServer
    receiver: Receiver

    def told(self, labels: Labels) -> bool:
        return any(told.labels == labels for told in self.receiver.notifications())

    def post(self, labels: Labels) -> None:
        self.alertmanager.post([{"labels": labels, "endsAt": NEVER}])

    def wait_until_told(self, labels: Labels) -> None:
        self.post(labels)
        poll(
            lambda: self.told(labels) or None,
            deadline_seconds=DEADLINE_SECONDS,
            waiting_for=f"a message about {labels}",
        )

    def wait_until_silenced(self, labels: Labels, by: Labels) -> None:
        self.post(labels)
        poll(
            lambda: self._is_silenced(labels, by) or None,
            deadline_seconds=DEADLINE_SECONDS,
            waiting_for=f"{labels} to be silenced",
        )

    def _is_silenced(self, labels: Labels, by: Labels) -> bool:
        held = self.alertmanager.alerts()
        (source,) = [alert["fingerprint"] for alert in held if alert["labels"] == by]
        (target,) = [alert["status"] for alert in held if alert["labels"] == labels]
        return bool(target["inhibitedBy"] == [source])


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    required(lambda: system_binary("prometheus-alertmanager", package="prometheus-alertmanager"))
    with Receiver() as receiver:
        config = delivered_to(receiver.url, wait="50ms", interval="200ms")
        folder = tmp_path_factory.mktemp("alertmanager")
        with AlertmanagerServer(config, work_dir=folder) as alertmanager:
            yield Running(alertmanager, receiver)


@pytest.mark.parametrize("name", SILENCED)
def test_the_first_silences_the_second(name: str, running: Running) -> None:
    source, target = (alert | {"cluster": name} for alert in SILENCED[name])

    running.wait_until_told(source)
    # It may be told before it counts as a source; a twin of the target shows when it does.
    running.wait_until_silenced(target | {"twin": "yes"}, by=source)
    running.wait_until_silenced(target, by=source)

    # By the time that a later alert has been told, the target would have been.
    running.wait_until_told(fired("labels-renamed", cluster=name, job="later"))
    assert not running.told(target)


@pytest.mark.parametrize("name", TOLD)
def test_the_first_leaves_the_second(name: str, running: Running) -> None:
    source, target = (alert | {"cluster": name} for alert in TOLD[name])

    running.wait_until_told(source)
    running.wait_until_told(target)


@pytest.mark.parametrize("name", SILENCED)
def test_another_cluster_is_left_alone(name: str, running: Running) -> None:
    source, target = SILENCED[name]

    running.wait_until_told(source | {"cluster": f"here: {name}"})
    running.wait_until_told(target | {"cluster": f"there: {name}"})


def test_alerts_without_a_cluster_are_of_one(running: Running) -> None:
    running.wait_until_told(DEAD)

    running.wait_until_silenced(OVER_PROMISE, by=DEAD)
    running.wait_until_told(OVER_PROMISE | {"cluster": "named"})
