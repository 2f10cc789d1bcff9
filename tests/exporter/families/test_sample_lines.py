from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import pytest

from gpuatlas.families.exposition import Format, write_families
from gpuatlas.families.render import render_group
from gpuatlas.families.spec import Family, Kind, Series

Rows = tuple[Series, ...]


def _samples(rows: Rows) -> Iterable[Series]:
    return rows


PLAIN: Final[Family[Rows]] = Family(
    name="gpuatlas_plain", kind=Kind.GAUGE, help="A number.", labels=("x",), samples=_samples
)
BARE: Final[Family[Rows]] = Family(
    name="gpuatlas_bare", kind=Kind.GAUGE, help="No labels.", labels=(), samples=_samples
)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        pytest.param("", "", id="empty"),
        pytest.param("a\nb", r"a\nb", id="line feed"),
        pytest.param('"', r"\"", id="quote"),
        pytest.param("\\", r"\\", id="backslash"),
        pytest.param(r"\n", r"\\n", id="backslash before n is no line feed"),
        pytest.param("卡 é 😀", "卡 é 😀", id="beyond ASCII"),
        pytest.param("a\ud800b", "a?b", id="a lone surrogate, which UTF-8 cannot hold"),
    ],
)
def test_label_values(value: str, written: str) -> None:
    assert render_group((PLAIN,), (((value,), 1),)) == (
        f'gpuatlas_plain{{x="{written}"}} 1\n'.encode(),
    )


@pytest.mark.parametrize(
    ("number", "written"),
    [
        pytest.param(0, b"0", id="zero"),
        pytest.param(24_146_608_128, b"24146608128", id="bytes in full"),
        pytest.param(2**53 + 1, b"9007199254740993", id="an integer that no float holds"),
        pytest.param(0.1, b"0.1", id="shortest float"),
        pytest.param(1e-7, b"1e-07", id="exponent"),
        pytest.param(True, b"1", id="a bool"),
    ],
)
def test_numbers(number: float, written: bytes) -> None:
    assert render_group((PLAIN,), ((("a",), number),)) == (
        b'gpuatlas_plain{x="a"} ' + written + b"\n",
    )


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_left_out(number: float) -> None:
    rows: Rows = ((("a",), number), (("b",), 1))
    assert render_group((PLAIN,), rows) == (b'gpuatlas_plain{x="b"} 1\n',)


def test_a_series_is_written_once_and_the_first_stays() -> None:
    rows: Rows = ((("a",), 1), (("b",), 2), (("a",), 3))
    assert render_group((PLAIN,), rows) == (b'gpuatlas_plain{x="a"} 1\ngpuatlas_plain{x="b"} 2\n',)


def test_a_family_without_labels() -> None:
    assert render_group((BARE,), (((), 7),)) == (b"gpuatlas_bare 7\n",)


def test_a_sample_with_too_few_label_values_is_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        render_group((PLAIN,), (((), 7),))


def test_several_entities_share_one_header() -> None:
    rows: tuple[Rows, ...] = (((("a",), 1),), ((("b",), 2),))
    assert write_families((PLAIN,), rows, Format.TEXT) == (
        b"# HELP gpuatlas_plain A number.\n# TYPE gpuatlas_plain gauge\n"
        b'gpuatlas_plain{x="a"} 1\ngpuatlas_plain{x="b"} 2\n'
    )


@pytest.mark.parametrize("rows", [(), ((),)])
def test_without_samples_there_is_no_header(rows: tuple[Rows, ...]) -> None:
    assert write_families((PLAIN,), rows, Format.OPENMETRICS) == b""


def test_content_types() -> None:
    assert Format.TEXT.content_type == "text/plain; version=0.0.4; charset=utf-8"
    assert Format.OPENMETRICS.content_type == (
        "application/openmetrics-text; version=1.0.0; charset=utf-8"
    )
