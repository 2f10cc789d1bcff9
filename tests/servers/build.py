#!/usr/bin/env python3
"""Find, or build from their Go modules, the real servers that the integration tests start.

``python tests/servers/build.py`` makes every binary of ``BINARIES`` available and prints where each
one is. A binary is looked for in the folder named by ``KUBEBUILDER_ASSETS``, then on ``PATH``, then
in the cache, and only then is it built. The cache is ``.cache`` of the repository; ``--cache`` or
``GPUATLAS_CACHE`` names another. With ``--find NAME`` nothing is built: the path is printed, or
what to do about its absence.

Exit codes: 0 all there; 1 a build failed; 2 wrong arguments; 3 Go is missing or too old;
4 ``--find`` did not find the binary.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

EXIT_BUILD_FAILED = 1
EXIT_NO_GO = 3
EXIT_NOT_FOUND = 4

SERVERS = Path(__file__).resolve().parent
REPOSITORY = SERVERS.parent.parent
HEARTBEAT_SECONDS = 60.0


@dataclass(frozen=True)
class Binary:
    """One program that the tests need and how Go builds it.

    ``{version}``, ``{major}``, ``{minor}`` and ``{release}`` in ``ldflags`` stand for the version
    that ``go.mod`` requires of ``version_of``, so a version is written in ``go.mod`` alone.
    """

    name: str
    package: str
    version_of: str
    ldflags: tuple[str, ...] = ()
    tags: str = ""
    # The folder of the binary's go.mod, below this one: a program whose dependencies
    # disagree with Kubernetes' pins can bring a module of its own.
    module: str = "."

    @property
    def module_dir(self) -> Path:
        return SERVERS / self.module


# Without a revision it is taken for another program that answers as Prometheus does.
_PROMETHEUS = (
    "-X github.com/prometheus/common/version.Version={release}",
    "-X github.com/prometheus/common/version.Revision={version}",
)

BINARIES = (
    Binary(name="etcd", package="./cmd/etcd", version_of="go.etcd.io/etcd/server/v3"),
    Binary(
        name="kube-apiserver",
        package="./cmd/kube-apiserver",
        version_of="k8s.io/kubernetes",
        # Without these /version tells v0.0.0 and clients that compare versions misbehave.
        ldflags=(
            "-X k8s.io/component-base/version.gitVersion={version}",
            "-X k8s.io/component-base/version.gitMajor={major}",
            "-X k8s.io/component-base/version.gitMinor={minor}",
            "-X k8s.io/component-base/version.gitTreeState=clean",
        ),
    ),
    # Named so that Debian's 2.42 on PATH are not taken for them. Debian's Prometheus cannot find
    # targets in Kubernetes; those in clouds are most of the build and nothing that a test needs.
    Binary(
        name="promtool3",
        package="github.com/prometheus/prometheus/cmd/promtool",
        version_of="github.com/prometheus/prometheus",
        module="prometheus",
        tags="remove_all_sd enable_kubernetes_sd",
        ldflags=_PROMETHEUS,
    ),
    Binary(
        name="prometheus3",
        package="github.com/prometheus/prometheus/cmd/prometheus",
        version_of="github.com/prometheus/prometheus",
        module="prometheus",
        tags="remove_all_sd enable_kubernetes_sd",
        ldflags=_PROMETHEUS,
    ),
    # Both that people have, of one module, so that what they share is compiled once.
    Binary(
        name="helm3",
        package="helm.sh/helm/v3/cmd/helm",
        version_of="helm.sh/helm/v3",
        module="helm",
        # Unless it is told which, the cluster that it assumes without one is too old for the chart.
        ldflags=(
            "-X helm.sh/helm/v3/internal/version.version={version}",
            "-X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=36",
            "-X helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor=36",
        ),
    ),
    Binary(
        name="helm4",
        package="helm.sh/helm/v4/cmd/helm",
        version_of="helm.sh/helm/v4",
        module="helm",
        ldflags=("-X helm.sh/helm/v4/internal/version.version={version}",),
    ),
    Binary(
        # Its go.mod takes the API server's version of client-go, later than the release's own: two
        # thirds of its packages are compiled already then.
        name="prometheus-operator",
        package="github.com/prometheus-operator/prometheus-operator/cmd/operator",
        version_of="github.com/prometheus-operator/prometheus-operator",
        module="operator",
        ldflags=("-X github.com/prometheus/common/version.Version={version}",),
    ),
)


class BuildError(Exception):
    """A binary cannot be had; the message says why, ``exit_code`` is the program's."""

    def __init__(self, message: str, exit_code: int = EXIT_BUILD_FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def say(message: str) -> None:
    """Print one line at once, so that a CI log shows how far a long build is."""
    sys.stdout.write(f"{message}\n")
    sys.stdout.flush()


def cache_root(argument: Path | None = None) -> Path:
    """The cache folder: the argument, else ``GPUATLAS_CACHE``, else ``.cache`` here."""
    if argument is not None:
        return argument.resolve()
    named = os.environ.get("GPUATLAS_CACHE")
    return Path(named).resolve() if named else REPOSITORY / ".cache"


def module_hash(module_dir: Path) -> str:
    """Sixteen hex digits of everything that decides what a module's binaries are.

    That is its ``go.mod``, ``go.sum``, Go sources, and the rows of ``BINARIES`` built from it.
    """
    digest = hashlib.sha256()
    sources = sorted((module_dir / "cmd").rglob("*.go"))
    for path in (module_dir / "go.mod", module_dir / "go.sum", *sources):
        digest.update(path.relative_to(module_dir).as_posix().encode())
        digest.update(path.read_bytes())
    for binary in BINARIES:
        if binary.module_dir == module_dir:
            digest.update(repr(binary).encode())
    return digest.hexdigest()[:16]


def cached_path(binary: Binary, cache: Path) -> Path:
    return cache / "servers" / module_hash(binary.module_dir) / binary.name


def find(binary: Binary, cache: Path) -> Path | None:
    """The binary where it already is, or None."""
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    if assets and os.access(Path(assets) / binary.name, os.X_OK):
        return Path(assets).resolve() / binary.name
    on_path = shutil.which(binary.name)
    if on_path:
        return Path(on_path).resolve()
    cached = cached_path(binary, cache)
    return cached if cached.is_file() else None


def required_version(binary: Binary) -> str:
    """The version of the binary's module in ``go.mod``, such as ``v1.36.3``."""
    text = (binary.module_dir / "go.mod").read_text(encoding="utf-8")
    match = re.search(rf"^\s*(?:require\s+)?{re.escape(binary.version_of)}\s+(v\S+)", text, re.M)
    if match is None:
        message = f"{binary.module_dir / 'go.mod'} does not require {binary.version_of}"
        raise BuildError(message)
    return match[1]


def release(version: str) -> str:
    """What a program says of itself: Prometheus 3.16.0 has the module version v0.316.0."""
    return re.sub(r"^v0\.(\d)0*(\d+)\.", r"\1.\2.", version).removeprefix("v")


def linker_flags(binary: Binary) -> str:
    version = required_version(binary)
    major, minor = version.removeprefix("v").split(".")[:2]
    words = {"version": version, "major": major, "minor": minor, "release": release(version)}
    filled = [flag.format(**words) for flag in binary.ldflags]
    # -s -w leaves out symbols and debug information: about a third of the size.
    return " ".join(["-s", "-w", *filled])


def go_environment() -> dict[str, str]:
    """The caller's environment without cgo, so that no C compiler is needed."""
    return {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def check_go(module_dir: Path) -> str:
    """The path of a Go that is new enough; raises ``BuildError`` with exit code 3 otherwise."""
    text = (module_dir / "go.mod").read_text(encoding="utf-8")
    match = re.search(r"^go (\S+)", text, re.M)
    wanted = match[1] if match else "1"
    go = shutil.which("go")
    if go is None:
        message = (
            f"missing: the Go toolchain (the command `go`, version {wanted} or newer) is not on"
            " PATH, and it is needed to build the test servers"
        )
        raise BuildError(
            message,
            EXIT_NO_GO,
        )
    # Asked in the module's folder, where Go changes to another toolchain if it may.
    answer = subprocess.run(
        [go, "env", "GOVERSION"],
        cwd=module_dir,
        env=go_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    found = answer.stdout.strip()
    if answer.returncode != 0 or _numbers(found) < _numbers(wanted):
        message = f"missing: Go {wanted} or newer; {go} is {found or answer.stderr.strip()}"
        raise BuildError(message, EXIT_NO_GO)
    return go


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the kernel lets go of it should this process die."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting: another process is building the servers")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def run_go_build(binary: Binary, go: str, target: Path) -> None:
    """Run ``go build``; its own output, such as what it downloads, goes to standard error."""
    tags = ["-tags", binary.tags] if binary.tags else []
    flags = ["-ldflags", linker_flags(binary), *tags]
    command = [go, "build", *flags, "-o", str(target), binary.package]
    started = time.monotonic()
    with subprocess.Popen(command, cwd=binary.module_dir, env=go_environment()) as process:
        while True:
            try:
                returncode = process.wait(HEARTBEAT_SECONDS)
                break
            except subprocess.TimeoutExpired:
                say(f"{binary.name}: still building after {time.monotonic() - started:.0f} s")
            except BaseException:
                process.terminate()
                raise
    if returncode != 0:
        message = f"{binary.name}: go build ended with exit code {returncode}"
        raise BuildError(message)


def build(binary: Binary, cache: Path) -> Path:
    """Build one binary into the cache. Callers that come together build it once."""
    target = cached_path(binary, cache)
    with locked(cache / "servers"):
        if target.is_file():
            return target
        go = check_go(binary.module_dir)
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".{target.name}.partial")
        say(
            f"{binary.name}: building {required_version(binary)} of {binary.version_of};"
            " Go downloads the modules that its cache lacks"
        )
        started = time.monotonic()
        run_go_build(binary, go, partial)
        # Renamed when whole: an interrupted build never looks like a finished one.
        partial.replace(target)
        size = target.stat().st_size / 1e6
        say(f"{binary.name}: built in {time.monotonic() - started:.0f} s, {size:.0f} MB")
    return target


def ensure(binaries: Sequence[Binary], cache: Path) -> dict[str, Path]:
    """Every binary's path by its name, after building those that are nowhere."""
    paths = {}
    for binary in binaries:
        path = find(binary, cache) or build(binary, cache)
        say(f"{binary.name}: {path}")
        paths[binary.name] = path
    return paths


def report_found(binary: Binary, cache: Path) -> int:
    path = find(binary, cache)
    if path is None:
        sys.stderr.write(
            f"{binary.name} is neither in KUBEBUILDER_ASSETS, nor on PATH, nor in {cache};"
            " build it with `python tests/servers/build.py`\n"
        )
        return EXIT_NOT_FOUND
    say(str(path))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    by_name = {binary.name: binary for binary in BINARIES}
    parser = argparse.ArgumentParser(description="Build the servers of the integration tests.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(by_name)}; all")
    parser.add_argument("--cache", type=Path, help="cache folder instead of .cache")
    parser.add_argument("--find", action="store_true", help="print one path, build nothing")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(by_name))
    if unknown:
        parser.error(f"no such binary: {', '.join(unknown)}")
    if options.find and len(options.names) != 1:
        parser.error("--find takes exactly one NAME")
    cache = cache_root(options.cache)
    chosen = [by_name[name] for name in options.names] or list(BINARIES)
    if options.find:
        return report_found(chosen[0], cache)
    try:
        ensure(chosen, cache)
    except BuildError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
