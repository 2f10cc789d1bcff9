"""docs/install.md: what it says to type is what Helm, Prometheus and our program take."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click
import pytest
import yaml

from gpuatlas.cli.main import main
from gpuatlas_harness.binaries import built_binary, required
from gpuatlas_harness.document_blocks import DOCUMENTS, Block, blocks, commands
from gpuatlas_harness.helm import CHART, NAMESPACE, RELEASE, Helm, Rendered, at

GUIDES: Final = ("install.md", "troubleshooting.md")
TEXT: Final = (DOCUMENTS / "install.md").read_text("utf-8")
YAML: Final = blocks("install.md", "yaml")
VALUES: Final = tuple(block for block in YAML if block.name.endswith("-values.yaml"))
PROMETHEUS: Final = tuple(block for block in YAML if block.name == "prometheus.yml")
HELM: Final = sorted({words for guide in GUIDES for words in commands(guide, "helm")})
INSTALLING: Final = tuple(words for words in HELM if words[0] in {"install", "upgrade"})
# Of the installing commands, those that say how, and nothing about what.
HOW: Final = {"--install", "--create-namespace", "--reset-then-reuse-values"}


@pytest.fixture(scope="module")
def render(helm4: Helm, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Rendered]:
    """The chart with the blocks of these names, and what else is set."""
    folder = tmp_path_factory.mktemp("values")
    for block in VALUES:
        (folder / block.name).write_text(block.text, "utf-8")

    def by_name(*names: str, chart: Path = CHART) -> Rendered:
        return helm4.render(*(folder / name for name in names), chart=chart)

    return by_name


def test_every_block_says_which_file_it_is() -> None:
    known = {"prometheus.yml", "gmp.yaml"}
    assert [block for block in YAML if block not in VALUES and block.name not in known] == []
    assert len({block.name for block in VALUES}) == len(VALUES) > 10


@pytest.mark.parametrize("block", VALUES, ids=str)
def test_values_do_something(block: Block, render: Callable[..., Rendered]) -> None:
    assert render(block.name) != render()


@pytest.mark.parametrize("words", INSTALLING, ids=" ".join)
def test_installing_commands_are_taken(
    words: tuple[str, ...], render: Callable[..., Rendered], helm4: Helm, tmp_path: Path
) -> None:
    rest = [word for word in words[1:] if word not in HOW]
    release, chart, options = rest[0], rest[1], rest[2:]
    assert release == RELEASE
    pairs = list(zip(options[::2], options[1::2], strict=True))
    assert pairs.count(("--namespace", NAMESPACE)) == 1
    values = [value for option, value in pairs if option == "--values"]
    assert {option for option, _ in pairs} <= {"--namespace", "--values"}

    rendered = render(*values, chart=chart_of(chart, helm4, tmp_path))
    assert rendered.of("Deployment")


def test_files_of_values_are_joined_and_lists_are_not(render: Callable[..., Rendered]) -> None:
    (words,) = (words for words in INSTALLING if words.count("--values") > 1)
    names = [words[at + 1] for at, word in enumerate(words) if word == "--values"]

    assert names[0] == "first-values.yaml"
    container = at(render(*names).of("Deployment")[0], "spec.template.spec.containers.0")
    assert container["image"] == "registry.example/gpu/gpuatlas:0.1.0"
    prometheus = "http://kube-prometheus-stack-prometheus.monitoring:9090"
    assert f"--prometheus-url={prometheus}" in container["args"]
    assert namespaces_of(container) == ["hami-system", "gpu-operator"]

    both = render("gke-values.yaml", "hami-values.yaml").of("Deployment")[0]
    container = at(both, "spec.template.spec.containers.0")
    assert namespaces_of(container) == ["hami-system", "gpu-operator"]


def namespaces_of(container: dict[str, Any]) -> list[str]:
    """The namespaces in which exporters are looked for."""
    option = "--exporter-namespace="
    return [word.removeprefix(option) for word in container["args"] if word.startswith(option)]


def chart_of(path: str, helm4: Helm, folder: Path) -> Path:
    """The chart that a command names: the folder, or the archive that `make chart` would write."""
    if path == "helm/gpuatlas":
        return CHART
    helm4.run("package", CHART, "--destination", folder)
    assert Path(path).parent == Path("dist")
    return folder / Path(path).name


@pytest.mark.parametrize("words", HELM, ids=" ".join)
def test_helm_knows_every_option(words: tuple[str, ...], helm4: Helm) -> None:
    verb, _, *rest = words
    assert words[1] in {RELEASE, "--install"}
    known = set(re.findall(r"--[a-z-]+", helm4.run(verb, "--help")))
    assert {word for word in rest if word.startswith("--")} <= known


def test_objects_that_it_names_are_made(render: Callable[..., Rendered]) -> None:
    made = {
        item["metadata"]["name"]
        for names in ((), *((block.name,) for block in VALUES))
        for item in render(*names).objects
    }
    named = set(re.findall(r"`(gpuatlas-[a-z0-9-]+)`", TEXT))
    assert len(named) > 5
    assert named <= made
    assert "deployment/gpuatlas" in TEXT


def test_a_prometheus_of_ones_own_finds_the_exporter(render: Callable[..., Rendered]) -> None:
    (google,) = (yaml.safe_load(block.text) for block in YAML if block.name == "gmp.yaml")
    deployment = render().of("Deployment")[0]
    labels = at(deployment, "spec.template.metadata.labels")
    ports = [port["name"] for port in at(deployment, "spec.template.spec.containers.0.ports")]
    assert at(google, "spec.selector.matchLabels").items() <= labels.items()
    assert [end["port"] for end in google["spec"]["endpoints"]] == ports == ["metrics"]

    plain: Any = yaml.safe_load(PROMETHEUS[0].text)["scrape_configs"][0]
    kept = {rule["source_labels"][0]: rule["regex"] for rule in plain["relabel_configs"]}
    assert kept == {
        "__meta_kubernetes_pod_label_app_kubernetes_io_name": labels["app.kubernetes.io/name"],
        "__meta_kubernetes_pod_container_port_name": "metrics",
    }
    assert plain["honor_labels"] is True
    assert at(plain, "kubernetes_sd_configs.0.namespaces.names") == [NAMESPACE]


def test_logs_are_those_of_all_shards_and_of_no_other_pod(render: Callable[..., Rendered]) -> None:
    # By labels: one Deployment is not all shards, and --all-pods came with kubectl 1.31.
    (words,) = (words for words in commands("troubleshooting.md", "kubectl") if "logs" in words)
    assert words[:4] == ("-n", NAMESPACE, "logs", "--selector")
    assert words[5:] == ("--prefix", "--tail=-1")
    wanted = dict(pair.split("=") for pair in words[4].split(","))

    sharded = render("large-values.yaml")
    pods = [at(item, "spec.template") for item in sharded.of("Deployment")]
    labels = [at(pod, "metadata.labels") for pod in (*pods, *sharded.of("Pod"))]
    assert [wanted.items() <= those.items() for those in labels] == [True, True, True, False]


@pytest.mark.parametrize("block", PROMETHEUS, ids=("plain", "of nodes"))
def test_prometheus_takes_its_configuration(block: Block, tmp_path: Path) -> None:
    # Debian's own is built without the discovery of Kubernetes.
    promtool = required(lambda: built_binary("promtool3"))
    file = tmp_path / block.name
    file.write_text(block.text, "utf-8")

    answer = subprocess.run(
        [promtool, "check", "config", "--syntax-only", file],
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("guide", GUIDES)
def test_our_commands_have_these_options(guide: str) -> None:
    told = commands(guide, "gpuatlas")
    assert told
    context = click.Context(main)
    for verb, *rest in told:
        command = main.get_command(context, verb)
        assert command is not None, verb
        known = {option for item in command.params for option in item.opts}
        assert {word for word in rest if word.startswith("--")} <= known


@pytest.mark.parametrize("guide", GUIDES)
def test_make_has_these_verbs(guide: str) -> None:
    verbs = set(re.findall(r"^([a-z]+):", (DOCUMENTS.parent / "Makefile").read_text("utf-8"), re.M))
    told = {word for words in commands(guide, "make") for word in words if "=" not in word}
    assert told <= verbs
