"""Kinds that serve: KServe, Knative, Seldon, Argo Rollouts. Pure: a table."""

from __future__ import annotations

from typing import Final

from gpuatlas.sizing.patch_kind import EACH, PatchKind, Place, pod_template


def _predictor(component: str) -> tuple[Place, ...]:
    """A component of an InferenceService is a pod's spec itself, or has one part for the model."""
    path, annotations = ("spec", component), ("spec", component, "annotations")
    return (
        Place(path=path, annotations=annotations),
        Place(
            path=(*path, EACH),
            annotations=annotations,
            block="resources",
            containers=("kserve-container",),
        ),
        Place(path=(*path, "workerSpec"), annotations=annotations),
    )


ROWS: Final[tuple[PatchKind, ...]] = (
    PatchKind(
        group="serving.kserve.io",
        kind="InferenceService",
        plural="inferenceservices",
        versions=("v1beta1",),
        places=tuple(
            place
            for component in ("predictor", "transformer", "explainer")
            for place in _predictor(component)
        ),
        effect="KServe replaces its pods; the new one needs room beside the old one",
    ),
    PatchKind(
        group="serving.kserve.io",
        kind="LLMInferenceService",
        plural="llminferenceservices",
        versions=("v1alpha2", "v1alpha1"),
        places=(
            Place(path=("spec", "template")),
            Place(path=("spec", "worker")),
            Place(path=("spec", "prefill", "template")),
            Place(path=("spec", "prefill", "worker")),
        ),
        effect="KServe replaces its pods; the new one needs room beside the old one",
    ),
    PatchKind(
        group="serving.knative.dev",
        kind="Service",
        plural="services",
        versions=("v1",),
        places=(pod_template("spec", "template"),),
        effect="a new revision comes up beside the old one, and needs room there",
    ),
    PatchKind(
        group="machinelearning.seldon.io",
        kind="SeldonDeployment",
        plural="seldondeployments",
        versions=("v1",),
        places=(pod_template("spec", "predictors", EACH, "componentSpecs", EACH),),
        effect="its pods are replaced; the new one needs room beside the old one",
    ),
    PatchKind(
        group="argoproj.io",
        kind="Rollout",
        plural="rollouts",
        versions=("v1alpha1",),
        places=(pod_template("spec", "template"),),
        effect="Argo brings up the new pods by its strategy, beside the old ones",
    ),
)
