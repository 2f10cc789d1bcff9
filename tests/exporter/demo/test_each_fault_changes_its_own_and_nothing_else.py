"""What each fault of `CHECK_FAULTS` makes of the documents and pages: exactly this, and no more.

The expectations are in `what_faults_change.yaml`: "+" and "-" are objects that come and go, "~" is
an object with the paths that differ, "page" an exporter's page with the families that differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuatlas.demo.fault_kinds import FAULTS
from gpuatlas.demo.pages import page_text
from gpuatlas.demo.scenario import Scenario
from gpuatlas.demo.state import World
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world
from gpuatlas_harness.check_faults import CHECK_FAULTS, CheckFault

Document = dict[str, Any]
Key = tuple[str, str, str]

EXPECTED: dict[str, list[str]] = yaml.safe_load(
    Path(__file__).with_name("what_faults_change.yaml").read_text("utf-8")
)
ROWS = {
    f"{check} {row.signal} {row.fault}": row for check, rows in CHECK_FAULTS.items() for row in rows
}
# The letters of generated names.
_LETTER = "[bcdfghjklmnpqrstvwxz2456789]"
_TAILS = {
    "pods": rf"(-{_LETTER}{{10}})?-{_LETTER}{{5}}$",
    "replicasets": rf"-{_LETTER}{{10}}$",
    "endpointslices": rf"-{_LETTER}{{5}}$",
}


def objects(world: World) -> dict[Key, Document]:
    return {
        (resource, d["metadata"].get("namespace", ""), d["metadata"]["name"]): d
        for resource, found in documents(world).items()
        for d in found
    }


def named(key: Key) -> str:
    """The object without the group and without the random tail of its name."""
    resource, namespace, name = key[0].split(".", maxsplit=1)[0], key[1], key[2]
    short = re.sub(_TAILS[resource], "", name) if resource in _TAILS else name
    return "/".join(part for part in (resource, namespace, short) if part)


def differences(a: object, b: object, path: str = "") -> Iterator[str]:
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            if a.get(key) != b.get(key):
                yield from differences(a.get(key), b.get(key), f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for position, (left, right) in enumerate(zip(a, b, strict=True)):
            if left != right:
                yield from differences(left, right, f"{path}[{position}]")
    else:
        yield path


class Healthy:
    """The healthy world with all that it shows."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.objects = objects(world)
        self.pages = [set(page_text(world, e).splitlines()) for e in world.endpoints]

    def changed_objects(self, world: World) -> Iterator[str]:
        before, after = self.objects, objects(world)
        for key in before.keys() | after.keys():
            if key not in before:
                yield f"+ {named(key)}"
            elif key not in after:
                yield f"- {named(key)}"
            elif before[key] != after[key]:
                # Which labels there are is told there, too.
                paths = [p for p in differences(before[key], after[key]) if ".fieldsV1." not in p]
                yield f"~ {named(key)}: {', '.join(paths)}"

    def changed_pages(self, world: World) -> Iterator[str]:
        for before, old, new in zip(self.pages, self.world.endpoints, world.endpoints, strict=True):
            lines = before ^ set(page_text(world, new).splitlines())
            families = sorted({re.split("[{ ]", line)[0] for line in lines if line[0] != "#"})
            if families:
                yield f"page {old.kind} {old.subject}: {', '.join(families)}"
            if old.behaviour != new.behaviour:
                yield f"page {old.kind} {old.subject} {new.behaviour}"

    def changes(self, scenario: Scenario, row: CheckFault) -> list[str]:
        at, seed = self.world.at, self.world.seed
        fault = replace(row.spec, since=at - 600)
        world = build_world(scenario, seed=seed, at=at, faults=(fault,))
        # Two pods of one job are one line.
        return sorted({*self.changed_objects(world), *self.changed_pages(world)})


@pytest.fixture(scope="module")
def healthy(healthy_world: World) -> Healthy:
    return Healthy(healthy_world)


def test_every_row_has_its_expectation() -> None:
    assert EXPECTED.keys() == ROWS.keys()


@pytest.mark.parametrize("name", ROWS)
def test_a_fault_changes_exactly_this(name: str, scenario: Scenario, healthy: Healthy) -> None:
    assert healthy.changes(scenario, ROWS[name]) == EXPECTED[name]


# What these do shows in TLS handshakes alone; `api/test_webhooks_speak_tls.py` makes them.
ONLY_ON_THE_WIRE = {"S07 unreachable webhook-unreachable", "S08 ends certificate-ends"}


def test_only_what_shows_on_the_wire_changes_no_document() -> None:
    assert {name for name, expected in EXPECTED.items() if not expected} == ONLY_ON_THE_WIRE


def test_faults_of_no_check_are_few_and_known() -> None:
    walked = {row.fault for row in ROWS.values()}
    assert {kind.name for kind in FAULTS} - walked == {
        "thermal-throttle",  # trips three checks at once
        "node-not-ready",
        "reservation-silent",
        "tenant-restarts",
        "noisy-neighbour",  # S05 now and then, and who is slowed by it
        "endpoint-http-500",
        "endpoint-hangs",
        "endpoint-gone",
    }
