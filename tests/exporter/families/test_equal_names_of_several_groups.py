"""A batch Job and a Volcano Job of one name in one namespace share no series."""

from __future__ import annotations

from gpuatlas.families.exposition import Format
from gpuatlas.families.page import PageCache
from gpuatlas_harness import build


def page() -> list[str]:
    ids = [
        build.a_workload_id(api_group=group, kind="Job", name="train")
        for group in ("batch", "batch.volcano.sh")
    ]
    namespace = build.a_namespace(
        workloads=tuple(
            build.a_workload(id=identity, gang_min_members=members)
            for identity, members in zip(ids, (2, 8), strict=True)
        ),
        pods=tuple(
            build.a_pod_workload(pod=f"train-{number}", workload=identity)
            for number, identity in enumerate(ids)
        ),
    )
    snapshot = build.a_snapshot(namespaces=[namespace])
    text = b"".join(PageCache().update(snapshot).body(Format.TEXT).chunks).decode()
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_each_family_has_both() -> None:
    gangs = [line for line in page() if line.startswith("gpuatlas_workload_gang_min_members")]
    start = 'gpuatlas_workload_gang_min_members{namespace="team-a",workload_kind='
    assert gangs == [
        f'{start}"Job",workload="train"}} 2',
        f'{start}"Job.batch.volcano.sh",workload="train"}} 8',
    ]


def test_no_series_stands_twice() -> None:
    series = [line.rpartition(" ")[0] for line in page()]
    plain = [s for s in series if 'workload_kind="Job",' in s]
    volcano = [s for s in series if 'workload_kind="Job.batch.volcano.sh",' in s]
    assert len(plain) == len(volcano) == len(series) / 2 == 10
    assert len(set(series)) == len(series)


def test_the_group_by_itself_stands_in_the_info() -> None:
    info = [line for line in page() if line.startswith("gpuatlas_workload_info")]
    assert [line.split('api_group="')[1].split('"')[0] for line in info] == [
        "batch",
        "batch.volcano.sh",
    ]


def test_pods_are_joined_with_their_own() -> None:
    pods = [line for line in page() if line.startswith("gpuatlas_pod_workload_info")]
    assert [line.split('pod="')[1].split('"')[0] for line in pods if ".volcano" in line] == [
        "train-1"
    ]
