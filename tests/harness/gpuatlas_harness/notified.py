"""Messages that the example for Alertmanager makes of alerts, and their golden files.

``python -m gpuatlas_harness.notified`` writes the files again; read the difference.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gpuatlas_harness.alert_rules import ROOT
from gpuatlas_harness.alertmanager import AlertmanagerServer, Inbox, rendered_to
from gpuatlas_harness.fired import fired, rule_of
from gpuatlas_harness.mailbox import Mail, Mailbox
from gpuatlas_harness.polling import poll

GOLDEN: Final = ROOT / "tests" / "rules" / "notifications"
EXTERNAL_URL: Final = "https://alertmanager.example.org"
DEADLINE_SECONDS: Final = 20.0
_BEGAN, _ENDED, _NEVER = "2024-01-05T10:00:00Z", "2024-01-05T11:02:03Z", "2100-01-01T00:00:00Z"
Alert = dict[str, Any]


def alert(labels: Mapping[str, str], *, minute: int = 0, **texts: str) -> Alert:
    """One that fires since ten o'clock and some minutes; static texts are those of its rule."""
    rule = rule_of(labels["check"], labels.get("signal", ""), labels["severity"])
    static = {
        name: text
        for name, text in rule.annotations.items()
        if "{{" not in text and name not in texts
    }
    return {
        "labels": dict(labels),
        "annotations": {**static, **texts},
        "startsAt": _BEGAN.replace(":00:00Z", f":{minute:02}:00Z"),
        "endsAt": _NEVER,
    }


def resolved(firing: Alert) -> Alert:
    """The same alert, ended at two past eleven."""
    return {**firing, "endsAt": _ENDED}


def _ecc(number: int) -> Alert:
    uuid = f"GPU-0000000{number}-0000-4000-8000-00000000000{number}"
    labels = fired(
        "H03", "volatile", UUID=uuid, gpu=str(number), device=f"nvidia{number}",
        modelName="NVIDIA A100-SXM4-80GB", Hostname="gpu-1", cluster="prod",
    )  # fmt: skip
    return alert(
        labels,
        minute=number,
        description=f"Card {uuid} (NVIDIA A100-SXM4-80GB, gpu {number}) on node gpu-1 has "
        f"{number + 1} uncorrectable errors since the last reset; the limit is 0.",
        pods=f"team-a/llm-{number}",
    )


def _finding(name: str, signal: str = "disable-control", /, **texts: str) -> Alert:
    labels = fired(
        "S01", signal, cluster="prod", node="gpu-1", card="GPU-a",
        namespace="team-a", object=f"Deployment/team-a/{name}",
    )  # fmt: skip
    return alert(labels, minute=0, **{"description": f"{name}: {signal}.", **texts})


def _licence() -> Alert:
    labels = fired("S17", "unreadable", cluster="prod", object="Secret/gpu-licence/licence")
    return alert(
        labels,
        description="Secret/gpu-licence/licence tells no date.",
        action="Compare the field with the exporter's setting.",
        pods="all tenants of the cluster: 12",
        evidence="licence setting: key not-after holds <soon>",
    )


def _gang(workload: str) -> Alert:
    labels = fired(
        "gang-waiting", cluster="prod", namespace="team-b", workload_kind="PyTorchJob",
        workload=workload, reason="quota",
    )  # fmt: skip
    return alert(
        labels,
        description=f"PyTorchJob team-b/{workload} has been waiting for 42m (quota); the limit is "
        "30m.",
        pods=f"team-b/{workload}-0",
    )


_TENANT: Final = "<!channel> <b>you</b> & `rm -rf` \"quoted\" 'twice' *bold* é"
# Name of the golden files: the alerts, of which a message of one group comes.
MESSAGES: Final[Mapping[str, list[Alert]]] = {
    "one": [
        _finding(
            "llm",
            description="Deployment/team-a/llm on node gpu-1 sets CUDA_DISABLE_CONTROL, so its "
            "memory and compute promise limits nothing; a container with a promise must not set "
            "it (findings: 1).",
            action="Take the variable out of the pod template.",
            pods="team-a/llm-0, team-a/llm-1",
            evidence="pod spec: env CUDA_DISABLE_CONTROL=true",
        )
    ],
    "group": [_ecc(number) for number in range(5)],
    "resolved": [resolved(_ecc(number)) for number in range(2)],
    "hostile": [
        _finding(
            "odd",
            description=f"Deployment/team-a/odd says {_TENANT}",
            action=_TENANT,
            pods=", ".join(f"team-a/llm-{number}" for number in range(200)),
            evidence=f"pod annotation: {_TENANT} {'x' * 1200}",
        )
    ],
    "partly-resolved": [_ecc(0), resolved(_ecc(1))],
    "many": [_ecc(0) | {"labels": _ecc(0)["labels"] | {"card": f"GPU-{n}"}} for n in range(12)],
    "without-a-node": [_licence()],
    "two-signals": [_finding("llm"), _finding("llm", "core-limit-off")],
    "beside-the-checks": [_gang("train-a"), _gang("train-b")],
}


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message as each receiver got it."""

    chat: Mapping[str, Any]
    webhook: Mapping[str, Any]
    mail: Mail

    def files(self, name: str) -> dict[Path, str]:
        """What the golden files must hold."""
        subject = self.mail.headers["Subject"]
        # A webhook gets what Alertmanager makes for itself: once is enough.
        once = {GOLDEN / f"{name}.webhook.json": _json(self.webhook)} if name == "one" else {}
        return once | {
            GOLDEN / f"{name}.slack.json": _json(self.chat),
            GOLDEN / f"{name}.mail.txt": f"Subject: {subject}\n\n{self.mail.text}",
            GOLDEN / f"{name}.mail.html": self.mail.html,
        }


def _json(content: object) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def message_of(alerts: Sequence[Alert], work_dir: Path) -> Message:
    """The message that a real Alertmanager makes of one group, its last where some are resolved."""
    with Inbox() as inbox, Mailbox() as mailbox:
        config = rendered_to(inbox.url, mailbox.address, work_dir)
        with AlertmanagerServer(
            config, work_dir=work_dir, external_url=EXTERNAL_URL
        ) as alertmanager:
            # What is resolved was told before.
            firing = [{**one, "endsAt": _NEVER} for one in alerts]
            alertmanager.post(firing)
            first = _wait_for_message(inbox, mailbox, firing)
            if firing == list(alerts):
                return first
            alertmanager.post(alerts)
            return _wait_for_message(inbox, mailbox, alerts)


def _wait_for_message(inbox: Inbox, mailbox: Mailbox, alerts: Sequence[Alert]) -> Message:
    """The first about all these alerts: what began long ago may be told before the others."""
    expected = sorted("firing" if one["endsAt"] == _NEVER else "resolved" for one in alerts)

    def look() -> Message | None:
        posted = inbox.posted()
        chats = [content for path, content in posted if path == "/chat"]
        webhooks = [content for path, content in posted if path == "/webhook"]
        for chat, webhook, mail in zip(chats, webhooks, mailbox.mails(), strict=False):
            if sorted(one["status"] for one in webhook["alerts"]) == expected:
                return Message(chat=chat, webhook=webhook, mail=mail)
        return None

    return poll(look, deadline_seconds=DEADLINE_SECONDS, waiting_for="three messages")


def main() -> None:
    """Write all golden files."""
    GOLDEN.mkdir(exist_ok=True)
    for name, alerts in MESSAGES.items():
        with tempfile.TemporaryDirectory() as folder:
            for file, text in message_of(alerts, Path(folder)).files(name).items():
                file.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{GOLDEN / name}\n")


if __name__ == "__main__":
    main()
