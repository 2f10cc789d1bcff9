"""S04 and S09: who uses shared cards without the layer's leave. Pure.

Sources: facts/hami.md 6.2, 6.3 (I2 to I5), facts/k8s.md 1.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gpuatlas.checks.asking import (
    hami_asked,
    hami_vendors,
    is_admitted,
    shares_asked,
    volcano_asked,
)
from gpuatlas.checks.context import HAMI, HAMI_SCHEDULER, CheckContext
from gpuatlas.checks.layer_inputs import DEPLOYMENTS
from gpuatlas.checks.pod_finding import pod_finding
from gpuatlas.checks.quote import Quote
from gpuatlas.checks.soft import VOLCANO, running
from gpuatlas.checks.strangers import strangers
from gpuatlas.checks.verdict import unread_pods, verdict
from gpuatlas.model.checks import CheckResult, Finding, MissingInput
from gpuatlas.model.objects import Pod

UNACCOUNTED: Final = "S04"
BYPASSED: Final = "S09"

DEFAULT_SCHEDULER: Final = "default-scheduler"
# As the charts name them. HAMi's can be renamed, and its Lease with it (facts/hami.md 6.1).
HAMI_SCHEDULER_NAME: Final = "hami-scheduler"
VOLCANO_SCHEDULER: Final = "volcano"
_NAME_FLAGS: Final = ("scheduler-name", "leader-elect-resource-name")
IGNORE_LABEL: Final = ("hami.io/webhook", "ignore")
# Where HAMi counts under another name, the plain one is another plugin's (facts/errata.md, HAMi).
DEFAULT_COUNT: Final = "nvidia.com/gpu"
RENAMED_COUNT: Final = "nvidia.com/vgpu"


def unaccounted(context: CheckContext) -> CheckResult:
    """S04: pods that reach cards of shared nodes and ask for none."""
    findings = [
        pod_finding(context, UNACCOUNTED, access.signal, pod, access.quote)
        for node in sorted(context.layers)
        for pod, ways in strangers(context, node)
        for access in ways
    ]
    return verdict(UNACCOUNTED, context.layers, findings, unread_pods(context, UNACCOUNTED))


def bypassed(context: CheckContext) -> CheckResult:
    """S09: pods that ask for shares of a layer and that the layer did not admit."""
    nodes = [name for name, layers in context.layers.items() if layers & {HAMI, VOLCANO}]
    sight = _Sight(
        context=context,
        vendors={node: hami_vendors(context, node) for node in nodes},
        schedulers=_schedulers_of_hami(context),
        unread=_unread(context),
    )
    missing = [*unread_pods(context, BYPASSED), *_doubts(sight)]
    findings = [*_of_placed(sight), *_of_waiting(sight)]
    return verdict(BYPASSED, nodes, findings, missing)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sight:
    """What S09 needs to know once: node → HAMi's vendors there, and who schedules for HAMi.

    `unread` says why HAMi's scheduler may have a name that is not in `schedulers`, or "".
    """

    context: CheckContext
    vendors: Mapping[str, frozenset[str]]
    schedulers: frozenset[str]
    unread: str

    def placed(self) -> Iterator[tuple[Pod, frozenset[str]]]:
        """The pods that hold something on nodes of a layer, with HAMi's vendors there."""
        for node, vendors in sorted(self.vendors.items()):
            for pod in self.context.pods_by_node.get(node, ()):
                if pod.holds:
                    yield pod, vendors

    def is_doubtful(self, pod: Pod) -> bool:
        """Whether the pod's scheduler could be HAMi's under another name."""
        return self.unread != "" and pod.scheduler not in {DEFAULT_SCHEDULER, VOLCANO_SCHEDULER}


def _unadmitted(sight: _Sight, pod: Pod, vendors: frozenset[str]) -> list[str]:
    """Resources that the pod asks of a layer whose scheduler did not place it."""
    if is_admitted(pod):
        return []
    volcano = pod.scheduler == VOLCANO_SCHEDULER
    hami = pod.scheduler in sight.schedulers
    return ([] if hami else _of_hami(sight, pod, vendors)) + ([] if volcano else _of_volcano(pod))


def _of_placed(sight: _Sight) -> Iterator[Finding]:
    for pod, vendors in sight.placed():
        asked = _unadmitted(sight, pod, vendors)
        if asked and not sight.is_doubtful(pod):
            said = _scheduler_of(pod, asked[0])
            yield pod_finding(sight.context, BYPASSED, "default-scheduler", pod, said)
        if _passes_the_webhook(pod) and _of_hami(sight, pod, vendors):
            yield from _past_the_webhook(sight, pod, vendors)


def _of_waiting(sight: _Sight) -> Iterator[Finding]:
    """Pods that no node has taken: which layer they are for is told by shares alone.

    A whole card can be wanted on a node without the layer.
    """
    vendors: frozenset[str] = frozenset().union(*sight.vendors.values())
    for pod in sight.context.observations.pods.values():
        if pod.node or pod.phase != "Pending" or not sight.vendors:
            continue
        hami = [r for container in pod.containers for r in shares_asked(container, vendors)]
        asked = hami + _of_volcano(pod)
        if asked and pod.scheduler == DEFAULT_SCHEDULER:
            said = _scheduler_of(pod, asked[0])
            yield pod_finding(sight.context, BYPASSED, "pending", pod, said)
        if hami and _passes_the_webhook(pod):
            yield from _past_the_webhook(sight, pod, vendors)


def _passes_the_webhook(pod: Pod) -> bool:
    """Whether anything of the pod can keep HAMi's webhook from it, if it asks for HAMi's cards."""
    key, value = IGNORE_LABEL
    return bool(pod.access.privileged) or pod.labels.get(key) == value


def _past_the_webhook(sight: _Sight, pod: Pod, vendors: frozenset[str]) -> Iterator[Finding]:
    """What lets a pod that asks for HAMi's cards past its webhook, whatever became of it."""
    key, value = IGNORE_LABEL
    if pod.labels.get(key) == value:
        said = Quote(f"pod label {key}", f"{key}: {value}")
        yield pod_finding(sight.context, BYPASSED, "ignore-label", pod, said)
    for container in running(pod).values():
        asked = hami_asked(container, vendors)
        if asked and container.name in pod.access.privileged:
            record = f"privileged: true, {asked[0]}: {container.limits[asked[0]]}"
            said = Quote(f"securityContext and limits of container {container.name}", record)
            yield pod_finding(sight.context, BYPASSED, "privileged", pod, said)


def _of_hami(sight: _Sight, pod: Pod, vendors: frozenset[str]) -> list[str]:
    """HAMi's resources that the pod asks for on its node."""
    node = sight.context.nodes.get(pod.node)
    renamed = node is not None and RENAMED_COUNT in node.capacity
    asked = [r for container in pod.containers for r in hami_asked(container, vendors)]
    return [r for r in asked if not (renamed and r == DEFAULT_COUNT)]


def _of_volcano(pod: Pod) -> list[str]:
    return [r for container in pod.containers for r in volcano_asked(container)]


def _scheduler_of(pod: Pod, resource: str) -> Quote:
    amount = next(c.limits[resource] for c in pod.containers if resource in c.limits)
    record = f"schedulerName: {pod.scheduler}, {resource}: {amount}"
    return Quote("pod spec.schedulerName and limits", record)


def _schedulers_of_hami(context: CheckContext) -> frozenset[str]:
    named = {
        controller.flags.get(flag, "")
        for controller in context.layer.controllers
        if controller.component == HAMI_SCHEDULER
        for flag in _NAME_FLAGS
    }
    return frozenset({HAMI_SCHEDULER_NAME, *named} - {"", DEFAULT_SCHEDULER})


def _unread(context: CheckContext) -> str:
    if context.layer.read_at is None:
        return "the objects of the layer are not read"
    return context.layer.unread.get(DEPLOYMENTS, "")


def _doubts(sight: _Sight) -> Iterator[MissingInput]:
    """Nodes with a pod of which nobody can say whether HAMi's scheduler placed it."""
    found: dict[str, str] = {}
    for pod, vendors in sight.placed():
        if sight.is_doubtful(pod) and _unadmitted(sight, pod, vendors):
            found.setdefault(pod.node, pod.scheduler)
    for node, scheduler in found.items():
        reason = f"{sight.unread}: whether {scheduler} is a scheduler of HAMi is not known"
        yield MissingInput(check=BYPASSED, input=DEPLOYMENTS, node=node, reason=reason)
