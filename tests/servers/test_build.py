"""``build.py``, with a Go command of our own: it takes no minutes and fails when asked to."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gpuatlas_harness.polling import poll

BUILD_SCRIPT = Path(__file__).with_name("build.py")

# Answers like `go env GOVERSION` and `go build -o FILE`; a build waits, at most half a minute,
# for the file `finish` beside the command.
GO = """#!{python}
import os, pathlib, sys, time
here = pathlib.Path(__file__).parent
if sys.argv[1] == "env":
    print(os.environ.get("FAKE_GO_VERSION", "go1.99.0"))
    sys.exit(0)
with (here / "builds").open("a") as builds:
    builds.write(" ".join(sys.argv[1:]) + "\\n")
target = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
target.write_text("half of it")
end = time.monotonic() + 30
while not (here / "finish").exists() and time.monotonic() < end:
    time.sleep(0.02)
if "FAKE_GO_FAILS" in os.environ:
    sys.exit(2)
target.write_text("all of it")
"""


@dataclass
class Workbench:
    """A PATH with nothing but our Go, and a cache of its own."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bin.mkdir()
        self.environment |= {"PATH": str(self.bin), "GPUATLAS_CACHE": str(self.cache)}

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    def install_go(self) -> None:
        program(self.bin / "go", GO.format(python=sys.executable))

    def builds(self) -> list[str]:
        """The arguments of each `go build` so far."""
        record = self.bin / "builds"
        return record.read_text(encoding="utf-8").splitlines() if record.exists() else []

    def let_builds_finish(self) -> None:
        (self.bin / "finish").touch()

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        with self.start(*arguments) as process:
            output, errors = process.communicate(timeout=60)
        return subprocess.CompletedProcess(arguments, process.returncode, output, errors)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(BUILD_SCRIPT), *arguments],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def cached(self) -> list[str]:
        """The files of the cache but for its lock."""
        files = [path for path in self.cache.rglob("*") if path.is_file()]
        return sorted(path.name for path in files if path.name != ".lock")


def program(path: Path, text: str = "") -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path)


def test_without_go_it_says_what_is_missing(bench: Workbench) -> None:
    answer = bench.run("etcd")

    assert answer.returncode == 3
    assert answer.stderr == (
        "missing: the Go toolchain (the command `go`, version 1.26.0 or newer) is not on PATH,"
        " and it is needed to build the test servers\n"
    )


def test_with_an_old_go_it_says_which_is_needed(bench: Workbench) -> None:
    bench.install_go()
    bench.environment["FAKE_GO_VERSION"] = "go1.25.9"

    answer = bench.run("etcd")

    assert answer.returncode == 3
    assert answer.stderr == f"missing: Go 1.26.0 or newer; {bench.bin / 'go'} is go1.25.9\n"


def test_it_builds_every_binary_once(bench: Workbench) -> None:
    bench.install_go()
    bench.let_builds_finish()

    first, second = bench.run(), bench.run()

    assert (first.returncode, second.returncode) == (0, 0)
    assert sorted(bench.cached()) == [
        "etcd",
        "helm3",
        "helm4",
        "kube-apiserver",
        "prometheus-operator",
        "prometheus3",
        "promtool3",
    ]
    assert [build.split()[-1] for build in bench.builds()] == [
        "./cmd/etcd",
        "./cmd/kube-apiserver",
        "github.com/prometheus/prometheus/cmd/promtool",
        "github.com/prometheus/prometheus/cmd/prometheus",
        "helm.sh/helm/v3/cmd/helm",
        "helm.sh/helm/v4/cmd/helm",
        "github.com/prometheus-operator/prometheus-operator/cmd/operator",
    ]
    assert first.stdout.splitlines()[-1] == second.stdout.splitlines()[-1]


def test_the_version_of_go_mod_is_linked_in(bench: Workbench) -> None:
    bench.install_go()
    bench.let_builds_finish()

    bench.run("kube-apiserver")

    (build,) = bench.builds()
    go_mod = BUILD_SCRIPT.with_name("go.mod").read_text(encoding="utf-8").split()
    version = go_mod[go_mod.index("k8s.io/kubernetes") + 1]
    major, minor = version.removeprefix("v").split(".")[:2]
    package = "k8s.io/component-base/version"
    assert f"-X {package}.gitVersion={version} " in build
    assert f"-X {package}.gitMajor={major} -X {package}.gitMinor={minor} " in build


def test_prometheus_is_told_its_release_and_not_the_version_of_its_module(
    bench: Workbench,
) -> None:
    bench.install_go()
    bench.let_builds_finish()

    bench.run("prometheus3")

    (build,) = bench.builds()
    assert re.search(r"version\.Version=3\.\d+\.\d+ ", build), build


def test_a_failed_build_leaves_nothing_that_looks_built(bench: Workbench) -> None:
    bench.install_go()
    bench.let_builds_finish()
    bench.environment["FAKE_GO_FAILS"] = "1"

    answer = bench.run("etcd")

    assert answer.returncode == 1
    assert answer.stderr == "etcd: go build ended with exit code 2\n"
    assert bench.run("--find", "etcd").returncode == 4


def test_two_callers_build_once(bench: Workbench) -> None:
    bench.install_go()
    with bench.start("etcd") as first:
        poll(lambda: bench.builds() or None, deadline_seconds=30, waiting_for="a build")
        with bench.start("etcd") as second:
            assert second.stdout is not None
            assert second.stdout.readline() == (
                "waiting: another process is building the servers\n"
            )
            bench.let_builds_finish()
            said, _ = second.communicate(timeout=60)
        first.communicate(timeout=60)

    assert (first.returncode, second.returncode) == (0, 0)
    assert len(bench.builds()) == 1
    (built,) = bench.cache.rglob("etcd")
    assert said == f"etcd: {built}\n"
    assert built.read_text(encoding="utf-8") == "all of it"


def test_finding_builds_nothing(bench: Workbench) -> None:
    bench.install_go()

    answer = bench.run("--find", "etcd")

    assert answer.returncode == 4
    assert answer.stderr == (
        f"etcd is neither in KUBEBUILDER_ASSETS, nor on PATH, nor in {bench.cache};"
        " build it with `python tests/servers/build.py`\n"
    )
    assert bench.builds() == []
    assert not bench.cache.exists()


def test_the_assets_folder_comes_before_the_path_and_the_path_before_the_cache(
    bench: Workbench,
) -> None:
    bench.install_go()
    bench.let_builds_finish()
    bench.run("etcd")
    (cached,) = bench.cache.rglob("etcd")
    assets = bench.folder / "assets"
    assets.mkdir()

    from_cache = bench.run("--find", "etcd").stdout
    program(bench.bin / "etcd")
    from_path = bench.run("--find", "etcd").stdout
    program(assets / "etcd")
    bench.environment["KUBEBUILDER_ASSETS"] = str(assets)
    from_assets = bench.run("--find", "etcd").stdout

    assert from_cache == f"{cached}\n"
    assert from_path == f"{bench.bin / 'etcd'}\n"
    assert from_assets == f"{assets / 'etcd'}\n"


def test_the_cache_option_wins_over_the_variable(bench: Workbench) -> None:
    bench.install_go()
    bench.let_builds_finish()
    other = bench.folder / "other"

    bench.run("--cache", str(other), "etcd")

    assert [path.name for path in other.rglob("etcd")] == ["etcd"]
    assert not bench.cache.exists()


@pytest.mark.parametrize("arguments", [["no-such-server"], ["--find"], ["--find", "a", "b"]])
def test_wrong_arguments_are_refused(bench: Workbench, arguments: list[str]) -> None:
    assert bench.run(*arguments).returncode == 2
