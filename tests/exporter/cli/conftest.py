from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gpuatlas.cli.main import main
from gpuatlas_harness.serving import serving

CAPTURES = Path(__file__).parents[2] / "fixtures" / "captures"
EMPTY_LISTS = {
    "/api/v1/nodes": {"kind": "NodeList", "items": []},
    "/api/v1/pods": {"kind": "PodList", "items": []},
    "/apis/apps/v1/replicasets": {"kind": "PartialObjectMetadataList", "items": []},
    "/apis/batch/v1/jobs": {"kind": "PartialObjectMetadataList", "items": []},
}


@pytest.fixture
def captures() -> Path:
    return CAPTURES


Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command in this process, without the environment of whoever runs the tests."""
    for name in ("KUBECONFIG", "NO_COLOR", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))

    def invoke(*arguments: str | Path, columns: int = 80, **env: str) -> Result:
        return CliRunner().invoke(
            main, [str(a) for a in arguments], env={"COLUMNS": str(columns), **env}
        )

    return invoke


@dataclass
class FakeApi:
    """An API server that gives fixed answers: path → (status, JSON)."""

    port: int
    answers: dict[str, tuple[int, Mapping[str, Any]]] = field(default_factory=dict)

    def forbid(self, path: str, resource: str, group: str = "") -> None:
        message = (
            f'{resource} is forbidden: User "ann" cannot list resource "{resource}" in API '
            f'group "{group}" at the cluster scope'
        )
        self.answers[path] = (403, {"kind": "Status", "message": message, "code": 403})

    def kubeconfig(self, folder: Path) -> Path:
        path = folder / "kubeconfig"
        path.write_text(kubeconfig_of(f"http://127.0.0.1:{self.port}"))
        return path


def kubeconfig_of(server: str) -> str:
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": server}}],
            "users": [{"name": "u", "user": {"token": "t"}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
    )


@pytest.fixture
def api() -> Iterator[FakeApi]:
    fake = FakeApi(port=0, answers={path: (200, body) for path, body in EMPTY_LISTS.items()})

    def answer(path: str, _content: str) -> tuple[int, bytes]:
        missing = (404, {"kind": "Status", "message": "not found", "code": 404})
        status, body = fake.answers.get(path.partition("?")[0], missing)
        return status, json.dumps(body).encode()

    with serving(answer) as address:
        fake.port = int(address.rpartition(":")[2])
        yield fake
