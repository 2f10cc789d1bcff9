"""Faults as a person types them: NAME[@NODE[/CARD]][,OPTION=VALUE]."""

from __future__ import annotations

from collections.abc import Iterator

from gpuatlas.demo.fault_kind import FaultKind, Option
from gpuatlas.demo.fault_kinds import BY_NAME, FAULTS, complaint
from gpuatlas.demo.fields import suggest
from gpuatlas.demo.scenario import FaultSpec, Scenario, ScenarioError


def read_fault(text: str, scenario: Scenario) -> FaultSpec:
    """The fault that the text means in this cluster.

    Without a node it strikes the first one that can have it, and without a card the node's first.
    Raises ScenarioError: what is wrong, and what to write.
    """
    head, *settings = text.split(",")
    name, _, place = head.partition("@")
    kind = BY_NAME.get(name)
    if kind is None:
        msg = f"there is no fault '{name}'{suggest(name, BY_NAME)}"
        raise ScenarioError(msg)
    node, slash, card = place.partition("/")
    fault = FaultSpec(
        name=name,
        node=node,
        card=_card(kind, card) if slash else _first_card(kind),
        options=dict(_option(kind, setting) for setting in settings),
    )
    if not node and not kind.about_the_cluster:
        fault = _somewhere(fault, scenario)
    if wrong := complaint(fault, scenario):
        raise ScenarioError(wrong)
    return fault


def _first_card(kind: FaultKind) -> int | None:
    return 0 if kind.about_a_card else None


def _card(kind: FaultKind, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        msg = f"{kind.name}: '{text}' is no number of a card"
        raise ScenarioError(msg)
    return int(text)


def _option(kind: FaultKind, text: str) -> tuple[str, Option]:
    name, equals, value = text.partition("=")
    if not equals:
        msg = f"{kind.name}: '{text}' is no setting: write OPTION=VALUE"
        raise ScenarioError(msg)
    if isinstance(kind.options.get(name, ""), str):
        return name, value
    try:
        return name, float(value)
    except ValueError:
        msg = f"{kind.name}: {name} must be a number, not '{value}'"
        raise ScenarioError(msg) from None


def _somewhere(fault: FaultSpec, scenario: Scenario) -> FaultSpec:
    """On the first node that can have it; on the first of all where none can, for the complaint."""
    found = [
        FaultSpec(name=fault.name, node=node.name, card=fault.card, options=fault.options)
        for node in scenario.nodes
    ]
    return next((spec for spec in found if not complaint(spec, scenario)), found[0])


def fault_lines() -> Iterator[tuple[str, str]]:
    """All faults: how to write each, with its settings as they are, and what it does."""
    for kind in FAULTS:
        place = "" if kind.about_the_cluster else "@NODE/CARD" if kind.about_a_card else "@NODE"
        settings = "".join(f",{name}={value}" for name, value in kind.options.items())
        yield f"{kind.name}{place}{settings}", kind.description
