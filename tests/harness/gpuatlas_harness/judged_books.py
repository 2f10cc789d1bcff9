"""HAMi nodes whose cards are promised beyond what is registered, and what is judged of them."""

from __future__ import annotations

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.checks import CheckReport
from gpuatlas.model.observations import Observations
from gpuatlas.model.snapshot import NodeSnapshot
from gpuatlas.runtime.checking import Checker
from gpuatlas.runtime.scope import Scope
from gpuatlas_harness.checked_books import a_book, a_layer, a_tenant, in_books
from gpuatlas_harness.checked_layers import a_plugin_pod, a_shared_node
from gpuatlas_harness.observed import a_device, observations


def seen_books(*nodes: str, mib: int = 40_000, **changes: object) -> Observations:
    """HAMi nodes with one card each, of which a tenant was promised so much."""
    numbered = list(enumerate(nodes, start=1))
    pods = [
        a_tenant(
            f"t-{name}",
            mib,
            card=number,
            node=name,
            annotations={"hami.io/vgpu-node": name},
        )
        for number, name in numbered
    ]
    values: dict[str, object] = {
        "layer": a_layer(),
        "schedulers": (a_book(in_books(None)),),
    }
    return observations(
        [a_shared_node(name, a_device(number)) for number, name in numbered],
        [*pods, *(a_plugin_pod(name) for name in nodes)],
        **(values | changes),
    )


def judged(inputs: Observations, scope: Scope) -> CheckReport:
    return Checker(scope).judge(inputs, Joiner().build(inputs), 0.0)


def books_of(report: CheckReport) -> list[str]:
    """Nodes whose card is promised beyond what is registered."""
    return [f.node for f in report.findings if f.signal == "over-schedulable"]


class Tripping(dict[str, NodeSnapshot]):
    """Nodes of a snapshot that no evaluator can look at."""

    def items(self) -> object:  # type: ignore[override]
        raise RuntimeError("a fault of ours")
