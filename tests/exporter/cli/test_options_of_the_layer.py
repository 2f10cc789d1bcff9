from __future__ import annotations

from typing import Any

import click
import pytest
from click.testing import CliRunner

from gpuatlas.cli.options import cluster_options, cluster_settings, layer_options
from gpuatlas.runtime.once import ClusterSettings


def read(*arguments: str, env: dict[str, str] | None = None) -> ClusterSettings | str:
    """The settings that a command with these options reads by, or what it complains of."""
    seen: list[ClusterSettings] = []

    @click.command()
    @cluster_options
    @layer_options
    def command(**options: Any) -> None:
        seen.append(cluster_settings(options))

    result = CliRunner().invoke(command, arguments, env=env)
    return seen[0] if seen else result.output.rpartition("Error: ")[2].strip()


def layer(*arguments: str, env: dict[str, str] | None = None) -> tuple[bool, list[str]]:
    settings = read(*arguments, env=env)
    assert isinstance(settings, ClusterSettings)
    return settings.layer.probe, [source.object for source in settings.layer.licences]


def test_a_webhook_is_probed_only_if_asked_for() -> None:
    assert layer() == (False, [])
    assert layer("--probe-webhook") == (True, [])
    assert layer(env={"GPUATLAS_PROBE_WEBHOOK": "true"}) == (True, [])
    assert layer("--no-probe-webhook", env={"GPUATLAS_PROBE_WEBHOOK": "true"}) == (False, [])


def test_licences_are_named_by_map_and_key() -> None:
    expected = ["ConfigMap/a/b", "ConfigMap/d/e"]
    assert layer("--licence", "a/b/c", "--licence", "d/e/f") == (False, expected)
    assert layer(env={"GPUATLAS_LICENCE": "a/b/c d/e/f"}) == (False, expected)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--licence", "a"), "--licence 'a' must be NAMESPACE/CONFIGMAP/KEY"),
        (("--from", "d", "--licence", "a/b/c"), "--licence has no meaning with --from"),
        (("--from", "d", "--probe-webhook"), "--probe-webhook has no meaning with --from"),
    ],
)
def test_what_cannot_be_meant_is_told(arguments: tuple[str, ...], complaint: str) -> None:
    said = read(*arguments)
    assert isinstance(said, str)
    assert said.startswith(complaint)
