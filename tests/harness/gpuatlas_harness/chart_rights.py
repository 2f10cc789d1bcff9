"""The rights in the chart, `helm/gpuatlas/files/rights.yaml`: the table that the sources declare.

`python -m gpuatlas_harness.chart_rights` writes the file again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import yaml

from gpuatlas.sources.kubernetes.rbac import rules

PATH: Final = Path(__file__).parents[3] / "helm" / "gpuatlas" / "files" / "rights.yaml"
_HEAD: Final = """\
# Made by `make docs` from what the sources declare that they read: do not edit.
# Kinds that a cluster does not serve are not asked for, and one that is not granted costs what it
# would have told. Rules with nothing but `get` are for objects that the sharing layer names.
"""


def text() -> str:
    """What the file must be."""
    return _HEAD + yaml.safe_dump(rules(), sort_keys=False, default_flow_style=None, width=100)


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
