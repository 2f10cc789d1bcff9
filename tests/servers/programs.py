"""The programs that the tests need, and the versions that their ``go.mod`` files require."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

EXIT_BUILD_FAILED = 1

SERVERS = Path(__file__).resolve().parent


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
    # Both that people have, of one module, so that what they share is compiled once. What they have
    # in common with Prometheus (all of client-go) has the same versions in both go.mod for the same
    # reason.
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
