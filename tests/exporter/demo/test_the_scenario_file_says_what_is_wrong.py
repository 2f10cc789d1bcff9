from __future__ import annotations

import contextlib
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.demo.scenario import (
    Ask,
    ClaimSpec,
    Place,
    QueueSpec,
    QueueSystem,
    Renewed,
    Scenario,
    ScenarioError,
    Sharing,
    Waits,
)
from gpuatlas.demo.scenario_file import load_scenario, parse_scenario

SMALL = """
since: 2026-01-01T00:00:00Z
kubernetes: v1.34.2
cards:
  small: {model: NVIDIA A10G, family: ampere, compute_capability: "8.6", memory_mib: 20000,
          power_watts: 300, idle_watts: 20, reserved_mib: 400, sm_clock_mhz: 1700,
          memory_clock_mhz: 6000, pcie_generation: 4, mig: {1g.5gb: 5000, 4g.10gb: 10000}}
hami:
  - {release: hami, namespace: hami-system, version: v2.9.0}
nodes:
  - {name: plain, pool: p, machine: m, card: small, count: 2, driver: "580.1", cuda: "13.0"}
  - {name: soft, pool: p, machine: m, card: small, count: 1, driver: "580.1", cuda: "13.0",
     hami: {release: hami, memory_scaling: 1.5}}
  - {name: cut, pool: p, machine: m, card: small, count: 1, driver: "580.1", cuda: "13.0",
     mig: {0: [4g.10gb, 1g.5gb]}}
workloads:
  - {name: w, namespace: n, kind: Pod, runtime: pytorch, busy: idle,
     places: [{node: plain, cards: [0]}]}
faults: []
"""


def parse(text: str) -> Scenario:
    return parse_scenario(text, "file.yaml")


def test_a_small_file_is_read() -> None:
    scenario = parse(SMALL)
    assert [node.sharing for node in scenario.nodes] == [Sharing.PLAIN, Sharing.HAMI, Sharing.MIG]
    assert scenario.node("soft").schedulable_mib == 30000
    assert scenario.node("soft").slots == 10
    assert scenario.node("cut").mig == {0: ("4g.10gb", "1g.5gb")}
    (workload,) = scenario.workloads
    assert workload.key == "n/w"
    assert workload.places == (Place(node="plain", cards=(0,)),)
    assert workload.lives == Renewed(days=6.0)


def test_the_name_of_a_node_that_is_not_there_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        parse(SMALL).node("nowhere")


WRONG = {
    "a misspelt field": ("count: 2", "cuont: 2", "nodes[0].count: is missing"),
    "a field too many": ("count: 2,", "count: 2, colour: red,", "nodes[0].colour: is no field"),
    "a near miss is suggested": ("busy: idle", "busy: idel", "did you mean 'idle'?"),
    "an unknown card": ("card: small, count: 2", "card: big, count: 2", "nodes[0].card: 'big'"),
    "an unknown release": ("{release: hami, mem", "{release: x, mem", "nodes[1].hami.release: 'x'"),
    "a text for a number": ("count: 2", "count: two", "must be a number, not a text"),
    "a number out of range": ("count: 2", "count: 99", "must be between 1 and 16, not 99"),
    "half a card": ("count: 2", "count: 1.5", "must be a whole number, not 1.5"),
    "not a number": ("power_watts: 300", "power_watts: .nan", "cards.small.power_watts: must be"),
    "true is no number": ("count: 2", "count: true", "must be a number, not true or false"),
    "a number for a text": ("cuda: \"13.0\"}\n  - {name: soft", "cuda: 13.0}\n  - {name: soft",
                            "nodes[0].cuda: must be a text"),
    "no date": ("since: 2026-01-01T00:00:00Z", "since: soon", "since: must be a date and time"),
    "no version": ("version: v2.9.0", "version: newest", "hami[0].version: must be a version"),
    "a list for a mapping": ("cards:\n  small: {", "cards:\n  small: [", "is no YAML"),
    "two ways of sharing": ("mig: {0:", "time_slicing: {replicas: 4}, mig: {0:", "in one way"),
    "an unknown profile": ("[4g.10gb, 1g.5gb]", "[7g.40gb]", "no MIG profile of small"),
    "too many slices": ("[4g.10gb, 1g.5gb]", "[4g.10gb, 4g.10gb]", "more than 7 compute slices"),
    "too much memory": ("4g.10gb: 10000", "4g.10gb: 19000", "more memory than the card has"),
    "a cut card that is not there": ("mig: {0: [", "mig: {3: [", "has cards 0 to 0"),
    "a layout by name": ("mig: {0: [", "mig: {first: [", "must be a card's number"),
    "no such node": ("node: plain, cards", "node: plane, cards", "did you mean 'plain'?"),
    "no such card": ("cards: [0]}]", "cards: [2]}]", "has cards 0 to 1, not 2"),
    "a card twice": ("cards: [0]}]", "cards: [0, 0]}]", "names one number twice"),
    "a slot of a whole card": ("cards: [0]}]", "cards: [0], slot: 1}]", "is not cut"),
    "no slot of a cut card": ("node: plain, cards", "node: cut, cards", "needs a slot from 0 to 1"),
    "no promise on HAMi": ("node: plain, cards", "node: soft, cards", "ask belongs to HAMi"),
    "a promise on a plain node": ("busy: idle,", "busy: idle, ask: {memory_mib: 9},",
                                  "ask belongs"),
    "a job without runs": ("kind: Pod", "kind: Job", "a Job needs every_minutes"),
    "a pod with runs": ("busy: idle,", "busy: idle, lives: {every_minutes: 9, takes_minutes: 5},",
                        "a Pod cannot have every_minutes"),
    "no place": ("places: [{node: plain, cards: [0]}]", "places: []", "needs either places"),
    "a run that never ends": ("busy: idle,",
                              "busy: idle, lives: {every_minutes: 10, takes_minutes: 10},",
                              "takes_minutes: must be between 0.5 and 9"),
    "quiet above busy": ("busy: idle,",
                         "busy: idle, uses: {memory_mib: [9, 1], compute: [0, 1]},",
                         "the first number, 9, is above the second, 1"),
    "an unknown fault": ("faults: []", "faults: [{fault: fire, node: plain}]", "no fault 'fire'"),
    "a fault without its card": ("faults: []", "faults: [{fault: xid, node: plain}]",
                                 "name the card"),
    "a fault of another layer": ("faults: []",
                                 "faults: [{fault: registered-unhealthy, node: plain, card: 0}]",
                                 "is not shared by hami"),
    "an unknown option": ("faults: []", "faults: [{fault: xid, node: plain, card: 0, cod: 7}]",
                          "takes no 'cod'"),
    "an unknown endpoint": ("faults: []",
                            "faults: [{fault: endpoint-hangs, node: plain, endpoint: ssh}]",
                            "endpoint 'ssh' is not one of"),
    "an option of the wrong kind": ("faults: []",
                                    "faults: [{fault: xid, node: plain, card: 0, code: -1}]",
                                    "code must be a number from 0 up"),
    "an option that is infinite": ("faults: []",
                                   "faults: [{fault: xid, node: plain, card: 0, code: .inf}]",
                                   "code must be a number from 0 up"),
    "an option that is no text": ("faults: []",
                                  "faults: [{fault: config-mode, node: soft, mode: 7}]",
                                  "config-mode: mode must be a text, not 7"),
    "a fault without its node": ("faults: []", "faults: [{fault: node-not-ready}]",
                                 "node-not-ready: name the node"),
    "a fault of a licence that is not there": ("faults: []", "faults: [{fault: licence-ends}]",
                                               "this cluster has no licence"),
    "half a licence": ("faults: []", "faults: []\nlicence: {name: licence}",
                       "licence.namespace: is missing"),
    "an option that is a list": ("faults: []",
                                 "faults: [{fault: xid, node: plain, card: 0, code: []}]",
                                 "faults[0].code: must be a text or a number"),
}  # fmt: skip


LINKED = """
since: 2026-01-01T00:00:00Z
kubernetes: v1.34.2
cards:
  small: {model: NVIDIA A10G, family: ampere, compute_capability: "8.6", memory_mib: 20000,
          power_watts: 300, idle_watts: 20, reserved_mib: 400, sm_clock_mhz: 1700,
          memory_clock_mhz: 6000, pcie_generation: 4, mig: {1g.5gb: 5000, 4g.10gb: 10000}}
queues:
  - {system: kai, name: top, cards: 2}
  - {system: kai, name: team, parent: top}
  - {system: kueue, name: quota, cards: 4}
  - {system: kueue, name: local, namespace: n, parent: quota}
  - {system: volcano, name: batch}
nodes:
  - {name: parts, pool: p, machine: m, card: small, count: 1, driver: "580.1", cuda: "13.0",
     kai: true}
  - {name: gangs, pool: p, machine: m, card: small, count: 1, driver: "580.1", cuda: "13.0",
     volcano: {slots: 2}}
  - {name: claims, pool: p, machine: m, card: small, count: 2, driver: "580.1", cuda: "13.0",
     dra: true, mig: {1: [4g.10gb, 1g.5gb]}}
claims:
  - {name: ours, namespace: n, node: claims, card: 0}
workloads:
  - {name: part, namespace: n, kind: Deployment, runtime: triton, busy: idle, queue: team,
     ask: {share: 0.5}, places: [{node: parts, cards: [0]}]}
  - {name: gang, namespace: n, kind: VolcanoJob, runtime: jax, busy: idle, queue: batch,
     ask: {memory_mib: 9000, cores: 50}, places: [{node: gangs, cards: [0]}]}
  - {name: user, namespace: n, kind: Deployment, runtime: tgi, busy: idle, claim: ours,
     places: [{node: claims, cards: [0]}, {node: claims, cards: [0]}]}
  - {name: piece, namespace: n, kind: Deployment, runtime: tgi, busy: idle, claim: template,
     places: [{node: claims, cards: [1], slot: 0}]}
  - {name: held, namespace: n, kind: PyTorchJob, runtime: pytorch, busy: idle, queue: local,
     requests: {nvidia.com/gpu: 2}, lives: {waits_hours: 5, pods: 3}}
"""


def test_queues_and_claims_are_read() -> None:
    scenario = parse(LINKED)
    assert [node.sharing for node in scenario.nodes] == [Sharing.KAI, Sharing.VOLCANO, Sharing.DRA]
    part, gang, user, piece, held = scenario.workloads
    assert part.ask == Ask(share=0.5)
    assert scenario.queue_of(part) == QueueSpec(system=QueueSystem.KAI, name="team", parent="top")
    assert scenario.queue_of(gang) == QueueSpec(system=QueueSystem.VOLCANO, name="batch")
    assert scenario.queue_of(user) is scenario.queue_of(piece) is None
    local = scenario.queue_of(held)
    assert local is not None
    assert (local.namespace, local.parent) == ("n", "quota")
    assert held.lives == Waits(hours=5.0, pods=3)
    assert scenario.claims == (ClaimSpec(name="ours", namespace="n", node="claims", card=0),)


MISLINKED = {
    "no such parent": ("parent: top", "parent: tip", "did you mean 'top'?"),
    "a namespace of KAI's": ("name: team, parent", "name: team, namespace: n, parent",
                             "queue team: only a queue of kueue"),
    "an unknown system": ("system: volcano", "system: slurm", "queues[4].system: 'slurm'"),
    "no such queue": ("queue: team", "queue: teem", "did you mean 'team'?"),
    "another namespace's queue": ("{name: held, namespace: n", "{name: held, namespace: m",
                                  "workload m/held: there is no queue 'local'"),
    "the queue with the quota": ("queue: local", "queue: quota", "name a local queue"),
    "a queue of another system": ("queue: team", "queue: batch", "parts needs a queue of kai"),
    "no queue on KAI's node": ("queue: team,", "", "parts needs a queue of kai") ,
    "a kind of no operator": ("kind: PyTorchJob", "kind: Job", "kueue takes jobs of operators"),
    "two ways of sharing": ("kai: true", "kai: true, volcano: {slots: 3}", "in one way"),
    "no switch": ("kai: true", "kai: yes please", "nodes[0].kai: must be true or false"),
    "too large a share": ("share: 0.5", "share: 1.5", "must be between 0.01 and 1"),
    "a share on Volcano": ("{memory_mib: 9000, cores: 50}", "{share: 0.5}",
                           "a share can be asked for on KAI's nodes only"),
    "more than a card": ("{share: 0.5}, places: [",
                         "{share: 0.6}, places: [{node: parts, cards: [0]}, ",
                         "node parts, card 0: 1.20 of it are promised"),
    "too many of Volcano's tenants": ("cores: 50}, places: [", "cores: 50}, places: ["
                                      + "{node: gangs, cards: [0]}, " * 2, "promised of 20000"),
    "too many of Volcano's cores": ("cores: 50}, places: [", "cores: 60}, places: ["
                                    "{node: gangs, cards: [0]}, ",
                                    "node gangs, card 0: 120 cores promised of 100"),
    "no claim on a DRA node": ("claim: template,", "", "claim belongs to DRA nodes"),
    "a claim elsewhere": ("ask: {share: 0.5}", "claim: template, ask: {share: 0.5}",
                          "claim belongs to DRA nodes"),
    "no such claim": ("claim: ours", "claim: outs", "did you mean 'ours'?"),
    "a claim of another card": ("[{node: claims, cards: [0]}, ",
                                "[{node: claims, cards: [1], slot: 1}, ",
                                "its place is not that of its claim 'ours'"),
    "a claim without a slot": ("node: claims, card: 0}", "node: claims, card: 1}", "needs a slot"),
    "a claim of a whole card's slot": ("card: 0}", "card: 0, slot: 1}", "is not cut"),
    "a claim of no card": ("node: claims, card: 0}", "node: claims, card: 9}", "not 9"),
    "a claim elsewhere than DRA": ("node: claims, card: 0}", "node: parts, card: 0}",
                                   "there is no DRA node 'parts'"),
    "a claimed card": ("claim: ours", "claim: template", "card 0 of claims is taken by n/ours"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), MISLINKED.values(), ids=MISLINKED.keys())
def test_queues_and_claims_must_fit(old: str, new: str, message: str) -> None:
    assert old in LINKED
    with pytest.raises(ScenarioError) as caught:
        parse(LINKED.replace(old, new, 1))
    assert message in str(caught.value)


@pytest.mark.parametrize(("old", "new", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_file_is_refused_with_the_place(old: str, new: str, message: str) -> None:
    assert old in SMALL
    with pytest.raises(ScenarioError) as caught:
        parse(SMALL.replace(old, new, 1))
    assert str(caught.value).startswith("file.yaml: ")
    assert message in str(caught.value)


def test_a_card_is_not_handed_out_twice() -> None:
    other = (
        "  - {name: v, namespace: n, kind: Pod, runtime: pytorch, busy: idle,\n"
        "     places: [{node: plain, cards: [1, 0]}]}\nfaults: []\n"
    )
    with pytest.raises(ScenarioError, match="workload n/v: card 0 of plain is taken by n/w"):
        parse(SMALL.replace("faults: []\n", other))


def test_a_card_is_not_promised_beyond_its_schedulable_memory() -> None:
    other = (
        "  - {name: v, namespace: n, kind: Pod, runtime: pytorch, busy: idle,\n"
        "     ask: {memory_mib: 30001}, places: [{node: soft, cards: [0]}]}\nfaults: []\n"
    )
    with pytest.raises(ScenarioError, match="30001 MiB promised of 30000 schedulable"):
        parse(SMALL.replace("faults: []\n", other))


def test_a_name_is_used_once() -> None:
    with pytest.raises(ScenarioError, match="nodes: 'plain' is there twice"):
        parse(SMALL.replace("name: soft", "name: plain"))


def test_a_cluster_has_nodes() -> None:
    text = "since: 2026-01-01T00:00:00Z\nkubernetes: v1.34.2\nnodes: []\n"
    with pytest.raises(ScenarioError, match="nodes: there must be at least one"):
        parse(text)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"none\.yaml: cannot be read"):
        load_scenario(tmp_path / "none.yaml")


def test_a_file_of_ones_own_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(SMALL, "utf-8")
    assert load_scenario(path) == parse(SMALL)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_a_damaged_file_is_refused_or_read_and_nothing_else(data: st.DataObject) -> None:
    text = resources.files("gpuatlas.demo").joinpath("scenario.yaml").read_text("utf-8")
    lines = text.split("\n")
    position = data.draw(st.integers(0, len(lines) - 1))
    lines[position] = data.draw(st.sampled_from(["", "  - 1", "x: y", "  name: [", "nodes: 5"]))
    with contextlib.suppress(ScenarioError):
        assert parse("\n".join(lines)).nodes
