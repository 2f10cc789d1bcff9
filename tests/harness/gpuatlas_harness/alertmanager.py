"""A real Alertmanager with our example configuration, and servers that keep what it sends."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from .binaries import system_binary
from .http import loopback_session
from .processes import LOOPBACK, Readiness, ServerProcess, free_ports

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "alerts" / "alertmanager" / "alertmanager.yaml"


@dataclass(frozen=True)
class Notification:
    """One alert of one message. ``status`` is firing or resolved; ``receiver`` who it went to."""

    receiver: str
    status: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]

    @property
    def check(self) -> str:
        return self.labels.get("check", "")


class Inbox:
    """A server on loopback that keeps the JSON posted to it: ``with Inbox() as inbox``."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._posted: list[tuple[str, dict[str, Any]]] = []
        inbox = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                inbox.take(self.path, json.loads(body))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Not on the terminal of the tests."""

        self._server = ThreadingHTTPServer((LOOPBACK, 0), Handler)
        self.url = f"http://{LOOPBACK}:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def take(self, path: str, content: dict[str, Any]) -> None:
        with self._lock:
            self._posted.append((path, content))

    def posted(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        """Path and content of all so far, in the order in which they came."""
        with self._lock:
            return tuple(self._posted)

    def clear(self) -> None:
        with self._lock:
            self._posted.clear()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Receiver(Inbox):
    """A webhook receiver: ``with Receiver() as receiver``."""

    def notifications(self) -> tuple[Notification, ...]:
        """All alerts of all messages so far, in the order in which they came."""
        return tuple(
            Notification(
                receiver=message["receiver"],
                status=alert["status"],
                labels=alert["labels"],
                annotations=alert["annotations"],
            )
            for _, message in self.posted()
            for alert in message["alerts"]
        )


def delivered_to(receiver_url: str, *, wait: str, interval: str) -> dict[str, Any]:
    """The example's routes and inhibitions, every receiver replaced by a webhook to one URL.

    Waits before and between messages are shortened to ``wait`` and ``interval``; nothing else.
    """
    config: dict[str, Any] = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    config["global"] = {"resolve_timeout": interval}
    config["templates"] = [str(EXAMPLE.with_name("gpuatlas.tmpl"))]
    config["receivers"] = [
        {
            "name": named["name"],
            "webhook_configs": [{"url": f"{receiver_url}/{named['name']}", "send_resolved": True}],
        }
        for named in config["receivers"]
    ]
    _hasten(config["route"], wait=wait, interval=interval)
    return config


def rendered_to(inbox_url: str, mailbox: str, work_dir: Path) -> dict[str, Any]:
    """The example's chat, webhook and mail, all of which get every alert, grouped as there.

    Chat and webhook go to the paths /chat and /webhook of an inbox, mail to a box; mail is told
    what is resolved, too.
    """
    example: dict[str, Any] = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    named = {receiver["name"]: receiver for receiver in example["receivers"]}
    address = work_dir / "chat-address"
    address.write_text(f"{inbox_url}/chat\n", encoding="utf-8")
    (chat,) = named["platform-chat"]["slack_configs"]
    (mail,) = named["platform-mail"]["email_configs"]
    (webhook,) = named["on-call"]["webhook_configs"]
    (ours,) = example["route"]["routes"]
    return {
        "global": example["global"] | {"smtp_smarthost": mailbox, "smtp_require_tls": False},
        "templates": [str(EXAMPLE.with_name("gpuatlas.tmpl"))],
        "route": {
            "receiver": "all",
            "group_by": ours["group_by"],
            "group_wait": "100ms",
            "group_interval": "300ms",
        },
        "receivers": [
            {
                "name": "all",
                "slack_configs": [chat | {"api_url_file": str(address)}],
                "webhook_configs": [webhook | {"url": f"{inbox_url}/webhook"}],
                "email_configs": [mail | {"send_resolved": True}],
            }
        ],
    }


def _hasten(route: dict[str, Any], *, wait: str, interval: str) -> None:
    for key, value in (("group_wait", wait), ("group_interval", interval)):
        if key in route:
            route[key] = value
    for below in route.get("routes", ()):
        _hasten(below, wait=wait, interval=interval)


class AlertmanagerServer:
    """``with AlertmanagerServer(config, work_dir=...) as alertmanager`` starts and stops it.

    ``external_url`` is the address that its messages give as its own.
    """

    def __init__(
        self, config: Mapping[str, Any], *, work_dir: Path, external_url: str = ""
    ) -> None:
        config_file = work_dir / "alertmanager.json"
        config_file.write_text(json.dumps(config, indent=2), encoding="utf-8")
        self.address = f"{LOOPBACK}:{free_ports(1)[0]}"
        self.url = f"http://{self.address}"
        self.process = ServerProcess(
            "alertmanager",
            [
                system_binary("prometheus-alertmanager", package="prometheus-alertmanager"),
                f"--config.file={config_file}",
                f"--storage.path={work_dir / 'alertmanager'}",
                f"--web.listen-address={self.address}",
                f"--web.external-url={external_url or self.url}",
                "--web.route-prefix=/",
                "--cluster.listen-address=",
            ],
            readiness=Readiness(f"{self.url}/-/ready"),
            log_dir=work_dir,
        )
        self._session = loopback_session()

    def post(self, alerts: Sequence[Mapping[str, object]]) -> None:
        """Alerts as its API takes them: labels, annotations, startsAt, endsAt."""
        answer = self._session.post(f"{self.url}/api/v2/alerts", json=list(alerts), timeout=10)
        answer.raise_for_status()

    def alerts(self, *matchers: str) -> list[dict[str, Any]]:
        """What it holds, with the fingerprints of the alerts that silence each."""
        parameters = [("filter", matcher) for matcher in matchers]
        answer = self._session.get(f"{self.url}/api/v2/alerts", params=parameters, timeout=10)
        answer.raise_for_status()
        found: list[dict[str, Any]] = answer.json()
        return found

    def __enter__(self) -> Self:
        self.process.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._session.close()
        self.process.stop()
