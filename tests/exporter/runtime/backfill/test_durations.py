from __future__ import annotations

import pytest

from gpuatlas.runtime.backfill.durations import seconds_of


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("3d", 259_200.0),
        ("12h", 43_200.0),
        ("1h30m", 5400.0),
        ("90s", 90.0),
        ("250ms", 0.25),
        ("1w", 604_800.0),
        ("0s", 0.0),
    ],
)
def test_durations_are_read_as_prometheus_writes_them(written: str, seconds: float) -> None:
    assert seconds_of(written) == seconds


@pytest.mark.parametrize("written", ["", "3", "d", "3 d", "-1h", "1.5h", "3d!", "٣d", "1h30"])
def test_other_text_is_no_duration(written: str) -> None:
    with pytest.raises(ValueError, match="is no duration; write it as 3d, 12h or 1h30m"):
        seconds_of(written)
