"""`gpuatlas serve` as a process, as a user runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from .http import loopback_session
from .page import Page
from .polling import poll_until
from .processes import LOOPBACK, Readiness, ServerProcess, free_ports

FIRST_SNAPSHOT_SECONDS = 60.0


class ServeProcess:
    """A running exporter: `with ServeProcess(dir, "--kubeconfig", path) as exporter`."""

    def __init__(self, work_dir: Path, *arguments: str | Path, ready_path: str = "/readyz") -> None:
        self.port = free_ports(1)[0]
        self.url = f"http://{LOOPBACK}:{self.port}"
        command = [sys.executable, "-m", "gpuatlas", "serve", "--listen", f"{LOOPBACK}:{self.port}"]
        self.process = ServerProcess(
            "gpuatlas",
            [Path(command[0]), *command[1:], *arguments],
            readiness=Readiness(f"{self.url}{ready_path}", deadline_seconds=FIRST_SNAPSHOT_SECONDS),
            log_dir=work_dir,
        )

    def __enter__(self) -> Self:
        self.process.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.process.stop()

    def text(self) -> str:
        """The page as it is now."""
        with loopback_session() as session:
            answer = session.get(f"{self.url}/metrics", timeout=30)
        answer.raise_for_status()
        return answer.text

    def page(self) -> Page:
        """The page, read back."""
        return Page(self.text())

    def wait_for(self, name: str, expected: list[float], **labels: str) -> Page:
        """The first page on which these series have exactly these values."""
        return poll_until(
            self.page,
            lambda page: page.values(name, **labels) == expected,
            deadline_seconds=30,
            waiting_for=f"{name}{labels} to become {expected}",
            showing=lambda page: page.values(name, **labels),
        )


def run_gpuatlas(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """One command, run to its end."""
    command = [sys.executable, "-m", "gpuatlas", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
