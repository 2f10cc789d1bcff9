"""Each value of the chart: it has a comment, a default, and an effect on what is rendered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from gpuatlas_harness.chart_names import PATH as SCHEMA
from gpuatlas_harness.helm import CHART, OPERATOR, Helm, Rendered, at

Values = Mapping[str, Any]

DEFAULTS: Final = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
EFFECTS: Final[dict[str, dict[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name("effects.yaml").read_text(encoding="utf-8")
)
# Words of that table, and the places that have one of their own.
WORDS: Final = frozenset({"to", "with", "shows", "gone"})
POD: Final = "spec.template.spec"
PLACES: Final = {
    "args": f"{POD}.containers.0.args",
    "container": f"{POD}.containers.0.",
    "pod": f"{POD}.",
    "deployment": "",
}
# Their effects are tested where rules and boards are looked at.
ELSEWHERE: Final = re.compile(r"rules\.(checks|thresholds)\..+|dashboards\.language")
# Without what takes time to render and is not asked for.
SMALL: Final = {"dashboards.enabled": False, "rules.as": "none"}
# Of charts that this one is a part of.
OF_PARENTS: Final = {"global", "enabled"}


def shown(rendered: Rendered, effect: Values) -> Any:
    """What stands where the effect is, None where nothing does."""
    (place,) = set(effect) - WORDS
    path = PLACES.get(place)
    if path is not None:
        rest = "" if place == "args" else effect[place]
        return at(rendered.of("Deployment")[0], path + rest)
    kind, _, name = place.partition("/")
    items = [item for item in rendered.of(kind) if name in {"", item["metadata"]["name"]}]
    return at(items[0], effect[place]) if items else None


@pytest.fixture(scope="module")
def without(helm3: Helm) -> Callable[[Values], Rendered]:
    """What a value is compared with; many are compared with the same."""
    known: dict[str, Rendered] = {}

    def render(values: Values) -> Rendered:
        key = str(values)
        if key not in known:
            known[key] = helm3.render(values)
        return known[key]

    return render


@pytest.mark.parametrize("value", EFFECTS)
def test_it_shows_in_the_objects(
    value: str, helm3: Helm, without: Callable[[Values], Rendered]
) -> None:
    effect = EFFECTS[value]
    given = {**SMALL, **effect.get("with", {})}
    before = shown(without(given), effect)
    after = shown(helm3.render({**given, value: effect["to"]}), effect)

    if effect.get("gone"):
        assert (before is None, after) == (False, None)
    elif "args" in effect:
        assert set(effect["args"]) <= set(after) - set(before)
    else:
        expected = effect.get("shows", effect["to"])
        assert before != expected
        assert after == expected


def leaves(schema: Values, path: str = "") -> Iterator[str]:
    """The values that somebody sets: what lies in a map with names of one's own is one value."""
    for name, part in schema["properties"].items():
        if "properties" in part:
            yield from leaves(part, f"{path}{name}.")
        elif path or name not in OF_PARENTS:
            yield f"{path}{name}"


def documented() -> dict[str, str]:
    """Each key of values.yaml with the comment above it, "" for none."""
    found: dict[str, str] = {}
    above: list[str] = []
    comment = ""
    for line in (CHART / "values.yaml").read_text(encoding="utf-8").splitlines():
        key = re.match(r"( *)([\w-]+):", line)
        if line.strip().startswith("#"):
            comment += line.strip(" #")
        elif key:
            above[len(key[1]) // 2 :] = [key[2]]
            found[".".join(above)] = comment
            comment = ""
        else:
            comment = ""
    return found


def test_every_value_is_in_this_table() -> None:
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))

    wanted = {path for path in leaves(schema) if not ELSEWHERE.fullmatch(path)}
    assert set(EFFECTS) == wanted


def test_every_value_has_a_default_and_a_comment() -> None:
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    comments = documented()

    for path in leaves(schema):
        assert at(DEFAULTS, path) is not None, f"{path} is not in values.yaml"
        assert len(comments[path]) > 10, f"{path} has no comment"


def test_values_and_schema_know_the_same_names() -> None:
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    sections = {path.partition(".")[0] for path in leaves(schema)}

    assert set(DEFAULTS) == sections


@pytest.mark.parametrize(
    ("values", "shows"),
    [
        pytest.param({}, ("annotations", "ConfigMap"), id="without the operator's kinds"),
        pytest.param(
            {"scrape.by": "none", "rules.as": "none"}, ("none", "none"), id="switched off"
        ),
        pytest.param(
            {"scrape.by": "ServiceMonitor", "rules.as": "PrometheusRule"},
            ("ServiceMonitor", "PrometheusRule"),
            id="asked for where nobody knows what is served",
        ),
    ],
)
def test_without_the_operator(values: Values, shows: tuple[str, str], helm4: Helm) -> None:
    assert connected(helm4.render({"dashboards.enabled": False, **values})) == shows


def test_the_operators_kinds_are_used_where_they_are_served(helm4: Helm) -> None:
    rendered = helm4.render({"dashboards.enabled": False}, served=OPERATOR)

    assert connected(rendered) == ("ServiceMonitor", "PrometheusRule")


def connected(rendered: Rendered) -> tuple[str, str]:
    """How the exporter is scraped and how the rules come along."""
    annotations = rendered.one("Service")["metadata"].get("annotations", {})
    by = "annotations" if annotations.get("prometheus.io/scrape") == "true" else "none"
    if rendered.of("ServiceMonitor"):
        assert by == "none", "scraped twice"
        by = "ServiceMonitor"
    carriers = {kind for kind in ("PrometheusRule", "ConfigMap") if rendered.of(kind)}
    return by, "".join(carriers) or "none"


def test_our_labels_are_believed(helm4: Helm) -> None:
    """Whatever else somebody sets: with honorLabels false all numbers are those of our own pod."""
    rendered = helm4.render(
        {**SMALL, "scrape.by": "ServiceMonitor", "scrape.endpoint": {"honorLabels": False}}
    )

    (endpoint,) = rendered.one("ServiceMonitor")["spec"]["endpoints"]
    assert endpoint == {
        "honorLabels": True,
        "port": "metrics",
        "path": "/metrics",
        "scheme": "http",
    }


def test_a_label_of_somebodys_does_not_take_the_pods_away(helm4: Helm) -> None:
    mine = {"app.kubernetes.io/name": "other", "gpuatlas.dev/shard": "7"}
    rendered = helm4.render({**SMALL, "commonLabels": mine, "podLabels": mine})

    deployment = rendered.one("Deployment")
    labels = at(deployment, "spec.template.metadata.labels")
    assert at(deployment, "spec.selector.matchLabels").items() <= labels.items()
    assert rendered.one("Service")["spec"]["selector"].items() <= labels.items()


def test_shards_are_told_apart(helm4: Helm) -> None:
    """Each Deployment and each budget has its own pods; the Service has all of them."""
    rendered = helm4.render({**SMALL, "podDisruptionBudget.enabled": True, "shards": 3})

    deployments = rendered.of("Deployment")
    assert [item["metadata"]["name"] for item in deployments] == [
        "gpuatlas-0",
        "gpuatlas-1",
        "gpuatlas-2",
    ]
    pods = [at(item, "spec.template.metadata.labels") for item in deployments]
    for item in (*deployments, *rendered.of("PodDisruptionBudget")):
        wanted = at(item, "spec.selector.matchLabels").items()
        assert [item["metadata"]["name"][-1:]] == [
            labels["gpuatlas.dev/shard"] for labels in pods if wanted <= labels.items()
        ]
    everybody = rendered.one("Service")["spec"]["selector"].items()
    assert all(everybody <= labels.items() for labels in pods)


@pytest.mark.parametrize("release", ["123", "1e3", "on"])
def test_a_release_whose_name_reads_as_a_number_has_labels_of_text(
    release: str, helm4: Helm
) -> None:
    """The API server takes nothing else as a label or in a selector."""
    rendered = yaml.safe_load_all(
        helm4.run("template", release, CHART, "--set", "dashboards.enabled=false,rules.as=none")
    )
    kinds = {item["kind"]: item for item in rendered if item}
    labels = kinds["Service"]["metadata"]["labels"]
    selectors = [
        kinds["Service"]["spec"]["selector"],
        kinds["Deployment"]["spec"]["selector"]["matchLabels"],
    ]
    for one in (labels, *selectors):
        assert one["app.kubernetes.io/instance"] == release
