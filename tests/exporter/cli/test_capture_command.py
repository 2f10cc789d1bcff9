from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gpuatlas.demo.server import SimulatedCluster

if TYPE_CHECKING:
    from tests.exporter.cli.conftest import Run

START = 1_787_307_072.0


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A simulated cluster that stands still."""
    with SimulatedCluster(seed=3, start=START, speed=0) as cluster:
        yield cluster.kubeconfig(tmp_path_factory.mktemp("demo") / "kubeconfig")


def without_times(text: str) -> str:
    """Waiting times and the summary's clock: a capture keeps its own time."""
    return re.sub(r"waiting for \S+|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", "TIME", text)


@pytest.mark.parametrize("command", ["cards", "workloads"])
def test_a_capture_shows_what_the_cluster_showed(
    command: str, run: Run, kubeconfig: Path, tmp_path: Path
) -> None:
    taken = run("capture", tmp_path / "capture", "--kubeconfig", kubeconfig)
    assert taken.exit_code == 0, taken.output

    live = run(command, "--kubeconfig", kubeconfig, columns=200)
    read = run(command, "--from", tmp_path / "capture", columns=200)
    # Why a page is missing is quoted with an address that only a live cluster has.
    assert without_times(read.stdout) == without_times(live.stdout)


def test_the_folder_holds_what_its_readme_says(run: Run, kubeconfig: Path, tmp_path: Path) -> None:
    folder = tmp_path / "capture"
    result = run("capture", folder, "--kubeconfig", kubeconfig)

    files = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    assert files[:2] == ["README", "clock"]
    kinds = {f.removeprefix("objects/") for f in files if f.startswith("objects/")}
    assert {"jobs.yaml", "nodes.yaml", "pods.yaml", "replicasets.yaml"} <= kinds
    assert {"resourceclaims.resource.k8s.io.yaml", "podgroups.scheduling.run.ai.yaml"} <= kinds
    assert "pages/dcgm/a10g-1.prom" in files
    assert "pages/dcgm/a10g-2.error" in files  # that endpoint answers HTTP 500
    assert "HTTP 500" in (folder / "pages/dcgm/a10g-2.error").read_text()
    assert result.stdout == f"{folder}: {len(files)} files, {_counted(folder)}\n"


def _counted(folder: Path) -> str:
    """An empty file says that there are none of a kind."""
    texts = [path.read_text() for path in (folder / "objects").iterdir()]
    objects = sum(line == "---" for text in texts for line in text.splitlines())
    return f"{objects} objects, {len(list((folder / 'pages').rglob('*.prom')))} pages"


def test_no_secret_leaves_the_cluster(run: Run, kubeconfig: Path, tmp_path: Path) -> None:
    run("capture", tmp_path / "capture", "--kubeconfig", kubeconfig)

    files = {p.stem: p.read_text() for p in (tmp_path / "capture/objects").iterdir()}
    objects = "".join(files.values())
    words = ("manager:", "f:metadata", "secret", "/models", "/workspace", "NCCL_DEBUG", "tls.key")
    assert [w for w in words if w in objects] == []
    # Of the sharing layer's own programs the options stay that are read.
    assert [w for w in ("managedFields", "args:") if w in files["pods"] + files["nodes"]] == []


def test_an_anonymised_capture_has_the_same_numbers_and_none_of_the_names(
    run: Run, kubeconfig: Path, tmp_path: Path
) -> None:
    run("capture", tmp_path / "open", "--kubeconfig", kubeconfig)
    run("capture", tmp_path / "closed", "--from", tmp_path / "open", "--anonymise")

    opened = json.loads(run("cards", "--from", tmp_path / "open", "-o", "json").stdout)
    closed = json.loads(run("cards", "--from", tmp_path / "closed", "-o", "json").stdout)
    assert closed["summary"] == opened["summary"]
    assert _numbers(closed) == _numbers(opened)
    text = "".join(p.read_text() for p in (tmp_path / "closed").rglob("*") if p.is_file())
    names = {n["name"] for n in opened["nodes"]} | {
        a[field]
        for node in opened["nodes"]
        for card in node["cards"]
        for a in card["allocations"]
        for field in ("namespace", "pod")
    }
    names -= {"batch", "platform"}  # words of the API and of metrics, too
    ids = {c["id"] for node in opened["nodes"] for c in node["cards"]}
    assert [n for n in names | ids if re.search(rf"\b{re.escape(n)}\b", text)] == []


def _numbers(document: dict[str, object]) -> list[str]:
    """Every card and allocation as its numbers, without anything that names it."""
    found = []
    for node in document["nodes"]:  # type: ignore[attr-defined]
        for card in node["cards"]:
            held = sorted(
                json.dumps([a["memory"], a["compute"], a["evidence"], a["idle_seconds"]])
                for a in card["allocations"]
            )
            found.append(
                json.dumps(
                    [card[k] for k in ("index", "model", "state", "memory", "compute", "tenants")]
                    + held
                )
            )
    return sorted(found)


def test_a_folder_with_something_in_it_is_left_alone(
    run: Run, captures: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine").write_text("precious")

    result = run("capture", tmp_path, "--from", captures / "hami-a10g")
    assert result.exit_code == 1
    assert "is there already and not empty: name a new folder" in result.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["mine"]


def test_a_place_that_cannot_be_written(run: Run, captures: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    result = run("capture", tmp_path / "file" / "capture", "--from", captures / "hami-a10g")
    assert result.exit_code == 1
    assert "Not a directory" in result.stderr
    assert result.stderr.count("\n") == 1
