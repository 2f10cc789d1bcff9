"""Whether the versions are among those that are supported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gpuatlas.doctor.programs import dcgm_pods, hami_controllers, nvidia_nodes
from gpuatlas.doctor.releases import (
    DCGM_EXPORTER,
    HAMI,
    KUBERNETES,
    Range,
    dcgm_exporter_of,
    release_of,
    shown,
    tag_of,
)
from gpuatlas.doctor.results import Act, Area, Remedy, Result, State
from gpuatlas.model.doctor import ClusterFacts, SeenCluster

_NAMES: Final[Mapping[str, str]] = {
    "kubernetes": "Kubernetes",
    "hami": "HAMi",
    "dcgm-exporter": "dcgm-exporter",
}

_Release = tuple[int, int]


def examine_versions(cluster: ClusterFacts) -> Iterator[Result]:
    """Kubernetes, HAMi, dcgm-exporter and the driver, as far as they are here."""
    server = cluster.access.version
    yield from _judged("kubernetes", KUBERNETES, {server or "?": release_of(server)})
    if cluster.seen is None:
        text = f"HAMi, dcgm-exporter and driver: nodes and pods were not read: {cluster.error}"
        yield _result("others", State.UNKNOWN, text)
        return
    yield from _in_pods(cluster.seen)


def _in_pods(seen: SeenCluster) -> Iterator[Result]:
    hami, layer = _hami(seen), seen.observations.layer
    if not hami and layer.unread:
        text = f"whether HAMi runs here: {next(iter(layer.unread.values()))}"
        yield _result("hami", State.UNKNOWN, text)
    else:
        yield from _judged("hami", HAMI, hami, absent="no HAMi here")
    images = {image: dcgm_exporter_of(image) for image in _dcgm_images(seen)}
    yield from _judged("dcgm-exporter", DCGM_EXPORTER, images, absent="no dcgm-exporter here")
    yield from _driver(seen)


def _hami(seen: SeenCluster) -> dict[str, _Release | None]:
    found: dict[str, _Release | None] = {}
    for controller in hami_controllers(seen):
        image = controller.main_image
        release = release_of(tag_of(image)) or release_of(controller.version)
        found[f"{controller.object} {image or controller.version}"] = release
    if not found:
        told = [page.version for page in seen.observations.schedulers]
        told += [page.version for page in seen.observations.monitors]
        found = {version: release_of(version) for version in told if version}
    return found


def _dcgm_images(seen: SeenCluster) -> Iterator[str]:
    for pod in dcgm_pods(seen):
        yield from (c.image for c in pod.containers if "dcgm-exporter" in c.image)


def _judged(
    word: str, supported: Range, found: Mapping[str, _Release | None], absent: str = ""
) -> Iterator[Result]:
    """One result: by the worst of what was found."""
    if not found:
        if absent:
            yield _result(word, State.NOT_APPLICABLE, absent)
        return
    old = [text for text, release in found.items() if release and release < supported.first]
    new = [text for text, release in found.items() if release and release > supported.last]
    untold = [text for text, release in found.items() if release is None]
    range_text = f"supported are {supported}"
    if old:
        text = f"{_NAMES[word]} is too old: {_listed(old)}; {range_text}"
        yield _result(word, State.TODO, text, Remedy(Act.SET, f"{_NAMES[word]} {supported}"))
    elif untold:
        text = f"{_NAMES[word]}: no release can be told from {_listed(untold)}; {range_text}"
        yield _result(word, State.UNKNOWN, text)
    elif new:
        text = f"{_NAMES[word]} is newer than what was tried: {_listed(new)}; {range_text}"
        yield _result(word, State.UNKNOWN, text)
    else:
        releases = sorted({release for release in found.values() if release})
        text = f"{_NAMES[word]} {', '.join(map(shown, releases))}; {range_text}"
        yield _result(word, State.OK, text)


def _driver(seen: SeenCluster) -> Iterator[Result]:
    """NVIDIA's. No release of it is too old for us; it decides what DCGM can read."""
    ours = nvidia_nodes(seen)
    nodes = [node for name, node in seen.snapshot.nodes.items() if name in ours]
    told = Counter(node.driver_version for node in nodes if node.driver_version)
    untold = [node.name for node in nodes if not node.driver_version]
    if told:
        text = f"driver {', '.join(f'{version} ({n})' for version, n in sorted(told.items()))}"
        yield _result("driver", State.OK, text)
    if untold:
        text = (
            f"driver of {_listed(sorted(untold))}: neither a label of the node nor a page of "
            "dcgm-exporter tells it"
        )
        yield _result("driver", State.UNKNOWN, text)


def _listed(texts: Iterable[str]) -> str:
    first, *rest = texts
    return f"{first} and {len(rest)} more" if rest else first


def _result(word: str, state: State, text: str, remedy: Remedy | None = None) -> Result:
    return Result(area=Area.VERSIONS, word=word, state=state, text=text, remedy=remedy)
