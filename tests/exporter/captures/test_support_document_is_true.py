"""docs/support.md says what the captures prove, and every vendor and strategy has its case."""

from __future__ import annotations

from gpuatlas.model.snapshot import Sharing
from gpuatlas_harness.support import DOCUMENT, cases, support_document


def test_the_document_is_what_the_captures_prove() -> None:
    assert DOCUMENT.exists(), "write it with `make docs`, and read it"
    assert DOCUMENT.read_text(encoding="utf-8") == support_document(), "run `make docs`"


def test_every_strategy_and_every_vendor_of_a_layer_has_a_case() -> None:
    every = cases()
    shown = {str(s) for s in Sharing if s is not Sharing.UNKNOWN}
    found = {
        sharing
        for case in every
        for node in case.snapshot().nodes.values()
        for sharing in node.sharing.split(",")
    }
    assert shown <= found
    assert {case.vendor for case in every if case.strategy.startswith("hami")} == {
        *("nvidia", "ascend", "cambricon", "hygon", "iluvatar", "mthreads", "metax", "enflame"),
        *("kunlunxin", "aws", "amd", "biren", "vastai"),
    }
