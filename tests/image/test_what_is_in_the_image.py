"""What the build stage makes, without a container: twice the same, whole, and nothing else.

Needs the package registry: it installs what requirements/runtime.txt and image.txt pin.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

import gpuatlas
from gpuatlas_harness.image import ROOT, build, copy_context, layer

# Of a commit: any time that is neither now nor the one that the script takes without one.
EPOCH: Final = 1_700_000_000


@dataclass(frozen=True)
class Made:
    """The folder that becomes /opt/gpuatlas, and the same of a second build."""

    folder: Path
    again: Path
    # What `make build` makes of the same tree.
    wheel: Path

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The program in an empty environment, far from the source tree."""
        return subprocess.run(
            [self.folder / "bin" / "gpuatlas", *arguments],
            cwd="/",
            env={"PATH": f"{self.folder}/bin:/usr/bin:/bin", "HOME": "/nowhere", "LANG": "C.UTF-8"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def site(self) -> Path:
        (folder,) = self.folder.glob("lib/python3.*/site-packages")
        return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    """Both are made at one place, as in an image: scripts name the folder that they are in."""
    folder = tmp_path_factory.mktemp("image")
    source = copy_context(folder / "source")
    wheel = make_build(folder / "dist")
    build(source, folder / "opt", epoch=EPOCH)
    (folder / "opt").rename(folder / "again")
    build(source, folder / "opt", epoch=EPOCH)
    yield Made(folder / "opt", folder / "again", wheel)
    shutil.rmtree(folder)


def make_build(folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_two_builds_have_the_same_bytes(made: Made) -> None:
    first, second = layer(made.folder), layer(made.again)
    assert {name for name in first if first[name] != second.get(name)} == set()
    assert second.keys() == first.keys()
    assert {time for _, _, time in first.values()} == {EPOCH}


def test_the_wheel_in_it_is_that_of_make_build(made: Made) -> None:
    with zipfile.ZipFile(made.wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    installed = {
        str(path.relative_to(made.site())): path.read_bytes()
        for path in made.site().glob("gpuatlas/**/*")
        if path.is_file() and path.suffix != ".pyc"
    }
    packed = {name: body for name, body in files.items() if name.startswith("gpuatlas/")}
    assert installed == packed


def test_it_runs_without_the_source_tree(made: Made) -> None:
    assert made.run("--version").stdout == f"gpuatlas {gpuatlas.__version__}\n"
    demo = made.run("demo", "--once")
    assert demo.returncode == 0, demo.stderr
    assert "NVIDIA A10G" in demo.stdout


def test_it_holds_the_pinned_packages_and_no_tool(made: Made) -> None:
    lock = (ROOT / "requirements" / "runtime.txt").read_text("utf-8")
    pinned = re.findall(r"^(\S+)==", lock, re.MULTILINE)
    installed = {canonical(path.name.split("-")[0]) for path in made.site().glob("*.dist-info")}
    assert installed == {"gpuatlas", *pinned}
    assert [
        name for name in ("pip", "setuptools", "hatchling") if (made.site() / name).exists()
    ] == []


def canonical(name: str) -> str:
    """A package's name as lock files have it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_everything_is_compiled(made: Made) -> None:
    """The image is read-only: what is not would be compiled at every start."""
    ours = list(made.site().glob("gpuatlas/**/*.py"))
    compiled = [path for path in ours if list(path.parent.glob(f"__pycache__/{path.stem}.*.pyc"))]
    assert compiled == ours


def test_the_bill_of_materials_names_all_of_it(made: Made) -> None:
    bill = json.loads((made.folder / "gpuatlas.cdx.json").read_text("utf-8"))
    lock = (ROOT / "requirements" / "runtime.txt").read_text("utf-8")

    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["timestamp"] == "2023-11-14T22:13:20+00:00"
    root = bill["metadata"]["component"]
    assert (root["name"], root["version"]) == ("gpuatlas", gpuatlas.__version__)
    named = {(canonical(item["name"]), item["version"]) for item in bill["components"]}
    assert named == set(re.findall(r"^(\S+)==([^\s;]+)", lock, re.MULTILINE))
    assert all(item["purl"].startswith("pkg:pypi/") for item in bill["components"])
    assert [item["name"] for item in bill["components"] if not item.get("licenses")] == []


def test_nothing_says_where_it_was_made(made: Made) -> None:
    marks = [str(ROOT).encode(), b"/tmp/tmp."]
    told = [
        path
        for path in (*made.site().glob("gpuatlas*/*"), made.folder / "gpuatlas.cdx.json")
        if path.is_file() and any(mark in path.read_bytes() for mark in marks)
    ]
    assert told == []


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_package_has_a_wheel(machine: str, tmp_path: Path) -> None:
    """For the Python of the base, without a compiler."""
    recipe = (ROOT / "Containerfile").read_text("utf-8")
    version = re.search(r"python:(\d+\.\d+)\.", recipe)
    assert version is not None
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in (28, 27, 24, 17)]
    answer = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--dry-run"),
            *("--only-binary", ":all:", "--require-hashes", "--implementation", "cp"),
            *("--python-version", version[1], "--target", tmp_path),
            *(
                word
                for name in [*platforms, f"manylinux2014_{machine}"]
                for word in ("--platform", name)
            ),
            *("--requirement", ROOT / "requirements" / "runtime.txt"),
            *("--requirement", ROOT / "requirements" / "image.txt"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
