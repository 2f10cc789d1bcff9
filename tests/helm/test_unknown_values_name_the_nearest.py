"""A value that the chart does not know is refused with the name of the one that was meant."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gpuatlas_harness.chart_names import PATH, text
from gpuatlas_harness.helm import MAJORS, Helm, HelmError, helm

Schema = dict[str, Any]

SCHEMA: Schema = json.loads(PATH.read_text(encoding="utf-8"))
ID = re.compile(r"[A-Z]\d\d")


def sections(schema: Schema, path: str = "") -> Iterator[tuple[str, Schema]]:
    """Each object whose names are fixed, with its path."""
    if "properties" in schema:
        yield path, schema
        for name, part in schema["properties"].items():
            yield from sections(part, f"{path}{name}.")


every_section = pytest.mark.parametrize(
    ("path", "section"), [pytest.param(*each, id=each[0] or "the top") for each in sections(SCHEMA)]
)


def refusal(rule: Schema, name: str) -> list[str]:
    """The paths that a refusal of this name would print; none where it is no refusal."""
    if "if" in rule:
        condition = rule["if"]
        holds = (
            name in condition["enum"]
            if "enum" in condition
            else re.search(condition["pattern"], name) is not None
        )
        follows = rule.get("then") if holds else rule.get("else")
        return [] if follows is None else refusal(follows, name)
    return [rule["const"]] if "const" in rule else list(rule["enum"])


def slips(name: str) -> Iterator[str]:
    """What people write instead of a name."""
    yield re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()
    yield re.sub(r"(?<!^)([A-Z])", r"-\1", name).lower()
    yield name.lower()
    yield name[0].upper() + name[1:]
    for at in range(0, len(name), 3):
        yield name[:at] + name[at + 1 :]
        yield name[:at] + name[at] + name[at:]
        yield name[:at] + "x" + name[at + 1 :]
    for at in range(0, len(name) - 1, 2):
        yield name[:at] + name[at + 1] + name[at] + name[at + 2 :]


def distance(one: str, other: str) -> int:
    """Letters to put in, to take out or to replace until one is the other; case counts nothing."""
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one.lower(), 1):
        before, row = row, [index]
        for at, mark in enumerate(other.lower(), 1):
            row.append(min(row[-1] + 1, before[at] + 1, before[at - 1] + (letter != mark)))
    return row[-1]


def nearest(name: str, known: Iterator[str]) -> list[str]:
    """Those that no other is nearer than."""
    by_distance: dict[int, list[str]] = {}
    for each in known:
        by_distance.setdefault(distance(name, each), []).append(each)
    return by_distance[min(by_distance)]


@every_section
def test_slips_of_a_letter_lead_to_the_name(path: str, section: Schema) -> None:
    known = section["properties"]
    for name in (each for each in known if len(each) > 2 and not ID.fullmatch(each)):
        for slip in set(slips(name)) - set(known):
            said = refusal(section["propertyNames"], slip)
            assert said[0] in {path + each for each in nearest(slip, iter(known))}, slip
            assert len(said) == 1, slip


@every_section
def test_known_names_are_not_refused_and_others_always(path: str, section: Schema) -> None:
    assert section["additionalProperties"] is False
    assert [name for name in section["properties"] if refusal(section["propertyNames"], name)] == []
    assert refusal(section["propertyNames"], "~") == [path + name for name in section["properties"]]


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("replicaCount", "replicas"),
        ("excluded_namespaces", "excludedNamespaces"),
        ("image.tags", "image.tag"),
        ("prometheus.adress", None),
        ("serviceMonitor", "scrape.by"),
        ("pdb", "podDisruptionBudget"),
        ("image.pullSecrets", "imagePullSecrets"),
        ("rules.checks.h08", "rules.checks.H08"),
        ("rules.thresholds.idlePercent", "rules.thresholds.heldIdlePercent"),
        ("dashboards.lang", "dashboards.language"),
    ],
)
def test_helm_says_it(written: str, meant: str | None, major: int, tmp_path: Path) -> None:
    with pytest.raises(HelmError) as refused:
        helm(major, tmp_path).render({written: 1})

    name = written.rpartition(".")[2]
    assert f"additional properties '{name}' not allowed" in str(refused.value)
    if meant is None:  # nothing is near: all of them are listed
        assert "value must be one of 'prometheus.url', 'prometheus.pages'" in str(refused.value)
    else:
        assert f"value must be '{meant}'" in str(refused.value)


@pytest.mark.parametrize(
    ("value", "to", "says"),
    [
        ("scrape.by", "podmonitor", "'auto', 'ServiceMonitor', 'annotations', 'none'"),
        ("shards", 0, "got 0, want 1"),
        ("replicas", "two", "got string, want integer"),
        ("licences", ["licence"], "does not match pattern"),
        # A Service's name begins with a letter, and a budget of nothing lets no drain pass.
        ("fullnameOverride", "1st", "does not match pattern"),
        ("podDisruptionBudget.maxUnavailable", "0%", "does not match pattern"),
        # Both become parts of a name that the kubelet would take for none.
        ("image.registry", "https://registry.example", "does not match pattern"),
        ("image.registry", "registry.example/", "does not match pattern"),
        ("image.repository", "gpu/gpuatlas:0.1.0", "does not match pattern"),
        ("image.repository", "registry.example:5000/gpuatlas@sha256:0", "does not match pattern"),
        ("image.repository", "", "does not match pattern"),
        ("commonLabels", {"a": 1}, "got number, want string"),
        ("extraArgs", ["listen"], "does not match pattern"),
    ],
)
def test_a_wrong_value_is_refused_where_it_stands(
    value: str, to: object, says: str, helm4: Helm
) -> None:
    with pytest.raises(HelmError) as refused:
        helm4.render({value: to})

    assert f"at '/{value.replace('.', '/')}" in str(refused.value)
    assert says in str(refused.value)


ADDRESS = (
    "http://HOST:PORT or https://HOST:PORT, with a prefix of the server or without, and without a "
    "blank"
)
PREFIX = (
    "http://HOST/ or https://HOST/PATH/, with a / at its end, and without a blank, a user or a "
    "password"
)


@pytest.mark.parametrize(
    ("value", "to", "instead"),
    [
        ("prometheus.url", "me:s3cret@prometheus:9090", ADDRESS),
        ("prometheus.url", "http://", ADDRESS),
        ("prometheus.url", "http:///s3cret", ADDRESS),
        ("prometheus.url", " http://me:s3cret@prometheus", ADDRESS),
        ("prometheus.url", "http://me:s3cret@prometheus/a path", ADDRESS),
        ("prometheus.url", "http://me:s3cret@prometheus\n", ADDRESS),
        ("documentsUrl", "https://docs.example/s3cret", PREFIX),
        ("documentsUrl", "https:///s3cret/", PREFIX),
        ("documentsUrl", "https://docs.example/s3 cret/", PREFIX),
        ("documentsUrl", "https://docs.example?s3cret/", PREFIX),
        ("documentsUrl", "https://me:s3cret@docs.example/", PREFIX),
    ],
)
def test_an_address_of_another_form_is_refused_and_not_shown(
    value: str, to: str, instead: str, helm4: Helm
) -> None:
    with pytest.raises(HelmError) as refused:
        helm4.render({value: to})

    said = str(refused.value)
    assert f"at '/{value.replace('.', '/')}': value must be '{instead}'" in said
    assert "s3" not in said


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1]:9090/",
        "https://mimir/prometheus",
        "http://p:65535",
        "http://p:09090",
        "http://p:",
    ],
)
def test_an_address_is_given_as_it_is(url: str, helm4: Helm) -> None:
    pod = helm4.render({"prometheus.url": url}).exporter()

    assert f"--prometheus-url={url}" in pod["containers"][0]["args"]


@pytest.mark.parametrize(
    "url", ["https://docs.example/", "https://docs.example/#/", "https://docs.example/@team/?at=/"]
)
def test_links_to_documents_may_begin_behind_a_query(url: str, helm4: Helm) -> None:
    rendered = helm4.render({"dashboards.enabled": False, "documentsUrl": url})

    links = {
        rule["annotations"]["runbook_url"]
        for group in rendered.groups()
        for rule in group["rules"]
        if "alert" in rule
    }
    assert f"{url}docs/runbooks/exporter-down.md" in links
    assert [link for link in links if not link.startswith(f"{url}docs/runbooks/")] == []


@pytest.mark.parametrize(
    ("registry", "repository"),
    [
        ("", "registry.example:5000/gpu/gpuatlas"),
        ("", "GHCR.example/gpuatlas"),
        ("registry.example:5000/mirror/of_a__kind", "gpu/gpuatlas"),
        ("[2001:db8::1]:5000", "gpuatlas"),
        ("localhost", "gpu-atlas"),
    ],
)
def test_an_image_is_named_as_registries_have_it(
    registry: str, repository: str, helm4: Helm
) -> None:
    pod = helm4.render({"image": {"registry": registry, "repository": repository}}).exporter()

    image = pod["containers"][0]["image"]
    assert image.rpartition(":")[0] == "/".join(filter(None, (registry, repository)))


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"scrapeTimeoutSeconds": 40}, "scrapeTimeoutSeconds (40) is longer than"),
        ({"prometheus.matchers": {"cluster": "a"}}, "need prometheus.url"),
        (
            {
                "prometheus.url": "http://prometheus",
                "prometheus.bearerToken": {"secret": "a", "serviceAccount": True},
            },
            "two tokens",
        ),
        (
            {
                "prometheus.url": "http://prometheus",
                "prometheus.bearerToken.secret": "a",
                "prometheus.basicAuth.secret": "b",
            },
            "basicAuth and bearerToken are two ways to log in",
        ),
        (
            {"prometheus.url": "http://prometheus\\prefix"},
            "prometheus.url has a \\: write / instead",
        ),
        ({"prometheus.url": "http://prometheus:web"}, "a port from 1 to 65535 behind it"),
        ({"prometheus.url": "http://prometheus:0"}, "a port from 1 to 65535 behind it"),
        ({"prometheus.url": "http://prometheus:65536/prefix"}, "a port from 1 to 65535 behind it"),
        ({"prometheus.url": "http://2001:db8::1:9090"}, "a port from 1 to 65535 behind it"),
        ({"prometheus.url": "http://:9090"}, "a port from 1 to 65535 behind it"),
        ({"prometheus.url": "http://prometheus/?token=a"}, "so that it ends before a ?"),
        ({"prometheus.url": "http://prometheus?"}, "so that it ends before a ?"),
        ({"prometheus.url": "http://prometheus/#a"}, "so that it ends before a #"),
        ({"prometheus.url": "http://prometheus\u00a0"}, "prometheus.url has an invisible"),
        ({"prometheus.url": "http://prome\u200btheus"}, "prometheus.url has an invisible"),
        ({"documentsUrl": "https://docs\u200b/"}, "documentsUrl has an invisible character"),
        ({"prometheus.url": "http://prometheus/api/v1"}, "leave /api/v1 away"),
        ({"prometheus.url": "http://mimir/prometheus/api/v1/"}, "leave /api/v1 away"),
        ({"prometheus.url": "http://mimir/prometheus/api/v1//"}, "leave /api/v1 away"),
        (
            {"prometheus.url": "http://p", "prometheus.matchers": {'a="b"} or up{x': "c"}},
            r'prometheus.matchers: "a=\"b\"} or up{x" is no label of a series: letters',
        ),
        (
            {"prometheus.url": "http://p", "prometheus.matchers": {"__name__": "c"}},
            'prometheus.matchers: "__name__" is no label of a series',
        ),
        ({"prometheus.basicAuth.secret": "a"}, "need prometheus.url"),
        ({"web.tls": True}, "web.tls needs web.secret"),
        # The probes would go on asking 9836, and the kubelet would kill the pod again and again.
        ({"extraArgs": ["--listen=:9000"]}, "leave --listen away"),
        (
            {"extraEnv": [{"name": "GPUATLAS_LISTEN", "value": ":9000"}]},
            "leave GPUATLAS_LISTEN away",
        ),
        # Prometheus 2 refuses the whole file of a rule with such a label.
        ({"rules.alertLabels": {"a-b": "c"}}, 'rules.alertLabels: "a-b" is no label of an alert'),
        ({"rules.alertLabels": {"1a": "c"}}, 'rules.alertLabels: "1a" is no label of an alert'),
        ({"serviceAccount.create": False}, "name the account that gets the rights"),
    ],
)
def test_values_that_contradict_each_other_are_refused(
    values: dict[str, object], says: str, helm4: Helm
) -> None:
    with pytest.raises(HelmError, match=re.escape(says)):
        helm4.render(values)


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize(
    ("values", "instead"),
    [
        ({"prometheus.url": "http://me:s3cret@prometheus:9090"}, "prometheus.basicAuth.secret"),
        ({"prometheus.url": "https://s3cret@prometheus"}, "prometheus.bearerToken.secret"),
        ({"prometheus.url": "http://me:s3/cret@prometheus"}, "prometheus.basicAuth.secret"),
        (
            {
                "prometheus.url": "http://prometheus",
                "prometheus.headers": {"AUTHORIZATION": "Bearer s3cret"},
            },
            "prometheus.bearerToken.secret",
        ),
        ({"extraArgs": ["--prometheus-url=http://me:s3cret@p"]}, "prometheus.basicAuth.secret"),
        (
            {"extraEnv": [{"name": "GPUATLAS_PROMETHEUS_URL", "value": "http://me:s3cret@p"}]},
            "prometheus.basicAuth.secret",
        ),
    ],
)
def test_what_is_secret_is_refused_where_everybody_reads_it(
    values: dict[str, object], instead: str, major: int, tmp_path: Path
) -> None:
    """The refusal says where it belongs, and does not say it again."""
    with pytest.raises(HelmError, match=re.escape(instead)) as refused:
        helm(major, tmp_path).render(values)

    assert "everybody who may read Deployments" in str(refused.value)
    assert "s3cret" not in str(refused.value)
    assert "cret@" not in str(refused.value)


def test_a_chart_that_has_this_one_as_a_part_may_switch_it(helm4: Helm) -> None:
    """`condition: gpuatlas.enabled`, and globals of the whole, arrive here as well."""
    given = {"dashboards.enabled": False, "rules.as": "none"}

    assert helm4.render({**given, "enabled": True, "global.x": 1}) == helm4.render(given)


def test_the_hints_are_those_of_the_names() -> None:
    """`make docs` writes them again."""
    assert PATH.read_text(encoding="utf-8") == text()
