"""What a capture keeps of a container holds no secret, and detection does not see a difference."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.sources.runtimes.detect import detect
from gpuatlas.sources.runtimes.memory import VARIABLES
from gpuatlas.sources.runtimes.reduce import reduced_command, reduced_env
from gpuatlas.sources.runtimes.spec import read_env, read_runtime, trim_container
from gpuatlas.sources.runtimes.table import ROWS
from gpuatlas.sources.runtimes.words import MAX_COMMAND_TEXT, command_text

Object = dict[str, Any]

PARTS = sorted(
    {word for row in ROWS for words in row.programs for word in words}
    | {module for row in ROWS for module in row.modules}
    | {option for row in ROWS for option in row.options}
    | {"--mem-fraction-static", "--gpu_memory_utilization=0.4", "0.9", "0.5;", "=", "--", "-c"}
    | {"pip install", "cd", "&&", ";", "|", "\n", "\\\n", '"', "'", "$(", ")", "python -m", "/bin/"}
    | {"vllm.entrypoints.x", "mpirun -n 2", "secret", "bash -c 'vllm serve'"}
)
words = st.one_of(st.sampled_from(PARTS), st.text(max_size=6))
lines = st.lists(words, max_size=8)
NAMES = sorted(
    {p.replace("*", "X") for row in ROWS for p in row.env}
    | VARIABLES
    | {"PATH", "HF_TOKEN", "VLLM_API_KEY"}
)
variables = st.lists(
    st.fixed_dictionaries(
        {"name": st.one_of(st.sampled_from(NAMES), st.text(max_size=4))},
        optional={"value": st.sampled_from(["true", "False", ".5", "0.3", "2", "s3cr3t", ""])},
    ),
    max_size=5,
)
containers = st.fixed_dictionaries(
    {"image": st.sampled_from(["team/app", "vllm/vllm-openai", "rayproject/ray", ""])},
    optional={
        "command": st.one_of(lines, st.none(), st.just("vllm serve")),
        "args": st.one_of(lines, st.lists(st.one_of(words, st.none(), st.integers()), max_size=3)),
        "env": variables,
        "restartPolicy": st.just("Always"),
        "resources": st.sampled_from([{"limits": {"nvidia.com/gpu": 1}}, {"limits": {"cpu": 1}}]),
    },
)
specs = st.fixed_dictionaries(
    {
        "containers": st.lists(containers, max_size=3),
        "initContainers": st.lists(containers, max_size=2),
    }
)


def trimmed(spec: Object) -> Object:
    """As a trim of whole pods does it."""
    kept = ("image", "resources", "restartPolicy")
    return {
        name: [{key: c[key] for key in kept if key in c} | trim_container(c) for c in listed]
        for name, listed in spec.items()
    }


@settings(deadline=None, max_examples=400)
@given(lines, lines)
def test_a_reduced_command_is_detected_the_same(command: list[str], args: list[str]) -> None:
    reduced = reduced_command(command, args)
    assert detect([], " ".join(reduced), {}, {}, {}) == detect(
        [], command_text(command, args), {}, {}, {}
    )
    assert reduced_command(reduced, []) == reduced


@settings(deadline=None, max_examples=300)
@given(specs)
def test_a_trimmed_spec_is_detected_the_same(spec: Object) -> None:
    assert read_runtime(trimmed(spec), {}, {}) == read_runtime(spec, {}, {})


@settings(deadline=None, max_examples=200)
@given(lines, lines)
def test_only_words_of_our_own_table_are_kept(command: list[str], args: list[str]) -> None:
    known = {word for row in ROWS for words in row.programs for word in words}
    known |= {word for row in ROWS for word in (*row.modules, *row.options)} | {";"}
    for word in reduced_command(command, args):
        name, _, share = word.partition("=")
        assert name in known
        assert share == "" or 0 < float(share) <= 1


def test_secrets_stay_behind() -> None:
    container: Object = {
        "command": ["bash", "-c"],
        "args": [
            "export KEY=abc123; vllm serve /m --api-key=abc123 --gpu-memory-utilization=0.9 "
            "--tensor-parallel-size 2 --download-dir /abc123"
        ],
        "env": [
            {"name": "VLLM_API_KEY", "value": "abc123"},
            {"name": "HF_TOKEN", "value": "abc123"},
            {"name": "XLA_PYTHON_CLIENT_MEM_FRACTION", "value": "abc123"},
            {"name": "TF_FORCE_GPU_ALLOW_GROWTH", "value": "true"},
            {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        ],
    }
    assert trim_container(container) == {
        "command": [
            *("vllm", "serve", ";"),
            *("--gpu-memory-utilization", ";", "--gpu-memory-utilization=0.9"),
        ],
        "env": [
            {"name": "VLLM_API_KEY"},
            {"name": "TF_FORCE_GPU_ALLOW_GROWTH", "value": "true"},
            {"name": "XLA_PYTHON_CLIENT_MEM_FRACTION"},
        ],
    }


def test_a_container_that_says_nothing_keeps_nothing() -> None:
    assert trim_container({"command": ["sleep", "inf"], "env": [{"name": "A", "value": "b"}]}) == {}
    assert reduced_command(None, None) == []
    assert reduced_command("vllm serve", 7) == []
    assert reduced_env({}) == {}
    assert read_env([None, 3, {"name": 5}, {"value": "x"}]) == {}


HUGE = MAX_COMMAND_TEXT
FLOODS = [
    "a " * HUGE,
    "; " * HUGE,
    '"' * HUGE,
    "\\" * HUGE,
    "vllm " * HUGE,
    "-" * HUGE,
    "." * HUGE,
    "/" * HUGE,
    "vllm.entrypoints." * (HUGE // 8),
    "--gpu-memory-utilization " * (HUGE // 16),
    "install " * HUGE,
]


@pytest.mark.parametrize("flood", FLOODS, ids=lambda flood: repr(flood[:12]))
def test_a_huge_command_line_is_read_to_its_limit(flood: str) -> None:
    cut = command_text(["bash", "-c", flood], ["vllm serve --gpu-memory-utilization=0.9"])
    assert len(cut) == MAX_COMMAND_TEXT
    assert command_text(["x"], [flood[: MAX_COMMAND_TEXT - 2]]) == "x " + flood[: HUGE - 2]
    reduced = reduced_command(["bash", "-c", flood], ["ollama serve"])
    assert len(reduced) <= 8
    assert "ollama" not in reduced


def test_engines_of_two_containers_that_ask_for_cards() -> None:
    gpu = {"limits": {"nvidia.com/gpu": "1"}}
    spec = {
        "initContainers": [
            {"image": "ollama/ollama", "resources": gpu},
            {"image": "a", "command": ["ray", "start"], "restartPolicy": "Always"},
        ],
        "containers": [
            {"image": "vllm/vllm-openai"},
            {"image": "team/a", "command": ["torchrun", "a.py"], "resources": gpu},
            {"image": "team/b", "args": ["--mem-fraction-static", "0.4"], "resources": gpu},
        ],
    }
    runtime = read_runtime(spec, {}, {})
    assert (runtime.name, runtime.evidence) == ("pytorch", "command torchrun")
    assert (runtime.memory_ahead, runtime.memory_ahead_setting) == (0.4, "--mem-fraction-static")


def test_where_no_container_asks_all_of_them_count() -> None:
    spec = {"containers": [{"image": "envoy"}, {"image": "vllm/vllm-openai:v0.11.0"}]}
    assert read_runtime(spec, {}, {}).name == "vllm"


@settings(deadline=None, max_examples=100)
@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(["containers", "command", "args", "env", "name", "value", "image"]),
                inner,
                max_size=4,
            ),
        ),
        max_leaves=25,
    )
)
def test_junk_in_place_of_a_spec_is_unknown_or_read(raw: object) -> None:
    spec = raw if isinstance(raw, dict) else {}
    assert read_runtime(spec, {}, {}).name in {"unknown", *(row.name for row in ROWS)}
