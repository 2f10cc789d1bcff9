"""Kubeflow's kinds: the training operator's, Trainer's, notebooks. Pure: a table."""

from __future__ import annotations

from typing import Final

from gpuatlas.sizing.patch_kind import (
    EACH,
    PatchKind,
    Place,
    keeps_pods,
    keeps_template,
    pod_template,
)


def _training(kind: str, specs: str) -> PatchKind:
    """The training operator's kinds differ in the name of their map of replicas."""
    return PatchKind(
        group="kubeflow.org",
        kind=kind,
        plural=f"{kind.lower()}s",
        versions=("v1", "v2beta1") if kind == "MPIJob" else ("v1",),
        places=(pod_template("spec", specs, EACH, "template"),),
        fixed=keeps_pods(kind),
    )


ROWS: Final[tuple[PatchKind, ...]] = (
    PatchKind(
        group="trainer.kubeflow.org",
        kind="TrainJob",
        plural="trainjobs",
        versions=("v1alpha1",),
        places=(
            Place(
                path=("spec", "trainer"), block="resourcesPerNode", containers=("node", "trainer")
            ),
        ),
        fixed=keeps_template("TrainJob"),
    ),
    _training("PyTorchJob", "pytorchReplicaSpecs"),
    _training("TFJob", "tfReplicaSpecs"),
    _training("MPIJob", "mpiReplicaSpecs"),
    _training("XGBoostJob", "xgbReplicaSpecs"),
    _training("PaddleJob", "paddleReplicaSpecs"),
    _training("JAXJob", "jaxReplicaSpecs"),
    PatchKind(
        group="kubeflow.org",
        kind="Notebook",
        plural="notebooks",
        versions=("v1", "v1beta1", "v1alpha1"),
        places=(pod_template("spec", "template"),),
        effect="the notebook is started anew: what it holds in memory is lost",
    ),
)
