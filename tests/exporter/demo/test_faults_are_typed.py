from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.demo.fault_kinds import FAULTS, complaint
from gpuatlas.demo.fault_text import fault_lines, read_fault
from gpuatlas.demo.scenario import FaultSpec, Scenario, ScenarioError
from gpuatlas.demo.scenario_file import load_scenario

SCENARIO = load_scenario()

TEXTS: dict[str, FaultSpec] = {
    "xid@a100-1/3,code=48": FaultSpec(name="xid", node="a100-1", card=3, options={"code": 48.0}),
    "xid@a100-1": FaultSpec(name="xid", node="a100-1", card=0),
    "xid": FaultSpec(name="xid", node="a10g-1", card=0),
    "nvlink-replays": FaultSpec(name="nvlink-replays", node="h100-1", card=0),
    "node-not-ready@t4-1": FaultSpec(name="node-not-ready", node="t4-1"),
    "heartbeat-stopped": FaultSpec(name="heartbeat-stopped", node="a10g-2"),
    "endpoint-hangs@a10g-1,endpoint=hami-monitor": FaultSpec(
        name="endpoint-hangs", node="a10g-1", options={"endpoint": "hami-monitor"}
    ),
    "limit-differs@a10g-1/1,tenant=1,percent=80": FaultSpec(
        name="limit-differs", node="a10g-1", card=1, options={"tenant": 1.0, "percent": 80.0}
    ),
    "licence-ends,days=5": FaultSpec(name="licence-ends", options={"days": 5.0}),
}


@pytest.mark.parametrize(("text", "fault"), TEXTS.items())
def test_a_fault_is_read(text: str, fault: FaultSpec, scenario: Scenario) -> None:
    assert read_fault(text, scenario) == fault


WRONG = {
    "xidd": "did you mean 'xid'?",
    "": "there is no fault ''",
    "xid@nowhere/0": "there is no node 'nowhere'",
    "xid@a100-1/9": "a100-1 has cards 0 to 7, not 9",
    "xid@a100-1/first": "xid: 'first' is no number of a card",
    "xid@a100-1/": "xid: '' is no number of a card",
    "node-not-ready@a100-1/0": "it is not about one card",
    "xid,code": "xid: 'code' is no setting: write OPTION=VALUE",
    "xid,code=many": "xid: code must be a number, not 'many'",
    "xid,code=nan": "code must be a number from 0 up",
    "xid,colour=red": "takes no 'colour'",
    "config-mode,mode=": "mode must be a text",
    "licence-ends@a10g-1": "it is about the cluster: name no node",
    "sharing-label-lost@a100-1": "a100-1 is not shared by hami",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items())
def test_what_cannot_be_is_refused(text: str, message: str, scenario: Scenario) -> None:
    with pytest.raises(ScenarioError) as caught:
        read_fault(text, scenario)
    assert message in str(caught.value)


def test_what_fits_nowhere_says_why(scenario: Scenario) -> None:
    with pytest.raises(ScenarioError, match="takes no 'x'"):
        read_fault("xid,x=1", scenario)


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet="xid@a100-1/,=code79 \u00b2", max_size=30))
def test_a_text_gives_a_fault_that_fits_or_a_refusal(text: str) -> None:
    try:
        fault = read_fault(text, SCENARIO)
    except ScenarioError:
        return
    assert complaint(fault, SCENARIO) == ""


def test_the_list_can_be_typed(scenario: Scenario) -> None:
    lines = list(fault_lines())
    assert len(lines) == len(FAULTS)
    for (written, description), kind in zip(lines, FAULTS, strict=True):
        head, *settings_ = written.split(",")
        again = ",".join([head.partition("@")[0], *settings_])
        fault = read_fault(again, scenario)
        assert fault.name == kind.name
        assert fault.options == kind.options
        assert description == kind.description
    assert "xid@NODE/CARD,code=79" in [written for written, _ in lines]
    assert "licence-ends,days=2" in [written for written, _ in lines]
    assert "endpoint-gone@NODE,endpoint=dcgm" in [written for written, _ in lines]
