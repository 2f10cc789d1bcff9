"""The coscheduling plugin: PodGroup of scheduling.x-k8s.io/v1alpha1. Pure.

Facts: facts/k8s.md 3.3. Its status says how many pods run, not why the others wait.
"""

from __future__ import annotations

from typing import Final

from gpuatlas.model.placement import PodGroup, Waiting
from gpuatlas.sources.kubernetes.metadata import read_metadata
from gpuatlas.sources.kubernetes.shape import fields
from gpuatlas.sources.placement.raw import filled, present, read_count, trim_metadata

SYSTEM: Final = "coscheduling"


def project_group(raw: object) -> PodGroup:
    """A PodGroup.

    Raises:
        MalformedError: it cannot be identified, or `minMember` is no number of pods.
    """
    metadata = read_metadata(raw)
    minimum = fields(fields(raw).get("spec")).get("minMember")
    where = f"podgroup {metadata.namespace}/{metadata.name} spec.minMember"
    return PodGroup(
        system=SYSTEM,
        uid=metadata.uid,
        namespace=metadata.namespace,
        name=metadata.name,
        queue="",
        minimum=read_count(minimum, where),
        waiting=Waiting(),
    )


def trim_group(raw: object) -> dict[str, object]:
    """The fields of a PodGroup that `project_group` reads."""
    spec = fields(fields(raw).get("spec"))
    return filled(metadata=trim_metadata(raw), spec=present(spec, "minMember"))
