"""Objects that stand between a pod and its workload, read as metadata only. Pure.

`trim.trim_owner` must keep every field that is read here.
"""

from __future__ import annotations

from gpuatlas.model.objects import OwnerLink
from gpuatlas.sources.kubernetes.kept import OWNER_LABELS, TEMPLATE_LABELS
from gpuatlas.sources.kubernetes.metadata import label_text, read_metadata
from gpuatlas.sources.kubernetes.shape import fields, shared


def project_owner(raw: object, *, api_group: str, kind: str) -> OwnerLink:
    """The link from an object to its own controller, and what its name was made from.

    Raises:
        MalformedError: the object cannot be identified.
    """
    metadata = read_metadata(raw)
    labels = OWNER_LABELS.select(metadata.labels)
    return OwnerLink(
        uid=shared(metadata.uid),
        api_group=api_group,
        kind=kind,
        namespace=metadata.namespace,
        name=shared(metadata.name),
        controller=metadata.controller,
        generate_name=label_text(fields(fields(raw).get("metadata")).get("generateName")),
        template=next((label_text(labels[key]) for key in TEMPLATE_LABELS if key in labels), ""),
    )
