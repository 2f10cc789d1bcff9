"""Containerfile and .dockerignore: what a reader of them may rely on."""

from __future__ import annotations

import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from dockerfile_parse import DockerfileParser

import gpuatlas
from gpuatlas_harness.helm import CHART
from gpuatlas_harness.image import RECIPE, ROOT, context

INSTRUCTIONS: Final[list[dict[str, Any]]] = DockerfileParser(
    fileobj=BytesIO(RECIPE.read_bytes())
).structure
FIRST_OF_LAST_STAGE: Final = max(
    at for at, line in enumerate(INSTRUCTIONS) if line["instruction"] == "FROM"
)
LAST_STAGE: Final = INSTRUCTIONS[FIRST_OF_LAST_STAGE:]


def of(instruction: str, lines: list[dict[str, Any]] = LAST_STAGE) -> list[str]:
    return [line["value"] for line in lines if line["instruction"] == instruction]


def test_hadolint_finds_nothing() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    answer = subprocess.run(
        [hadolint, "--failure-threshold", "style", RECIPE],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (answer.returncode, answer.stdout) == (0, "")


def test_every_stage_is_upon_one_pinned_base() -> None:
    base = of("ARG", INSTRUCTIONS)[0]
    assert re.fullmatch(r"PYTHON_IMAGE=docker\.io/\S+:\d+\.\d+\.\d+-\S+@sha256:[0-9a-f]{64}", base)
    assert of("FROM", INSTRUCTIONS) == ["${PYTHON_IMAGE} AS build", "${PYTHON_IMAGE}"]


def test_it_runs_as_a_number_that_is_not_root() -> None:
    """A name would be refused with runAsNonRoot, which the chart sets."""
    assert of("USER") == ["65532:65532"]
    assert LAST_STAGE.index(next(x for x in LAST_STAGE if x["instruction"] == "USER")) > max(
        at for at, line in enumerate(LAST_STAGE) if line["instruction"] in {"RUN", "COPY"}
    )


def test_the_last_stage_takes_nothing_but_what_the_first_made() -> None:
    assert of("COPY") == ["--from=build /opt/gpuatlas /opt/gpuatlas"]
    (step,) = of("RUN")
    assert "pip uninstall" in step
    assert re.findall(r"\b(apt|apt-get|curl|wget|pip install|gcc)\b", step) == []


def test_the_program_is_what_starts() -> None:
    assert of("ENTRYPOINT") == ['["gpuatlas"]']
    assert of("CMD") == ['["serve"]']
    assert "PATH=/opt/gpuatlas/bin:" in of("ENV")[0]


def test_labels_say_what_it_is() -> None:
    labels = dict(re.findall(r'org\.opencontainers\.image\.(\w+)="([^"]*)"', of("LABEL")[0]))
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))
    assert labels == {
        "title": "gpuatlas",
        "description": chart["description"],
        "licenses": "Apache-2.0",
        "version": "${VERSION}",
        "revision": "${REVISION}",
    }
    assert f"VERSION={gpuatlas.__version__}" in of("ARG")


def test_the_port_is_that_of_the_chart() -> None:
    values = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))
    assert of("EXPOSE") == [str(values["service"]["port"])]


def test_a_builder_is_sent_what_the_wheel_needs_and_nothing_else() -> None:
    sent = [str(path) for path in context()]

    assert {path.partition("/")[0] for path in sent} == {
        "LICENSE",
        "README.md",
        "alerts",
        "deploy",
        "exporter",
        "pyproject.toml",
        "requirements",
    }
    assert [path for path in sent if path.startswith(("deploy", "requirements"))] == [
        "deploy/image/build.sh",
        "requirements/image.txt",
        "requirements/runtime.txt",
    ]
    assert [path for path in sent if "__pycache__" in path or path.endswith(".pyc")] == []


def test_the_wheel_is_built_by_what_make_build_has() -> None:
    pins = [
        re.search(r"^hatchling==(\S+)", (ROOT / "requirements" / name).read_text("utf-8"), re.M)
        for name in ("dev.txt", "image.txt")
    ]
    assert pins[0] is not None
    assert pins[1] is not None
    assert pins[0][1] == pins[1][1]


@pytest.mark.parametrize("script", ["build.sh", "image.sh"])
def test_scripts_are_shell(script: str) -> None:
    subprocess.run(["sh", "-n", ROOT / "deploy" / "image" / script], check=True)
