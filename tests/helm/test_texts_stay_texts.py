"""What somebody gives as a text is a text in the objects, whatever YAML would make of it.

Kubernetes refuses a namespace that is a number. The values are found in the schema, so that a new
one is looked at without a line here.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from gpuatlas_harness.chart_names import PATH as SCHEMA_FILE
from gpuatlas_harness.helm import CHART, MAJORS, RELEASE, Helm, helm

Schema = Mapping[str, Any]
Values = dict[str, Any]

SCHEMA: Final[Schema] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
# Everything that can be made.
ALL_ON: Final = {
    "dashboards.enabled": True,
    "networkPolicy.enabled": True,
    "dcgmCounters.enabled": True,
    "podDisruptionBudget.enabled": True,
    # Unless the text can stand in an address.
    "prometheus.url": "http://prometheus",
}
# Of what excludes each other, one each: (values, path that is left out).
VARIANTS: Final = {
    "operator": (
        {"rules.as": "PrometheusRule", "scrape.by": "ServiceMonitor"},
        "prometheus.basicAuth.",
    ),
    "plain": ({"rules.as": "ConfigMap", "scrape.by": "annotations"}, "prometheus.bearerToken."),
}
# Here the text is a value alone: the names are those of labels in Prometheus.
OF_SERIES: Final = {"prometheus.matchers", "rules.alertLabels"}
# What YAML 1.1, YAML 1.2 or Go's reader takes for something else when nothing stands around it.
_OTHERWISE: Final = re.compile(
    r"(?ix) [-+]? (0x[0-9a-f_]+ | 0o?[0-7_]+ | 0b[01_]+ | [0-9][0-9_]*(\.[0-9_]*)?(e[-+]?[0-9]+)?"
    r" | \.[0-9_]+(e[-+]?[0-9]+)? | \.inf) | \.nan | ~ | null | true | false | y | yes | n | no"
    r" | on | off | \d{4}-\d\d?-\d\d?.* | [0-9]+(:[0-5]?[0-9])+ | = | << |"
)
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Each of them differs from all others, so that it can be found again.
NUMBERED: Final[Mapping[str, Callable[[int], str]]] = {
    "digits": lambda n: f"{1000 + n}",
    "exponent": lambda n: f"{1000 + n}e3",
    "hexadecimal": lambda n: f"0x{0x1000 + n:x}",
    "octal": lambda n: f"0o{0o1000 + n:o}",
    "thousands": lambda n: f"1_{n:03d}",
    "fraction": lambda n: f"{n}.10",
    "date": lambda n: f"{2000 + n}-01-01",
    "time": lambda n: f"{n}:30",
    "punctuation": lambda n: (
        f"{n}: \"a\" #b 'c' {{{{ .Values }}}} [d, {{e: - *f &g !h | > % `\\ é\t"
    ),
    "lines": lambda n: f"{n}\nb: c\n\n  d ",
}
WORDS: Final = ("true", "no", "on", "y", "null", "~")


@dataclass(frozen=True)
class Scalar:
    """One in the objects. `is_text`: every reader of YAML takes it for a text."""

    text: str
    is_text: bool


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The chart with one board and few rules: it is rendered very often."""
    copy = tmp_path_factory.mktemp("small") / "gpuatlas"
    shutil.copytree(CHART, copy, ignore=shutil.ignore_patterns("dashboards", "*_rules", "alerts"))
    for name in ("alerts/meta.yaml", "alerts/dcgm-counters.csv", "recording_rules/node.yaml"):
        target = copy / "files" / name
        target.parent.mkdir(exist_ok=True)
        shutil.copy(CHART / "files" / name, target)
    (copy / "files" / "dashboards").mkdir()
    board = json.dumps({"link": "https://example.org/gpuatlas/docs"})
    (copy / "files" / "dashboards" / "one.json").write_text(board)
    return copy


# Values


def leaves(schema: Schema, path: str = "") -> Iterator[tuple[str, Schema]]:
    """Each value that is no section, with what the schema says of it."""
    for name, given in schema["properties"].items():
        part = resolved(given)
        if "properties" in part:
            yield from leaves(part, f"{path}{name}.")
        elif path or name not in {"global", "enabled"}:
            yield f"{path}{name}", part


def resolved(part: Schema) -> Schema:
    reference = part.get("$ref", "").rpartition("/")[2]
    found: Schema = SCHEMA["definitions"][reference] if reference else part
    return found


def fitting(part: Schema, text: str) -> str | None:
    """The text as this value takes it: alone, or where it must have a form, as a piece of that."""
    # Addresses have theirs under "if", since Helm shows what does not match a pattern.
    pattern = part.get("pattern") or part.get("if", {}).get("pattern", "")
    for form in ("{}", "{0}/{0}/{0}", "-{}", "http://{}", "http://{}/", "{}s"):
        whole = form.format(text)
        if re.search(pattern, whole) and part.get("minLength", 0) <= len(whole):
            return whole
    return None


def given(part: Schema, text: str) -> Any:
    """A value that consists of this text, None where it cannot."""
    match part.get("type"):
        case "string":
            return fitting(part, text)
        case "array":
            item = resolved(part["items"])
            inner = given(item, text)
            return None if inner is None else [inner]
        case "object" if part.get("additionalProperties", {}):
            return {text: text}
        case "object":
            return {"name": text, "value": {"inner": [text]}}
    return None


def of_texts(numbered: Callable[[int], str], without: str) -> Iterator[tuple[str, str, Any]]:
    """Path, text and value of all that a text can be given for."""
    for number, (path, part) in enumerate(leaves(SCHEMA)):
        text = numbered(number)
        value = None if path.startswith(without) else given(part, text)
        if path in OF_SERIES:
            value = {"label": text}
        if value is not None:
            yield path, text, value


def nested(flat: Mapping[str, Any]) -> Values:
    whole: Values = {}
    for path, value in flat.items():
        place, *sections = [*reversed(path.split("."))]
        section = whole
        for name in reversed(sections):
            section = section.setdefault(name, {})
        section[place] = value
    return whole


# Objects


def scalars(text: str) -> Iterator[Scalar]:
    """All of a rendered chart, keys as well, those of the files in ConfigMaps among them."""
    for document in yaml.compose_all(text, _LOADER):
        if document is not None:
            yield from _scalars(document)


def _scalars(node: Any) -> Iterator[Scalar]:
    if isinstance(node, yaml.ScalarNode):
        plain = not node.style
        yield Scalar(node.value, not plain or not _OTHERWISE.fullmatch(node.value))
        if node.style == "|" and node.value.startswith(("groups:", "{")):
            yield from scalars(node.value)
    else:
        pairs = isinstance(node, yaml.MappingNode)
        for child in (each for pair in node.value for each in pair) if pairs else node.value:
            yield from _scalars(child)


def rendered(
    program: Helm, chart: Path, values: Mapping[str, Any], folder: Path, *names: str
) -> list[Scalar]:
    """`names` are those of the release and its namespace."""
    release, namespace = names or (RELEASE, "gpu-monitoring")
    file = folder / "values.yaml"
    file.write_text(json.dumps(nested(values)), encoding="utf-8")
    where = ("--namespace", namespace, "--values", file)
    return [*scalars(program.run("template", release, chart, *where))]


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("form", NUMBERED)
def test_every_value_comes_out_as_it_went_in(
    form: str, variant: str, major: int, chart: Path, tmp_path: Path
) -> None:
    basis, without = VARIANTS[variant]
    texts = [*of_texts(NUMBERED[form], without)]
    values = {**ALL_ON, **basis, **{path: value for path, _, value in texts}}

    found = rendered(helm(major, tmp_path), chart, values, tmp_path)

    assert len(texts) > 15
    for path, text, _ in texts:
        wrong = [one for one in found if one.text == text and not one.is_text]
        assert not wrong, f"{path} stands where YAML reads {text} as something else"
        if shows(path, variant):
            assert [one for one in found if text in one.text], f"{path}: {text!r} is nowhere"


def shows(path: str, variant: str) -> bool:
    """Whether it is used there."""
    return variant == "operator" or not path.startswith("scrape.")


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_words_of_yaml_are_texts_as_well(
    variant: str, major: int, chart: Path, tmp_path: Path
) -> None:
    basis, without = VARIANTS[variant]
    program = helm(major, tmp_path)

    def plain(make: Callable[[int], str]) -> Counter[str]:
        """What stands there and is no text, by what it is."""
        texts = {path: value for path, _, value in of_texts(make, without)}
        found = rendered(program, chart, {**ALL_ON, **basis, **texts}, tmp_path)
        return Counter(one.text for one in found if not one.is_text)

    # The chart itself says true.
    of_the_chart = plain(lambda n: f"text{n}")
    for word in WORDS:
        assert plain(lambda _, word=word: word)[word] <= of_the_chart[word], word  # type: ignore[misc]


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize(
    ("release", "namespace"), [("123", "456"), ("1e3", "7e2"), ("0x1f", "0x2f"), ("on", "null")]
)
def test_names_of_releases_and_namespaces_are_texts(
    release: str, namespace: str, major: int, chart: Path, tmp_path: Path
) -> None:
    program = helm(major, tmp_path)
    for basis, _ in VARIANTS.values():
        values = {**ALL_ON, **basis, "rbac.getNamespaces": [namespace]}
        found = rendered(program, chart, values, tmp_path, release, namespace)

        assert [one for one in found if one.text in {release, namespace} and not one.is_text] == []
        assert found.count(Scalar(release, is_text=True)) > 10
        assert found.count(Scalar(namespace, is_text=True)) > 10


def test_the_texts_of_this_test_are_read_otherwise_where_they_stand_bare() -> None:
    """Else nothing would be shown by it."""
    bare = [make(7) for name, make in NUMBERED.items() if name not in {"punctuation", "lines"}]
    for text in (*bare, *WORDS):
        (found,) = scalars(f"- {text}\n")
        assert found == Scalar(text, is_text=False)
