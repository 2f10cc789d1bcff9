"""A real etcd of one member on loopback."""

from __future__ import annotations

import base64
import os
from pathlib import Path

from .http import loopback_session
from .processes import LOOPBACK, Readiness, ServerProcess, free_ports

# The lowest key there can be: a range from it reads as little as possible.
LOWEST_KEY = base64.b64encode(b"\0").decode()
# The API server sends a bookmark only when etcd tells it of progress. Clusters commonly set 5 s
# where etcd's default is ten minutes; 1 s makes for short tests. As a variable and not a flag,
# because the flag's name depends on etcd's version.
SETTINGS = {"ETCD_WATCH_PROGRESS_NOTIFY_INTERVAL": "1s"}


class Etcd:
    """One etcd member with its data in ``work_dir``."""

    def __init__(self, binary: Path, work_dir: Path) -> None:
        client, peer = free_ports(2)
        self.url = f"http://{LOOPBACK}:{client}"
        peer_url = f"http://{LOOPBACK}:{peer}"
        self.process = ServerProcess(
            "etcd",
            [
                binary,
                "--name=default",
                f"--data-dir={work_dir / 'etcd-data'}",
                f"--listen-client-urls={self.url}",
                f"--advertise-client-urls={self.url}",
                f"--listen-peer-urls={peer_url}",
                f"--initial-advertise-peer-urls={peer_url}",
                f"--initial-cluster=default={peer_url}",
                # Test data need not outlive a power cut.
                "--unsafe-no-fsync",
            ],
            readiness=Readiness(f"{self.url}/health"),
            log_dir=work_dir,
            environment={**os.environ, **SETTINGS},
        )

    def revision(self) -> int:
        """The newest revision of the store; Kubernetes' resource versions are these numbers."""
        header = self._call("range", {"key": LOWEST_KEY, "count_only": True})["header"]
        if not isinstance(header, dict):
            message = f"etcd answered with the header {header!r}"
            raise TypeError(message)
        return int(header["revision"])

    def compact(self) -> int:
        """Forget all history before the newest revision, which is returned."""
        revision = self.revision()
        self._call("compaction", {"revision": str(revision), "physical": True})
        return revision

    def _call(self, method: str, body: dict[str, object]) -> dict[str, object]:
        with loopback_session() as session:
            answer = session.post(f"{self.url}/v3/kv/{method}", json=body, timeout=30)
            answer.raise_for_status()
            content: dict[str, object] = answer.json()
            return content
