"""What the demo prints when it can be asked: the addresses, and what to type."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path


def invitation(exporter_url: str, api_url: str, kubeconfig: Path) -> str:
    """Lines for a terminal."""
    program = _program()
    return "\n".join(
        (
            "",
            f"exporter        {exporter_url}/metrics",
            f"Kubernetes API  {api_url} (simulated)",
            f"kubeconfig      {kubeconfig}",
            "",
            f"try it:         {program} cards --kubeconfig {kubeconfig}",
            f"                {program} workloads --kubeconfig {kubeconfig}",
            f"                {program} checks --kubeconfig {kubeconfig}",
            f"                {program} advise --kubeconfig {kubeconfig}",
            "",
            "Ctrl-C ends it.",
        )
    )


def invitation_to_the_past(prometheus_url: str) -> str:
    """Lines for a terminal, once there is a Prometheus with days to look back on."""
    asked = f"--prometheus-url {prometheus_url}"
    program = _program()
    return "\n".join(
        (
            f"try it:         {program} sizing {asked}",
            f"                {program} report {asked} --changed 1d",
            f"                {program} checks {asked}",
        )
    )


def _program() -> str:
    """What to type for `gpuatlas` here: `make demo` runs the source tree and installs nothing."""
    if Path(sys.argv[0]).name != "__main__.py":
        return "gpuatlas" if shutil.which("gpuatlas") else shlex.quote(sys.argv[0])
    words = shlex.join([os.path.relpath(sys.executable), "-m", "gpuatlas"])
    path = os.environ.get("PYTHONPATH")
    return f"PYTHONPATH={shlex.quote(path)} {words}" if path else words
