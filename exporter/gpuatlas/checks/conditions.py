"""How records quote the state of pods and nodes, and instants. Pure."""

from __future__ import annotations

from datetime import UTC, datetime

from gpuatlas.checks.context import CheckContext
from gpuatlas.model.objects import Pod


def rfc3339(at: float) -> str:
    """An instant in Unix seconds as Kubernetes writes it: "2026-10-01T00:00:00Z"."""
    try:
        return datetime.fromtimestamp(int(at), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):  # beyond the calendar
        return f"{at:g} s after 1970"


def pod_status(pod: Pod) -> str:
    """A pod's name and status, shortest facts first: "pod a/b: phase Pending, reason: message"."""
    ready = "" if pod.ready else ", not Ready"
    leaving = ", terminating" if pod.deleting else ""
    why = ": ".join(filter(None, (pod.reason or pod.waiting_reason, pod.message)))
    told = f", {why}" if why else ""
    return f"pod {pod.namespace}/{pod.name}: phase {pod.phase}{ready}{leaving}{told}"


def node_doubt(context: CheckContext, node: str) -> str:
    """What about the node itself explains that its pods fail, "" for nothing."""
    found = context.nodes.get(node)
    return f"node {node} is not Ready" if found is not None and not found.ready else ""


def joined(*parts: str) -> str:
    """The parts that say something, as one record."""
    return "; ".join(filter(None, parts))
