"""Values that are not there: set to null, or unknown to the chart that a release was made of."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from gpuatlas_harness.chart_names import with_required
from gpuatlas_harness.helm import CHART, MAJORS, Helm, HelmError, Rendered, at, helm
from gpuatlas_harness.kube import KubeServer

VALUES: Final = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
SCHEMA: Final = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
# All that can be made, but for boards and rules, which take time.
ALL_ON: Final = {
    "dashboards.enabled": False,
    "rules.as": "none",
    "scrape.by": "ServiceMonitor",
    "networkPolicy.enabled": True,
    "dcgmCounters.enabled": True,
    "podDisruptionBudget.enabled": True,
}


def template(program: Helm, *values: Path) -> Rendered:
    return program.render(ALL_ON, *values)


def paths(schema: Mapping[str, Any], *, needed: bool, path: str = "") -> Iterator[str]:
    """The values that must be there, or those that need not."""
    for name, part in schema["properties"].items():
        if (name in schema.get("required", ())) == needed and name not in {"global"}:
            yield f"{path}{name}"
        if "properties" in part:
            yield from paths(part, needed=needed, path=f"{path}{name}.")


def nulls(flat: Iterator[str] | list[str], folder: Path) -> Path:
    """A file of values in which these are null."""
    whole: dict[str, Any] = {}
    for path in flat:
        *sections, name = path.split(".")
        section = whole
        for each in sections:
            section = section.setdefault(each, {})
        section[name] = None
    file = folder / "null.yaml"
    file.write_text(json.dumps(whole))
    return file


def default(path: str) -> Any:
    return at(VALUES, path)


@pytest.mark.parametrize("major", MAJORS)
def test_null_is_as_good_as_nothing_where_nothing_is_needed(major: int, tmp_path: Path) -> None:
    program = helm(major, tmp_path)
    empty = [path for path in paths(SCHEMA, needed=False) if default(path) in ("", [], {})]
    assert len(empty) > 30
    others = [path for path in paths(SCHEMA, needed=False) if default(path)]

    taken = template(program, nulls(empty, tmp_path))

    assert taken == template(program)
    text = json.dumps(template(program, nulls(others, tmp_path)).objects)
    assert not re.search(r"<nil>|<no value>|%!", text)


@pytest.mark.parametrize("major", MAJORS)
def test_what_is_needed_is_missed_by_its_name(major: int, tmp_path: Path) -> None:
    program = helm(major, tmp_path)
    needed = [*paths(SCHEMA, needed=True)]
    leaves = [path for path in needed if not any(each.startswith(f"{path}.") for each in needed)]
    assert len(leaves) > 80
    with pytest.raises(HelmError) as refused:
        template(program, nulls(leaves, tmp_path))

    said = str(refused.value)
    for path in set(leaves) - set(ALL_ON):
        section, _, name = path.rpartition(".")
        place = f"at '/{section.replace('.', '/')}'" if section else "at ''"
        (line,) = [each for each in said.splitlines() if f"{place}: missing propert" in each]
        assert f"'{name}'" in line


def test_what_is_needed_is_what_has_a_default() -> None:
    """`make docs` writes it again."""
    assert with_required(SCHEMA, VALUES) == SCHEMA


@pytest.mark.parametrize("major", MAJORS)
def test_values_of_an_older_chart_are_refused_by_name_and_can_be_kept(
    major: int, kube: KubeServer, tmp_path: Path
) -> None:
    """An older chart, without one of the sections of this one."""
    older, namespace = tmp_path / "gpuatlas", f"reuse-{major}"
    shutil.copytree(CHART, older, symlinks=False)
    values = {name: part for name, part in VALUES.items() if name != "networkPolicy"}
    (older / "values.yaml").write_text(yaml.safe_dump(values))
    (older / "values.schema.json").unlink()
    (older / "templates" / "networkpolicy.yaml").unlink()
    program = helm(major, tmp_path)
    small = ("--set", "dashboards.enabled=false,rules.as=none")

    def run(*words: str | Path) -> str:
        where = ("--namespace", namespace)
        return program.run(*words, *where, kubeconfig=kube.kubeconfig)

    run("install", "gpuatlas", older, *small, "--set", "replicas=2", "--create-namespace")
    with pytest.raises(HelmError, match="missing property 'networkPolicy'"):
        run("upgrade", "gpuatlas", CHART, "--reuse-values")
    run("upgrade", "gpuatlas", CHART, "--reset-then-reuse-values")

    (found,) = kube.list_objects("Deployment", namespace=namespace, api_version="apps/v1")["items"]
    assert found["spec"]["replicas"] == 2
    run("uninstall", "gpuatlas")
