"""The exporter's real page in a real Prometheus that writes its own namespace over all others.

That is what enforcedNamespaceLabel of the operator makes of a scrape: the last relabelling of each
job sets the namespace of the ServiceMonitor, whatever honorLabels says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from gpuatlas.doctor.recordings import GROUPS
from gpuatlas.doctor.results import Result, State
from gpuatlas.doctor.scrape import examine_scrape
from gpuatlas.sources.promapi.installation import read_installation
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas_harness.doctored import CAPTURE, healthy_cluster
from gpuatlas_harness.document_blocks import commands
from gpuatlas_harness.exporting import ServeProcess
from gpuatlas_harness.prometheus import PrometheusServer, scrape_config

OWN: Final = {"namespace": "gpu-monitoring", "pod": "gpuatlas-5d8f-x2"}
# Of the second cause in docs/troubleshooting.md.
(QUESTION,) = (
    word.removeprefix("query=")
    for words in commands("troubleshooting.md", "curl")
    for word in words
    if "exported_namespace" in word
)
ENFORCED: Final = [{"target_label": "namespace", "replacement": OWN["namespace"]}]


@pytest.fixture(scope="module")
def exporter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """HOST:PORT of `gpuatlas serve` with the cluster of the doctor's tests."""
    with ServeProcess(tmp_path_factory.mktemp("serve"), "--from", CAPTURE) as serving:
        yield serving.url.removeprefix("http://")


@dataclass(frozen=True)
class Seen:
    """What the doctor says of a scrape's labels, and the answer to the question of the guide."""

    result: Result
    namespaces: set[tuple[str, str]]


def look(exporter: str, folder: Path, **job: object) -> Seen:
    """At the page through a Prometheus with such a job."""
    targets = [{"targets": [exporter], "labels": OWN}]
    scrape = scrape_config("gpuatlas", [], static_configs=targets, **job)
    with PrometheusServer([scrape], work_dir=folder) as server:
        server.wait_for("gpuatlas_allocation_info")
        found = read_installation(PrometheusSettings(url=server.url), GROUPS.values(), now=1e9)
        answer = server.query(QUESTION)
    (result,) = [one for one in examine_scrape(healthy_cluster(), found) if one.word == "labels"]
    names = ("namespace", "exported_namespace")
    return Seen(result, {tuple(row.labels.get(n, "") for n in names) for row in answer})  # type: ignore[misc]


def test_it_is_seen_and_the_remedy_said(exporter: str, tmp_path: Path) -> None:
    seen = look(exporter, tmp_path, honor_labels=True, metric_relabel_configs=ENFORCED)

    assert seen.namespaces == {(OWN["namespace"], "")}
    assert seen.result.state is State.TODO
    assert seen.result.text == (
        "all pods on cards have the exporter's own namespace gpu-monitoring, and 5 of 5 are of "
        "others, such as embed-29788920-q7z5t of batch: the Prometheus writes it over ours without "
        "keeping them"
    )
    assert seen.result.remedy is not None
    assert seen.result.remedy.text.startswith("excludedFromEnforcement of the Prometheus")


def test_an_honest_scrape_is_none(exporter: str, tmp_path: Path) -> None:
    seen = look(exporter, tmp_path, honor_labels=True)

    assert seen.namespaces == {("batch", ""), ("chat", ""), ("lab", "")}
    assert (seen.result.state, seen.result.text) == (
        State.OK,
        "namespace, pod and node are those that gpuatlas gives",
    )


def test_where_labels_are_kept_under_other_names_that_is_said(
    exporter: str, tmp_path: Path
) -> None:
    """And not a second time as an enforced namespace."""
    seen = look(exporter, tmp_path, honor_labels=False)

    own = OWN["namespace"]
    assert seen.namespaces == {(own, "batch"), (own, "chat"), (own, "lab")}
    assert seen.result.state is State.TODO
    assert seen.result.text.startswith("job gpuatlas renames our labels to exported_namespace")
