"""What cannot be a patch, where the others are, and what strangers may write."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.sizing import Proposal, Reservation, SizingReport, Verdict
from gpuatlas.sizing.patch import (
    NoPatch,
    make_patches,
    targets_of,
    url_paths,
)
from gpuatlas.sizing.patch_names import Target
from gpuatlas_harness.patched import patched, refused
from gpuatlas_harness.sizing_reports import (
    a_container,
    a_proposal,
    a_report,
    a_reservation,
    container,
    manifest,
    pod_template,
)

RAY = a_container(kind="RayCluster", name="train")
EMPTY = manifest("Deployment", "apps/v1", {"template": pod_template(container("web"))})


@pytest.mark.parametrize(
    ("report", "document", "said"),
    [
        (a_report(a_proposal()), EMPTY, "the object has no container 'main'"),
        (
            a_report(a_proposal(), reservations={}),
            None,
            "what its containers are promised is not known",
        ),
        (
            a_report(a_proposal(), reservation=a_reservation(resources=None)),
            None,
            "no resource that it asks for says how much card memory it has",
        ),
        (
            a_report(a_proposal(a_container(container=""))),
            "forbidden",
            "which container it is nobody tells, and it was not read: forbidden",
        ),
    ],
)
def test_what_cannot_be_written(report: SizingReport, document: Any, said: str) -> None:
    assert said in refused(report, document)


def test_one_that_cannot_be_written_costs_no_other() -> None:
    other = a_container(name="other")
    report = a_report(a_proposal(), a_proposal(other))
    (target, _) = targets_of(report)
    (patch,), (no_patch,) = make_patches(report, {target: EMPTY})
    assert patch.target.name == "other"
    assert no_patch == NoPatch(
        target=target, reason="the object has no container 'main': its resources are elsewhere"
    )


def test_where_an_object_is() -> None:
    (target,) = targets_of(a_report(a_proposal(RAY)))
    assert url_paths(target) == (
        "/apis/ray.io/v1/namespaces/chat/rayclusters/train",
        "/apis/ray.io/v1alpha1/namespaces/chat/rayclusters/train",
    )
    (pod,) = targets_of(a_report(a_proposal(a_container(kind="Pod"))))
    assert url_paths(pod) == ("/api/v1/namespaces/chat/pods/llm-chat",)
    assert url_paths(Target(cluster="", namespace="a", kind="Widget", name="b")) == ()


@pytest.mark.parametrize("name", ["../../secrets/token", "..", "a/b", "a?b", "A", "a\n", ""])
def test_what_is_no_name_has_no_address(name: str) -> None:
    """Series name it, and the user's own rights would be used."""
    for place in ({"namespace": "a", "name": name}, {"namespace": name, "name": "a"}):
        assert url_paths(Target(cluster="", kind="Pod", **place)) == ()


@pytest.mark.parametrize("verdict", [Verdict.FITS, Verdict.CANNOT])
def test_nothing_proposed_nothing_written(verdict: Verdict) -> None:
    assert make_patches(a_report(a_proposal(verdict=verdict, proposed=None)), {}) == ([], [])


def test_clusters_have_files_of_their_own_and_names_do_not_clash() -> None:
    names = [
        a_container(cluster="east"),
        a_container(cluster="west"),
        a_container(namespace="a_b", name="c"),
        a_container(namespace="a-b", name="c"),
    ]
    patches, _ = make_patches(a_report(*map(a_proposal, names)), {})
    assert sorted(patch.file for patch in patches) == [
        "a-b_deployment_c-2.yaml",
        "a-b_deployment_c.yaml",
        "east_chat_deployment_llm-chat.yaml",
        "west_chat_deployment_llm-chat.yaml",
    ]
    assert all(patch.file in patch.text for patch in patches)


@settings(deadline=None, max_examples=150)
@given(st.text(), st.text(), st.text())
def test_hostile_names_stay_in_comments_and_in_the_folder(
    namespace: str, name: str, text: str
) -> None:
    who = a_container(namespace=namespace, name=name)
    patch = patched(a_report(a_proposal(who, text=text)))
    assert "/" not in patch.file
    assert not patch.file.startswith(".")
    body: dict[str, Any] = yaml.safe_load(patch.text)
    assert set(body) == {"apiVersion", "kind", "metadata", "spec"}
    assert body["metadata"] == {"name": name, "namespace": namespace}


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["spec", "template", "containers", "name", "resources", "limits", "metadata"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(st.sampled_from(["spec", "metadata"]), _values))
def test_an_object_of_any_shape_is_no_traceback(document: dict[str, Any]) -> None:
    for kind in ("Deployment", "RayCluster", "InferenceService"):
        proposals: list[Proposal] = [a_proposal(a_container(kind=kind))]
        reservation: Reservation = a_reservation()
        report = a_report(*proposals, reservation=reservation)
        patches, refusals = make_patches(report, dict.fromkeys(targets_of(report), document))
        assert len(patches) + len(refusals) == 1
