"""S16: the parts of one installation are of one release, and of none that is known to be broken.

The image's tag tells the release; where it moves ("latest") or names none, the program's own page,
and last the label that the chart wrote. Facts: facts/hami.md 5.2, 6.1, 6.3 (I11). Pure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from gpuatlas.checks.context import HAMI_SCHEDULER, CheckContext
from gpuatlas.checks.layer_inputs import DAEMON_SETS, DEPLOYMENTS, unread
from gpuatlas.checks.plugin_pods import owner_of
from gpuatlas.checks.release import release_of, release_of_image
from gpuatlas.checks.soft import SOFT_LAYERS
from gpuatlas.checks.verdict import unread_pods, verdict
from gpuatlas.join.requests import FINISHED
from gpuatlas.model.checks import CheckResult, Finding, MissingInput
from gpuatlas.model.device_plugins import COMPONENT
from gpuatlas.model.layer import LayerController, main_image
from gpuatlas.model.objects import Pod

CHECK: Final = "S16"
_INSTANCE: Final = "app.kubernetes.io/instance"
_PLUGIN: Final = "hami-device-plugin"
# facts/hami.md 5.2: its library lays out the shared region in another way under the same version
# number, so that monitors of other releases, and its own, read nonsense (HAMi issue 1811).
BROKEN: Final = {"2.8.1": "its library's shared region is misread by every monitor"}


class _Running(NamedTuple):
    """One pod of the layer, what it runs and of which release that is ("" unknown)."""

    pod: Pod
    image: str
    release: str


def skew(context: CheckContext) -> CheckResult:
    """Schedulers, plugins and replicas of different releases."""
    nodes = [name for name, layers in context.layers.items() if layers & SOFT_LAYERS]
    plugins, schedulers = list(_plugins(context)), list(_schedulers(context))
    findings = [
        *_components(context),
        *(f for own in _grouped(plugins) for f in _differing("nodes", own)),
        *(f for own in _grouped(schedulers) for f in _differing("replicas", own)),
        *_broken(context, plugins),
    ]
    missing = [*unread_pods(context, CHECK), *_lacking(context)]
    # Nobody mends it node by node.
    return replace(verdict(CHECK, nodes, findings, missing), nodes=())


def _plugins(context: CheckContext) -> Iterator[_Running]:
    for (node, _), pods in sorted(context.plugins.pods.items()):
        page = context.monitors.pages.get(node)
        for pod in pods:
            if _runs(pod) and pod.controller is not None:
                yield _running(pod, page.version if page is not None else "")


def _schedulers(context: CheckContext) -> Iterator[_Running]:
    pages = {page.target: page.version for page in context.observations.schedulers}
    for pod in sorted(context.observations.pods.values(), key=lambda pod: pod.key):
        own = pod.labels.get(COMPONENT) == HAMI_SCHEDULER and pod.namespace in context.hami_homes
        if own and _runs(pod):
            yield _running(pod, pages.get(f"{pod.namespace}/{pod.name}", ""))


def _runs(pod: Pod) -> bool:
    return not pod.deleting and pod.phase not in FINISHED


def _running(pod: Pod, told: str) -> _Running:
    images = {c.name: c.image for c in pod.containers if c.kind == "main"}
    image = main_image(images, pod.labels.get(COMPONENT, ""))
    return _Running(pod, image, release_of_image(image) or release_of(told))


def _grouped(running: Iterable[_Running]) -> Iterator[list[_Running]]:
    """Pods that should run the same: those of one DaemonSet, or of one scheduler's Deployment."""
    found: dict[tuple[str, ...], list[_Running]] = defaultdict(list)
    for one in running:
        pod = one.pod
        component, instance = pod.labels.get(COMPONENT, ""), pod.labels.get(_INSTANCE, "")
        # Each rollout of a Deployment has a ReplicaSet of its own: the labels tell which are one.
        owner = instance if component == HAMI_SCHEDULER else owner_of(pod)
        found[pod.namespace, component, owner].append(one)
    yield from found.values()


def _differing(signal: str, running: Sequence[_Running]) -> Iterator[Finding]:
    """The pods that run something else than most; a moving tag says nothing of one with a release.

    A tag with a release is the same release from any registry, whatever a build adds to it.
    """
    releases = Counter(one.release for one in running if one.release)
    images = Counter(one.image for one in running if not one.release)
    for kind, counts in (("release", releases), ("image", images)):
        if len(counts) > 1:
            usual = max(counts, key=lambda name: (counts[name], name))
            for one in running:
                mine = one.release or one.image
                if mine in counts and mine != usual:
                    note = f"{counts[usual]} of {counts.total()} run {kind} {usual}"
                    yield _finding(signal, one, note)


def _finding(signal: str, one: _Running, note: str) -> Finding:
    pod = one.pod
    node = f" on node {pod.node}" if pod.node else ""
    release = "" if release_of_image(one.image) else f" (release {one.release})"
    return Finding(
        check=CHECK,
        signal=signal,
        object=owner_of(pod),
        namespace=pod.namespace,
        pod=pod.name,
        source=f"image of pod {pod.namespace}/{pod.name}{node}",
        record=f"{one.image}{release if one.release else ''}; {note}",
    )


def _pairs(
    context: CheckContext,
) -> Iterator[tuple[Sequence[LayerController], Sequence[LayerController]]]:
    """Schedulers and plugins of one namespace: the chart installs both there."""
    found: dict[str, tuple[list[LayerController], list[LayerController]]] = {}
    for controller in context.layer.controllers:
        pair = found.setdefault(controller.namespace, ([], []))
        if controller.component == HAMI_SCHEDULER:
            pair[0].append(controller)
        elif controller.component == _PLUGIN:
            pair[1].append(controller)
    return ((schedulers, plugins) for schedulers, plugins in found.values() if plugins)


def _release(context: CheckContext, controller: LayerController) -> str:
    """The release of what the controller runs, "" where nothing tells it."""
    image = release_of_image(controller.main_image)
    return image or _told_by_page(context, controller) or release_of(controller.version)


def _told_by_page(context: CheckContext, controller: LayerController) -> str:
    """The release that all pages of the program agree on."""
    start = f"{controller.namespace}/{controller.name}-"
    if controller.component == HAMI_SCHEDULER:
        pages = (p for p in context.observations.schedulers if p.target.startswith(start))
        told = {release_of(page.version) for page in pages}
    else:
        told = {release_of(page.version) for page in context.monitors.pages.values()}
    return told.pop() if len(told) == 1 else ""


def _components(context: CheckContext) -> Iterator[Finding]:
    for schedulers, plugins in _pairs(context):
        leading = {r: c for c in schedulers if (r := _release(context, c))}
        for plugin in plugins:
            release = _release(context, plugin)
            if release and leading and release not in leading:
                other = leading[min(leading)]
                yield Finding(
                    check=CHECK,
                    signal="components",
                    object=plugin.object,
                    namespace=plugin.namespace,
                    source=f"images of {plugin.object} and {other.object}",
                    record=f"{_shown(plugin, release)}; {_shown(other, min(leading))}",
                )


def _shown(controller: LayerController, release: str) -> str:
    image = controller.main_image
    return f"{image} ({release})" if release != release_of_image(image) else image


def _broken(context: CheckContext, plugins: Iterable[_Running]) -> Iterator[Finding]:
    """DaemonSets of HAMi's plugin with a broken release, or with pods that still have one."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for one in plugins:
        if one.pod.labels.get(COMPONENT) == _PLUGIN and one.release in BROKEN:
            found[owner_of(one.pod)].append((one.release, one.image))
    for controller in context.layer.controllers:
        release = _release(context, controller)
        if controller.component == _PLUGIN and release in BROKEN:
            found[controller.object] = found[controller.object] or [
                (release, controller.main_image)
            ]
    for name, running in found.items():
        release, image = running[0]
        yield Finding(
            check=CHECK,
            signal="broken",
            object=name,
            namespace=name.split("/")[1],
            source=f"image of {name}",
            record=f"{image}: HAMi {release}, {BROKEN[release]}",
            count=len(running),
        )


def _lacking(context: CheckContext) -> Iterator[MissingInput]:
    """Releases that nothing tells, so that nobody can compare them."""
    if not context.hami_nodes:
        return
    yield from unread(context, CHECK, DAEMON_SETS, DEPLOYMENTS)
    for schedulers, plugins in _pairs(context):
        for controller in (*schedulers, *plugins):
            if not _release(context, controller):
                reason = (
                    f"{controller.object} runs {controller.main_image}: use a tag that names a "
                    "release, or set the label app.kubernetes.io/version"
                )
                yield MissingInput(check=CHECK, input="version", reason=reason)
