"""What the chart carries of this repository: boards and lists, in a folder and in an archive."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from gpuatlas import __version__
from gpuatlas_harness.helm import CHART, MAJORS, ROOT, SCENARIOS, Helm, HelmError, helm

ANNOTATION_BYTES: Final = 262_144  # see the test of the rules
LANGUAGES: Final = {"en": ROOT / "dashboards/generated", "ja": ROOT / "dashboards/generated/ja"}
NOWHERE: Final = "https://example.org/gpuatlas/"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_boards_are_those_of_this_repository(language: str, helm3: Helm) -> None:
    rendered = helm3.render({"rules.as": "none", "dashboards.language": language})

    carried: dict[str, Any] = {}
    for item in rendered.of("ConfigMap"):
        (name,) = item["data"]
        carried[name] = json.loads(item["data"][name])
        assert len(json.dumps(item, ensure_ascii=False).encode()) < ANNOTATION_BYTES, name
    assert carried == {
        f"gpuatlas-{path.name}": json.loads(path.read_text(encoding="utf-8"))
        for path in LANGUAGES[language].glob("*.json")
    }


def test_links_to_documents_lead_to_where_they_are_served(helm3: Helm) -> None:
    rendered = helm3.render({"rules.as": "none", "documentsUrl": "https://docs.example/"})

    texts = [text for item in rendered.of("ConfigMap") for text in item["data"].values()]
    assert [text for text in texts if NOWHERE in text] == []
    assert [text for text in texts if "https://docs.example/" in text] != []


def test_both_exporters_find_the_list_of_fields(helm3: Helm) -> None:
    """The GPU Operator reads one key, dcgm-exporter's own chart another."""
    values = {"rules.as": "none", "dashboards.enabled": False, "dcgmCounters.enabled": True}
    data = helm3.render(values).one("ConfigMap")["data"]

    written = (ROOT / "alerts" / "dcgm-counters.csv").read_text(encoding="utf-8")
    assert {name: text.strip() for name, text in data.items()} == {
        "dcgm-metrics.csv": written.strip(),
        "metrics": written.strip(),
    }


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory, helm4: Helm) -> Path:
    """What `make chart` writes."""
    folder = tmp_path_factory.mktemp("dist")
    bin_folder = tmp_path_factory.mktemp("bin")
    (bin_folder / "helm").symlink_to(helm4.program)
    subprocess.run(
        [ROOT / "helm" / "package.sh", folder],
        env={"PATH": f"{bin_folder}:/usr/bin:/bin", "HOME": str(helm4.home)},
        capture_output=True,
        check=True,
    )
    return folder / f"gpuatlas-{__version__}.tgz"


@pytest.mark.parametrize("major", MAJORS)
def test_the_archive_renders_what_the_folder_renders(
    major: int, archive: Path, tmp_path: Path
) -> None:
    program = helm(major, tmp_path)

    assert program.render(chart=archive) == program.render()


def test_the_archive_has_what_the_chart_reads_and_no_more(archive: Path) -> None:
    with tarfile.open(archive) as packed:
        members = packed.getmembers()
    names = {member.name.removeprefix("gpuatlas/") for member in members}

    assert all(member.isfile() for member in members), "a link leads nowhere in an archive"
    assert {name for name in names if name.startswith("files/alerts/")} == {
        f"files/alerts/{name}"
        for name in (
            "hardware.yaml",
            "sharing.yaml",
            "operations.yaml",
            "meta.yaml",
            "dcgm-counters.csv",
        )
    }
    assert not [name for name in names if name.endswith(".md") and name != "README.md"]
    assert not [name for name in names if name.startswith("ci/")]


def test_a_copy_that_lost_the_links_says_so(tmp_path: Path, helm4: Helm) -> None:
    """As Flux makes one of a repository: it would install without rules and boards."""
    copy = tmp_path / "gpuatlas"
    shutil.copytree(CHART, copy, symlinks=True)
    for link in [path for path in copy.rglob("*") if path.is_symlink()]:
        link.unlink()

    with pytest.raises(HelmError, match=r"files/ of this chart is empty.*make chart"):
        helm4.render(chart=copy)


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize("values", SCENARIOS, ids=lambda path: path.stem)
def test_helms_own_lint_has_nothing_to_say(values: Path, major: int, tmp_path: Path) -> None:
    said = helm(major, tmp_path).run("lint", "--strict", CHART, "--values", values)

    assert "1 chart(s) linted, 0 chart(s) failed" in said
    assert "[WARNING]" not in said


def test_its_version_is_the_exporters() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))

    assert (chart["version"], chart["appVersion"]) == (__version__, __version__)


def test_the_scenarios_are_these() -> None:
    assert [path.stem.removesuffix("-values") for path in SCENARIOS] == [
        "air-gapped",
        "default",
        "everything-off",
        "hami",
        "kube-prometheus-stack",
        "openshift",
        "plain-prometheus",
        "sharded",
    ]
