from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.claims import Fraction, Reservation
from gpuatlas.model.objects import ExtendedRequest, Pod, PodClaim
from gpuatlas.model.pod_spec import Gang, PodScheduling, Runtime
from gpuatlas.sources.kubernetes.claims import MAX_CLAIMS
from gpuatlas.sources.kubernetes.kinds import PODS
from gpuatlas.sources.kubernetes.project import project_pod

Object = dict[str, Any]
Recorded = Callable[[str], Object]

GROUP = "6b1d2f3c-0000-4000-8000-000000000001"
RESERVATION = "gpu-reservation-gpu-kai-x7k2p"


def the_pod(raw: object) -> Pod:
    pod = project_pod(raw)
    assert pod is not None
    return pod


def test_claims_are_named_by_the_pod_and_by_their_objects(recorded: Recorded) -> None:
    pod = the_pod(recorded("claims-0"))
    assert pod.claims == (
        PodClaim(name="gpu", claim="claims-0-gpu-x7k2p"),
        PodClaim(name="shared", claim="team-gpu"),
        PodClaim(name="pending", claim=""),
    )
    assert [container.claims for container in pod.containers] == [
        (("gpu", "big"), ("shared", "")),
        (),
    ]
    assert pod.extended_claim == "claims-0-extended-resources-9zq4v"
    assert pod.extended_requests == (
        ExtendedRequest(
            container="side", resource="nvidia.com/gpu", request="container-1-request-0"
        ),
    )
    assert pod.rejections == ()


def test_a_fraction_is_read_with_its_group(recorded: Recorded) -> None:
    pod = the_pod(recorded("fraction-0"))
    assert pod.fraction == Fraction(
        portion=0.25,
        memory_bytes=None,
        devices=1,
        container="main",
        mps=False,
        groups=(GROUP,),
        received="Fraction",
    )
    assert pod.reservation is None
    assert pod.runtime == Runtime(name="ollama", evidence="image ollama")


def test_a_reservation_names_its_card(recorded: Recorded) -> None:
    pod = the_pod(recorded(RESERVATION))
    assert pod.reservation == Reservation(
        namespace="kai-resource-reservation",
        pod=RESERVATION,
        node="gpu-kai",
        group=GROUP,
        card="GPU-aaaaaaaa-0000-4000-8000-000000000009",
    )
    assert pod.fraction is None


def test_a_tenant_that_names_a_card_is_refused(recorded: Recorded) -> None:
    raw = recorded(RESERVATION)
    raw["metadata"]["namespace"] = "team-d"
    pod = the_pod(raw)
    assert pod.reservation is None
    assert [(r.source, r.reason) for r in pod.rejections] == [("kai", "not-a-reservation")]


def test_a_pod_that_waits_says_for_what(recorded: Recorded) -> None:
    pod = the_pod(recorded("waits-0"))
    assert pod.scheduling == PodScheduling(
        gates=("kueue.x-k8s.io/admission",),
        cause="InsufficientDevices",
        message="0/5 nodes are available: 2 Insufficient nvidia.com/gpu, 3 node(s) had untolerated "
        "taint {team: b}.",
        native_group="sweep-0",
        gangs=(Gang(system="coscheduling", name="sweep", minimum=4),),
    )
    assert pod.waiting_reason == "Unschedulable"
    assert pod.runtime.name == "pytorch"
    assert [(r.source, r.reason, r.where) for r in pod.rejections] == [
        ("kubernetes", "bad-count", "pod team-d/waits-0")
    ]


@pytest.mark.parametrize(
    "status",
    [
        pytest.param({"resourceClaimStatuses": None}, id="null"),
        pytest.param({"resourceClaimStatuses": {"name": "gpu"}}, id="no list"),
        pytest.param({"resourceClaimStatuses": [5, None, {"name": "gpu"}]}, id="no name of it"),
        pytest.param({"resourceClaimStatuses": [{"resourceClaimName": "x"}]}, id="no name"),
    ],
)
def test_a_spoilt_status_leaves_the_claim_without_its_object(
    recorded: Recorded, status: Object
) -> None:
    raw = recorded("claims-0")
    raw["status"] = status
    pod = the_pod(raw)
    assert [claim.claim for claim in pod.claims] == ["", "team-gpu", ""]
    assert (pod.extended_claim, pod.extended_requests) == ("", ())


def test_claims_have_an_end(recorded: Recorded) -> None:
    raw = recorded("claims-0")
    many = [{"name": f"c{n}", "resourceClaimName": f"o{n}"} for n in range(MAX_CLAIMS + 5)]
    raw["spec"]["resourceClaims"] = many
    raw["spec"]["containers"][0]["resources"]["claims"] = many
    pod = the_pod(raw)
    assert len(pod.claims) == len(pod.containers[0].claims) == MAX_CLAIMS
    assert the_pod(PODS.trim(raw)) == pod


@pytest.mark.parametrize("name", ["claims-0", "fraction-0", RESERVATION, "waits-0"])
def test_a_capture_keeps_all_that_is_read_and_nothing_hidden(recorded: Recorded, name: str) -> None:
    raw = recorded(name)
    trimmed = PODS.trim(raw)
    assert the_pod(trimmed) == the_pod(raw)
    text = json.dumps(trimmed)
    for word in ("hidden", "HIDDEN", "secret", "train.py", "configMapKeyRef", "one-gpu"):
        assert word not in text


def test_what_a_pod_without_any_of_it_says_is_nothing(recorded: Recorded) -> None:
    pod = the_pod(recorded("infer-0"))
    plain = replace(
        pod, claims=(), extended_claim="", extended_requests=(), fraction=None, reservation=None
    )
    assert pod == plain


variables = st.fixed_dictionaries(
    {
        "name": st.sampled_from(
            [
                *("TF_FORCE_GPU_ALLOW_GROWTH", "XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_X"),
                *("XLA_PYTHON_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_PREALLOCATE", "OTHER"),
                *("OLLAMA_KEEP_ALIVE", "OLLAMA_HOST", "NB_PREFIX", "VLLM_USE_V1", "VLLM_API_KEY"),
                *("RAY_ADDRESS", "MASTER_ADDR", "NVIDIA_VISIBLE_DEVICES", "WORLD_SIZE"),
            ]
        )
    },
    optional={
        "value": st.sampled_from(["true", "false", "0.5", "1.5", "$(X)", "", "x" * 1025, 7, None])
    },
)
words = st.sampled_from(
    [
        *("vllm", "serve", "python", "-m", "sglang.launch_server", "mpirun", "tritonserver"),
        *("--mem-fraction-static", "0.8", "--gpu-memory-utilization=0.9", "&&", ";", "secret"),
    ]
)
containers = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["a", "b"]),
        "image": st.sampled_from(["x/app:1", "vllm/vllm-openai", "jax", "tensorflow/serving"]),
        "env": st.lists(variables, max_size=6),
        "command": st.lists(words, max_size=6),
        "args": st.lists(words, max_size=4),
        "resources": st.sampled_from([{}, {"limits": {"nvidia.com/gpu": "1"}}]),
    }
)


@settings(deadline=None, max_examples=300)
@given(st.lists(containers, min_size=1, max_size=3))
def test_what_tells_the_runtime_survives_trimming(found: list[Object]) -> None:
    raw = {
        "metadata": {"name": "p", "uid": "u", "annotations": {"gpu-fraction": "0.5"}},
        "spec": {"containers": found},
    }
    trimmed = PODS.trim(raw)
    assert the_pod(trimmed) == the_pod(raw)
    assert "secret" not in json.dumps(trimmed)
