from __future__ import annotations

from itertools import permutations

import pytest

from gpuatlas.join.runtimes import prevailing_runtime
from gpuatlas.model.pod_spec import UNKNOWN_RUNTIME, Runtime

VLLM = Runtime(name="vllm", evidence="image vllm")
SETTING = "--gpu-memory-utilization"
LESS = Runtime(
    name="vllm", evidence="command vllm serve", memory_ahead=0.4, memory_ahead_setting=SETTING
)
MORE = Runtime(
    name="vllm", evidence="command vllm serve", memory_ahead=0.9, memory_ahead_setting=SETTING
)
UNREADABLE = Runtime(name="vllm", evidence="image vllm", memory_ahead_setting=SETTING)
RAY = Runtime(name="ray", evidence="image ray")
STATED = Runtime(name="unknown", evidence="", memory_ahead=0.5, memory_ahead_setting="X")


@pytest.mark.parametrize(
    ("runtimes", "expected"),
    [
        ((), UNKNOWN_RUNTIME),
        ((UNKNOWN_RUNTIME, UNKNOWN_RUNTIME), UNKNOWN_RUNTIME),
        ((UNKNOWN_RUNTIME, STATED), STATED),
        ((UNKNOWN_RUNTIME, UNKNOWN_RUNTIME, RAY), RAY),
        ((VLLM, VLLM, RAY), VLLM),
        ((VLLM, RAY), RAY),
        ((VLLM, VLLM, LESS), LESS),
        ((LESS, MORE, UNREADABLE), MORE),
        ((VLLM, UNREADABLE), UNREADABLE),
    ],
)
def test_most_pods_decide_and_one_that_states_its_memory_speaks(
    runtimes: tuple[Runtime, ...], expected: Runtime
) -> None:
    for order in permutations(runtimes):
        assert prevailing_runtime(order) == expected
