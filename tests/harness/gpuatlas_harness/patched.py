"""One patch of a report, and why there is none."""

from __future__ import annotations

from typing import Any

from gpuatlas.model.sizing import SizingReport
from gpuatlas.sizing.patch import WorkloadPatch, make_patches, targets_of


def patched(report: SizingReport, document: Any = None) -> WorkloadPatch:
    """The only patch; a text in place of the object says why it was not read."""
    manifests = {} if document is None else dict.fromkeys(targets_of(report), document)
    (patch,), refused = make_patches(report, manifests)
    assert refused == []
    return patch


def refused(report: SizingReport, document: Any = None) -> str:
    manifests = {} if document is None else dict.fromkeys(targets_of(report), document)
    patches, (no_patch,) = make_patches(report, manifests)
    assert patches == []
    return no_patch.reason
