"""Reads a scenario file. What the parts say of one another is checked in `scenario_rules`."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Final

import yaml

from gpuatlas.demo.fields import Fields
from gpuatlas.demo.installed import LicenceSpec
from gpuatlas.demo.patterns import PATTERNS
from gpuatlas.demo.runtimes import RUNTIMES
from gpuatlas.demo.scenario import (
    Ask,
    ClaimSpec,
    FaultSpec,
    Lifetime,
    Place,
    QueueSpec,
    QueueSystem,
    Renewed,
    Runs,
    Scenario,
    ScenarioError,
    Uses,
    Waits,
    WorkingHours,
    WorkloadSpec,
)
from gpuatlas.demo.scenario_nodes import MOST_CARDS, MOST_MIB, read_cards, read_node, read_release
from gpuatlas.demo.scenario_rules import check
from gpuatlas.demo.serving import Cache, Traffic
from gpuatlas.demo.shapes import SHAPES

KINDS: Final = ("CronJob", "DaemonSet", "Deployment", "Job", "Pod", "StatefulSet", *SHAPES)
_DEFAULT_LIFE: Final = Renewed(days=6.0)


def load_scenario(path: Path | None = None) -> Scenario:
    """Read the file, or the built-in scenario. Raises ScenarioError: the place and the remedy."""
    if path is None:
        text = resources.files("gpuatlas.demo").joinpath("scenario.yaml").read_text("utf-8")
        return parse_scenario(text, "scenario.yaml")
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path}: cannot be read: {error}"
        raise ScenarioError(msg) from error
    return parse_scenario(text, str(path))


def parse_scenario(text: str, file: str) -> Scenario:
    """Read a scenario from text; `file` names it in errors."""
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        msg = f"{file}: is no YAML: {error}"
        raise ScenarioError(msg) from error
    fields = Fields(document, "", file)
    cards = read_cards(fields, file)
    releases = tuple(read_release(part) for part in fields.sections("hami"))
    by_name = {release.release: release for release in releases}
    scenario = Scenario(
        since=fields.instant("since"),
        kubernetes=fields.text("kubernetes"),
        hami=releases,
        nodes=tuple(read_node(part, cards, by_name) for part in fields.sections("nodes")),
        workloads=tuple(_workload(part) for part in fields.sections("workloads")),
        faults=tuple(_fault(part) for part in fields.sections("faults")),
        queues=tuple(_queue(part) for part in fields.sections("queues")),
        claims=tuple(_claim(part) for part in fields.sections("claims")),
        licence=_licence(fields.section("licence")) if fields.has("licence") else None,
    )
    fields.finish()
    check(scenario, file)
    return scenario


def _workload(fields: Fields) -> WorkloadSpec:
    workload = WorkloadSpec(
        name=fields.text("name"),
        namespace=fields.text("namespace"),
        kind=fields.choice("kind", KINDS),
        runtime=fields.choice("runtime", RUNTIMES.keys()),
        busy=fields.choice("busy", PATTERNS.keys()),
        places=tuple(_place(part) for part in fields.sections("places")),
        lives=_lifetime(fields.section("lives")) if fields.has("lives") else _DEFAULT_LIFE,
        uses=_uses(fields.section("uses")) if fields.has("uses") else Uses(),
        ask=_ask(fields.section("ask")) if fields.has("ask") else None,
        requests=fields.sizes("requests", high=MOST_MIB),
        queue=fields.text("queue", ""),
        claim=fields.text("claim", ""),
        cache=_cache(fields.section("cache")) if fields.has("cache") else None,
        traffic=_traffic(fields.section("traffic")) if fields.has("traffic") else None,
    )
    fields.finish()
    return workload


def _cache(fields: Fields) -> Cache:
    cache = Cache(
        mib=fields.integer("mib", low=1, high=MOST_MIB),
        busiest=fields.number("busiest", low=0, high=1),
        told=fields.flag("told"),
    )
    fields.finish()
    return cache


def _traffic(fields: Fields) -> Traffic:
    traffic = Traffic(
        requests_per_second=fields.number("requests_per_second", low=0.001, high=100_000),
        seconds=fields.number("seconds", low=0.001, high=3600),
        tokens=(
            fields.integer("question_tokens", low=0, high=1_000_000, default=0),
            fields.integer("answer_tokens", low=0, high=1_000_000, default=0),
        ),
    )
    fields.finish()
    return traffic


def _queue(fields: Fields) -> QueueSpec:
    queue = QueueSpec(
        system=QueueSystem(fields.choice("system", tuple(QueueSystem))),
        name=fields.text("name"),
        parent=fields.text("parent", ""),
        namespace=fields.text("namespace", ""),
        cards=fields.integer("cards", low=0, high=100_000, default=0),
    )
    fields.finish()
    return queue


def _claim(fields: Fields) -> ClaimSpec:
    claim = ClaimSpec(
        name=fields.text("name"),
        namespace=fields.text("namespace"),
        node=fields.text("node"),
        card=fields.integer("card", low=0, high=MOST_CARDS - 1),
        slot=fields.integer("slot", low=0, high=99) if fields.has("slot") else None,
    )
    fields.finish()
    return claim


def _licence(fields: Fields) -> LicenceSpec:
    licence = LicenceSpec(namespace=fields.text("namespace"), name=fields.text("name"))
    fields.finish()
    return licence


def _place(fields: Fields) -> Place:
    place = Place(
        node=fields.text("node"),
        cards=fields.integers("cards", low=0, high=MOST_CARDS - 1),
        slot=fields.integer("slot", low=0, high=99) if fields.has("slot") else None,
    )
    fields.finish()
    return place


def _ask(fields: Fields) -> Ask:
    share = fields.number("share", low=0.01, high=1) if fields.has("share") else 0.0
    ask = Ask(
        share=share,
        memory_mib=0 if share else fields.integer("memory_mib", low=1, high=MOST_MIB),
        cores=fields.integer("cores", low=0, high=100, default=0),
        priority=fields.integer("priority", low=0, high=1) if fields.has("priority") else None,
    )
    fields.finish()
    return ask


def _uses(fields: Fields) -> Uses:
    quiet, busiest = fields.pair("memory_mib", low=0, high=MOST_MIB)
    uses = Uses(
        memory_mib=(int(quiet), int(busiest)),
        compute=fields.pair("compute", low=0, high=1),
        managed=fields.flag("managed"),
    )
    fields.finish()
    return uses


def _lifetime(fields: Fields) -> Lifetime:
    life: Lifetime
    if fields.has("renewed_days"):
        life = Renewed(
            days=fields.number("renewed_days", low=0.01, high=3650),
            rolled_out_days=fields.number("rolled_out_days", low=0.1, high=3650, default=0.0),
        )
    elif fields.has("hours"):
        start, end = fields.pair("hours", low=0, high=24)
        life = WorkingHours(start=start, end=end)
    elif fields.has("waits_hours"):
        life = Waits(
            hours=fields.number("waits_hours", low=0.1, high=1000),
            pods=fields.integer("pods", low=1, high=100, default=1),
        )
    else:
        every = fields.number("every_minutes", low=1, high=100_000)
        life = Runs(
            every_minutes=every,
            takes_minutes=fields.number("takes_minutes", low=0.5, high=every * 0.9),
            fails_every=fields.integer("fails_every", low=0, high=1000, default=0),
        )
    fields.finish()
    return life


def _fault(fields: Fields) -> FaultSpec:
    return FaultSpec(
        name=fields.text("fault"),
        node=fields.text("node", ""),
        card=fields.integer("card", low=0, high=MOST_CARDS - 1) if fields.has("card") else None,
        options=fields.rest(),
    )
