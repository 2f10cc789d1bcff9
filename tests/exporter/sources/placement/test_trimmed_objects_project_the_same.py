"""For every object and every projection: trimming changes nothing that is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.sources.placement import coscheduling, kai, kueue, native, volcano
from gpuatlas_harness.spoilt import junk_of, outcome, spoilt

Object = dict[str, Any]
Pair = tuple[Callable[[object], object], Callable[[object], dict[str, object]]]

PAIRS: dict[str, Pair] = {
    "kueue workload": (kueue.project_workload, kueue.trim_workload),
    "kueue local queue": (kueue.project_local_queue, kueue.trim_queue),
    "kueue cluster queue": (kueue.project_cluster_queue, kueue.trim_queue),
    "volcano group": (volcano.project_group, volcano.trim_group),
    "volcano queue": (volcano.project_queue, volcano.trim_queue),
    "kai group": (kai.project_group, kai.trim_group),
    "kai queue": (kai.project_queue, kai.trim_queue),
    "kai bind request": (kai.project_bind_request, kai.trim_bind_request),
    "coscheduling group": (coscheduling.project_group, coscheduling.trim_group),
    "native group": (native.project_group, native.trim_group),
    "native workload": (native.project_workload, native.trim_workload),
}

WORDS = [
    *("metadata", "spec", "status", "name", "namespace", "uid", "annotations", "ownerReferences"),
    *("controller", "creationTimestamp", "apiVersion", "kind", "conditions", "type", "reason"),
    *("message", "lastTransitionTime", "podSets", "count", "minCount", "template", "containers"),
    *("initContainers", "resources", "limits", "requests", "nvidia.com/gpu", "queueName"),
    *("active", "admission", "clusterQueue", "minMember", "queue", "phase", "subGroups", "parent"),
    *("schedulingConditions", "reasons", "podName", "selectedNode", "selectedGPUGroups"),
    *("schedulingPolicy", "gang", "podGroups", "podGroupTemplates", "policy", "stopPolicy"),
    *("cohort", "cohortName", "state", "parentQueue", "kai.scheduler/top-owner-metadata"),
]
texts = st.one_of(
    st.sampled_from([*WORDS, "True", "False", "QuotaReserved", "Evicted", "Unschedulable", ""]),
    st.sampled_from(["2027-01-15T07:00:00Z", "2027", "5k", "-1", "Pending", "name: a\nkind: b"]),
    st.text(max_size=8),
)
junk = junk_of(WORDS, texts, most=2_000_000)


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_every_written_object(pair: Pair, all_written: Mapping[str, Object]) -> None:
    assert len(all_written) == 24
    project, trim = pair
    for raw in all_written.values():
        assert outcome(project, trim(raw)) == outcome(project, raw)


@settings(deadline=None, max_examples=200)
@given(junk, st.sampled_from(list(PAIRS.values())))
def test_junk(raw: object, pair: Pair) -> None:
    project, trim = pair
    assert outcome(project, trim(raw)) == outcome(project, raw)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_spoilt_objects(all_written: Mapping[str, Object], data: st.DataObject) -> None:
    raw: object = data.draw(st.sampled_from(list(all_written.values())))
    raw = spoilt(data.draw, raw, junk, depth=9)
    for project, trim in PAIRS.values():
        assert outcome(project, trim(raw)) == outcome(project, raw)


def test_commands_variables_and_labels_of_templates_stay_behind(
    written: Callable[[str], Object],
) -> None:
    trimmed = kueue.trim_workload(written("kueue-v1beta2/workload-waiting-for-quota"))
    shown = json.dumps(trimmed)
    for word in ("abc123", "command", "env", "image", "finalizers", "labels", "cpu", "priority"):
        assert word not in shown
    assert trimmed["spec"] == {
        "queueName": "research",
        "podSets": [
            {
                "name": "main",
                "count": 4,
                "template": {
                    "spec": {
                        "initContainers": [
                            {
                                "name": "fetch",
                                "resources": {
                                    "limits": {"nvidia.com/gpu": "1"},
                                    "requests": {"nvidia.com/gpu": "1"},
                                },
                            }
                        ],
                        "containers": [
                            {
                                "name": "train",
                                "resources": {
                                    "limits": {"nvidia.com/gpu": "8", "rdma/hca": "1"},
                                    "requests": {"nvidia.com/gpu": "8", "rdma/hca": "1"},
                                },
                            },
                            {"name": "metrics"},
                        ],
                    }
                },
            }
        ],
    }
