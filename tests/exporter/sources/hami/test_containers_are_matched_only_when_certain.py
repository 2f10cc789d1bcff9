from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpuatlas.model.objects import Container
from gpuatlas.sources.hami.annotations import read_pod

KEY = "hami.io/vgpu-devices-allocated"


def container(name: str, kind: str = "main", **limits: int) -> Container:
    resources = {f"nvidia.com/{resource}": amount for resource, amount in limits.items()}
    return Container(name=name, kind=kind, image="i", limits=resources, env={})


def names(text: str, *containers: Container) -> list[str]:
    promises, _ = read_pod("team", "pod", {KEY: text}, containers)
    return [promise.container for promise in promises]


A = "GPU-a,NVIDIA,1000,10:;"
B = "GPU-b,NVIDIA,2000,20:;"
PLAIN = container("plain")


def test_segments_follow_init_sidecar_and_main_containers() -> None:
    found = names(
        A * 3,
        container("main", gpu=1),
        container("init", "init", gpu=1),
        container("sidecar", "sidecar", gpu=1),
    )
    assert found == ["init", "sidecar", "main"]


@pytest.mark.parametrize("text", [";" + A, A + ";", ",,0,0:;" + A, ";;,,0,0:;" + A + ",,0,0:;"])
def test_empty_segments_and_fillers_stand_for_nothing(text: str) -> None:
    assert names(text, PLAIN, container("main", gpu=1), container("log")) == ["main"]


def test_up_to_v28_init_containers_get_nothing() -> None:
    assert names(A, container("init", "init", gpu=1), container("main", gpu=1)) == ["main"]


def test_when_the_counts_differ_the_sizes_decide() -> None:
    found = names(
        B + A,
        container("a", gpu=1, gpumem=1000, gpucores=10),
        container("b", gpu=1, gpumem=2000, gpucores=20),
        container("c", gpu=1, gpumem=3000),
    )
    assert found == ["b", "a"]


def test_a_limit_that_the_container_does_not_state_is_not_compared() -> None:
    found = names(
        A, container("a", gpu=1, gpumem=1000), container("b", gpu=1), container("c", gpu=1)
    )
    assert found == ["a"]


@pytest.mark.parametrize(
    "limits",
    [{"gpu": 1}, {"gpu": 1, "gpumem": 1000}, {"gpu": 1, "gpumem": 9}, {"gpu": 1, "gpucores": 9}],
)
def test_two_containers_that_fit_alike_or_not_at_all_get_nothing(limits: Mapping[str, int]) -> None:
    twins = (container("a", "main", **limits), container("b", "main", **limits))
    assert names(A, *twins) == [""]


def test_two_segments_that_fit_one_container_stay_unmatched() -> None:
    many = (container("a", gpu=1, gpumem=1000), container("b", gpu=1), container("c", gpu=1))
    assert names(A + A, *many) == ["", ""]


def test_no_container_asks_so_none_is_named() -> None:
    assert names(A, PLAIN, container("other")) == [""]
    assert names(A + B, PLAIN, container("other")) == ["", ""]


def test_the_only_container_is_named_even_when_the_resource_was_renamed() -> None:
    assert names(A, PLAIN) == ["plain"]
    assert names(A + A, PLAIN) == ["", ""]


def test_a_renamed_count_beside_hamis_memory_resource_is_still_a_request() -> None:
    assert names(A, PLAIN, container("main", vgpu=1)) == ["main"]
    assert names(A, PLAIN, container("main", gpumem=1000)) == ["main"]


def test_a_limit_of_zero_is_no_request() -> None:
    assert names(A, container("zero", gpu=0), container("main", gpu=1)) == ["main"]


def test_an_unreadable_segment_still_stands_for_its_container() -> None:
    found = names("GPU-x,NVIDIA,oops,10:;" + B, container("a", gpu=1), container("b", gpu=1))
    assert found == ["b"]


def test_chips_of_one_vendor_are_told_apart() -> None:
    containers = (
        Container(name="a", kind="main", image="i", limits={"huawei.com/Ascend310P": 1}, env={}),
        Container(name="b", kind="main", image="i", limits={"huawei.com/Ascend910B": 1}, env={}),
    )
    annotations = {"hami.io/Ascend910B-devices-allocated": ";NPU-1,Ascend910B,16384,10:;"}
    (promise,), _ = read_pod("team", "pod", annotations, containers)
    assert promise.container == "b"


def test_no_containers_at_all_is_no_error() -> None:
    assert names(A) == [""]
