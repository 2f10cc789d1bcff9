"""Builders of what sizing says, and of the objects that it is about."""

from __future__ import annotations

import copy
from typing import Any

from gpuatlas.model.readings import Known, Reading, Unknown
from gpuatlas.model.sizing import (
    CannotReason,
    Contended,
    NodeDemand,
    NodeRatio,
    Proposal,
    Reservation,
    Resource,
    SizedContainer,
    SizingReport,
    Verdict,
)
from gpuatlas.model.snapshot import Sharing
from gpuatlas.model.units import MIB
from gpuatlas.sizing.priority import suggest

AT = 1_787_307_072.0  # 2026-08-21T10:11:12Z
Object = dict[str, Any]


def a_container(**changes: Any) -> SizedContainer:
    plain: Object = {
        "cluster": "",
        "namespace": "chat",
        "kind": "Deployment",
        "name": "llm-chat",
        "container": "main",
    }
    return SizedContainer(**(plain | changes))


def a_reservation(**changes: Any) -> Reservation:
    plain: Object = {
        "sharing": Sharing.HAMI,
        "memory": 20_000 * MIB,
        "compute": 0.7,
        "cards": 1,
        "containers": 2,
        "card_memory": 23_028 * MIB,
        "card_model": "NVIDIA A10G",
        "node_names": ("a10g-1",),
        "resources": {"nvidia.com/gpu": 1},
    }
    return Reservation(**(plain | changes))


def a_proposal(of: SizedContainer | None = None, **changes: Any) -> Proposal:
    """Smaller memory: 15,872 MiB in place of 20,000 MiB."""
    plain: Object = {
        "of": a_container() if of is None else of,
        "resource": Resource.MEMORY,
        "verdict": Verdict.SMALLER,
        "text": "Peak 13.97 GiB of 19.53 GiB; with a margin it needs 15.5 GiB.",
        "present": 20_000 * MIB,
        "peak": 14_310 * MIB,
        "proposed": 15_872 * MIB,
        "saving": 2 * 4_128 * MIB,
        "window_days": 14.0,
        "coverage": 0.998,
    }
    return Proposal(**(plain | changes))


def of_compute(of: SizedContainer | None = None, **changes: Any) -> Proposal:
    """Smaller compute: 50% of a card in place of 70%."""
    plain: Object = {
        "resource": Resource.COMPUTE,
        "text": "p95 41 % of a card, promised 70 %; with a margin it needs 50 %.",
        "present": 0.7,
        "peak": 0.41,
        "proposed": 0.5,
        "saving": 0.4,
    }
    return a_proposal(of, **(plain | changes))


def a_report(
    *proposals: Proposal, reservation: Reservation | None = None, **changes: Any
) -> SizingReport:
    """All containers have the same reservation."""
    reserved = a_reservation() if reservation is None else reservation
    plain: Object = {
        "at": AT,
        "window_days": 14.0,
        "proposals": proposals,
        "reservations": {proposal.of: reserved for proposal in proposals},
    }
    return SizingReport(**(plain | changes))


def pod_template(*containers: Object, annotations: Object | None = None) -> Object:
    metadata: Object = {"labels": {"app": "llm-chat"}}
    if annotations is not None:
        metadata["annotations"] = annotations
    return {"metadata": metadata, "spec": {"containers": [copy.deepcopy(c) for c in containers]}}


def container(name: str = "main", *, requests: bool = False, **limits: Any) -> Object:
    """With the names of resources as HAMi has them on NVIDIA cards: gpu, gpumem, gpucores."""
    named = {f"nvidia.com/{short}": number for short, number in limits.items()}
    resources: Object = {"limits": {"cpu": "4", **named}}
    if requests:
        resources["requests"] = {"cpu": "2", **named}
    return {"name": name, "image": "registry.example/model:1", "resources": resources}


def manifest(kind: str, api_version: str, spec: Object, *, name: str = "llm-chat") -> Object:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": "chat"},
        "spec": spec,
    }


def json_patched(document: Any, operations: list[Object]) -> Any:
    """RFC 6902, the operations that we write; a `test` that fails is an `AssertionError`."""
    result = copy.deepcopy(document)
    for operation in operations:
        steps = [
            step.replace("~1", "/").replace("~0", "~") for step in operation["path"].split("/")[1:]
        ]
        place = result
        for step in steps[:-1]:
            place = place[int(step)] if isinstance(place, list) else place[step]
        last = steps[-1]
        if operation["op"] == "test":
            found = place[int(last)] if isinstance(place, list) else place[last]
            assert found == operation["value"]
        elif operation["op"] == "remove":
            del place[last]
        else:
            assert (last in place) == (operation["op"] == "replace")
            place[last] = operation["value"]
    return result


def a_node(
    node: str,
    present: Reading[float],
    safe: Reading[float],
    room: Reading[int],
    **changes: Any,
) -> NodeRatio:
    plain: Object = {
        "node": node,
        "sharing": "hami",
        "allocated": Known(29_000 * MIB, AT, "recorded"),
        "demand": Known(19_000 * MIB, AT, "recorded"),
        "physical": Known(23_028 * MIB, AT, "recorded"),
        "host_available": Known(96_000 * MIB, AT, "recorded"),
        "days": 14.0,
    }
    fits = changes.pop("fits", {})
    demand = NodeDemand(**(plain | changes))
    return NodeRatio(demand=demand, present=present, safe=safe, room=room, fits=fits)


def known(value: Any) -> Known[Any]:
    return Known(value, AT, "recorded")


TOO_SHORT = Unknown("3 days of 7 were recorded")
VICTIM = Contended(
    cluster="",
    namespace="chat",
    kind="Deployment",
    name="llm-chat",
    victim_minutes=132.0,
    suspect_minutes=0.0,
    serves=True,
    priority=1,
)


def of_everything() -> SizingReport:
    """A report with each kind of answer."""
    embed = a_container(namespace="batch", kind="CronJob", name="embed")
    nightly = a_container(
        namespace="batch", kind="Job", name="nightly-*", container="train", group="nightly"
    )
    notebook = a_container(namespace="lab", kind="StatefulSet", name="notebook")
    mig = a_container(namespace="lab", kind="Deployment", name="small-model", container="server")
    whole = a_container(
        namespace="lab", kind="PyTorchJob", name="finetune-with-a-rather-long-name", container=""
    )
    fits = a_container(namespace="web", name="search")
    ahead = a_container(namespace="web", kind="InferenceService", name="llama")
    short = "5.2 days of 7 were recorded."
    cannot = {"verdict": Verdict.CANNOT, "proposed": None, "saving": None}
    proposals = (
        a_proposal(),
        of_compute(),
        a_proposal(
            embed,
            verdict=Verdict.LARGER,
            text="It reached its limit, 5.84 GiB of 5.86 GiB and restarted 3 times then; 6.5 GiB "
            "leave it a margin.",
            present=6_000 * MIB,
            peak=5_980 * MIB,
            proposed=6_656 * MIB,
            saving=-656 * MIB,
        ),
        of_compute(embed, verdict=Verdict.FITS, present=0.2, peak=0.17, proposed=None, saving=None),
        a_proposal(nightly, **cannot, reason=CannotReason.SHORT_WINDOW, text=short),
        of_compute(
            nightly, **cannot, reason=CannotReason.SHORT_WINDOW, text=short, present=None, peak=None
        ),
        a_proposal(
            mig,
            text="Peak 7.1 GiB of 19.5 GiB; a profile 1g.10gb has 9.5 GiB.",
            present=19_968 * MIB,
            peak=7_270 * MIB,
            proposed=9_728 * MIB,
            saving=4 * 10_240 * MIB,
            target="nvidia.com/mig-1g.10gb",
        ),
        a_proposal(
            whole,
            resource=Resource.CARDS,
            text="2 of its 4 cards were never used.",
            present=4.0,
            peak=2.0,
            proposed=2.0,
            saving=2.0,
        ),
        a_proposal(
            notebook,
            **cannot,
            reason=CannotReason.COVERAGE,
            text="A day of the last 7 is missing; 95 % of each are needed.",
            present=8_000 * MIB,
            peak=1_500 * MIB,
        ),
        a_proposal(fits, verdict=Verdict.FITS, proposed=None, saving=None),
        a_proposal(
            ahead,
            **cannot,
            reason=CannotReason.MEMORY_TAKEN_AHEAD,
            text="vLLM takes 90 % of what it sees at start; the size of its cache is not known.",
            present=80_000 * MIB,
            peak=72_000 * MIB,
        ),
    )
    nodes = (
        a_node(
            "a10g-1",
            known(1.26),
            known(1.0),
            known(0),
            allocated=known(29_000 * MIB),
            fits={("chat", "Deployment", "llm-chat"): 0},
        ),
        a_node(
            "a100-10",
            known(0.6),
            known(1.35),
            known(61_440 * MIB),
            allocated=known(49_152 * MIB),
            demand=known(32_768 * MIB),
            physical=known(81_920 * MIB),
            fits={("lab", "Deployment", "small-model"): 6, ("chat", "Deployment", "llm-chat"): 3},
        ),
        a_node(
            "a100-2",
            known(0.4),
            TOO_SHORT,
            TOO_SHORT,
            demand=TOO_SHORT,
            sharing="kai",
            days=3.0,
            allocated=known(32_768 * MIB),
            physical=known(81_920 * MIB),
        ),
    )
    return a_report(
        *proposals,
        nodes=nodes,
        contended=(VICTIM,),
        priorities=suggest([VICTIM]),
        missing=("workload:gpuatlas_kv_cache_used_ratio:max1d has no series: load service.yaml",),
    )
