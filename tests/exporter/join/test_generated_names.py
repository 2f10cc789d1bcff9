from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.join.generated_names import stem_of


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("train-llama-x7k2p", "train-llama"),
        ("train-29bcd", "train"),
        ("eval-20260821", "eval"),
        ("eval-20260821101500", "eval"),
        ("eval-20260821-101500", "eval"),
        ("eval-20260821t101500z", "eval"),
        ("eval-2026-08-21", "eval"),
        ("eval-2026-08-21-10-15-00", "eval"),
        ("eval-1787307072", "eval"),
        ("eval-1787307072123", "eval"),
        ("eval-3f2a9c1", "eval"),
        ("eval-0f4e8a2b9c1d4e5f8a7b6c5d4e3f2a1b", "eval"),
        ("eval-0f4e8a2b-9c1d-4e5f-8a7b-6c5d4e3f2a1b", "eval"),
        ("train-llama-20260821-x7k2p", "train-llama"),
        ("train-llama-20260821-3f2a9c1-x7k2p", "train-llama"),
        ("train--x7k2p", "train"),
        ("bench-fp8kv-x7k2p", "bench-fp8kv"),  # the letters of Kubernetes are cut off once
    ],
)
def test_an_end_that_a_machine_made_up_is_cut_off(name: str, stem: str) -> None:
    assert stem_of(name) == stem


@pytest.mark.parametrize(
    "name",
    [
        "train",
        "train-llama",
        "train-70b",
        "llama-3-1-8b",
        "finetune-12",
        "qwen2",
        "run-2026",
        "bench-a100-80gb",
        "train-bf16",
        "train-seven",
        "release-1234567",  # a number too short for a time
        "deadbeef-defaced",  # letters alone may be a word
        "x7k2p",
        "train-x7k2p-worker-0",
        "",
        f"{'a' * 260}-x7k2p",
    ],
)
def test_a_name_that_somebody_chose_is_left_alone(name: str) -> None:
    assert stem_of(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "a1b2c3d4e5f6",  # a letter and eleven digits of a UUID, as Kubeflow's SDK names TrainJobs
        "b12345678901",
        "0f4e8a2b-9c1d-4e5f-8a7b-6c5d4e3f2a1b",
        "3f2a9c1-x7k2p",
        "20260821-x7k2p",
    ],
)
def test_of_a_name_that_is_all_made_up_nothing_is_left(name: str) -> None:
    assert stem_of(name) == ""


LETTERS = "bcdfghjklmnpqrstvwxz2456789"
ENDS = st.one_of(
    st.text(LETTERS, min_size=5, max_size=5),
    st.uuids(version=4).map(str),
    st.datetimes().map(lambda at: at.strftime("%Y%m%d-%H%M%S").rjust(15, "0")),
    st.integers(10**9, 10**13).map(str),
)


@settings(deadline=None, max_examples=200)
@given(ENDS)
def test_whatever_a_machine_appends_runs_of_one_name_share_it(end: str) -> None:
    assert stem_of(f"finetune-llama-{end}") == "finetune-llama"


@settings(deadline=None, max_examples=200)
@given(st.text("abcx2347-.", max_size=70))
def test_what_is_left_is_a_beginning_of_the_name(name: str) -> None:
    stem = stem_of(name)
    assert stem is None or (name.startswith(stem) and len(stem) < len(name))
