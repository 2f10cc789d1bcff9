from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.sources.capture.contents import Capture, CaptureError, RawObject, RawPage, Silence
from gpuatlas.sources.capture.projection import project_capture
from gpuatlas.sources.capture.reader import read_capture
from gpuatlas.sources.capture.trimming import trim_capture
from gpuatlas.sources.capture.writer import write_capture

CAPTURES = Path(__file__).parents[3] / "fixtures" / "captures"
NAMES = ("hami-a10g", "plain-a100", "lone-page", "lone-node")


def without_places(capture: Capture) -> Capture:
    return replace(capture, objects=tuple(replace(raw, where="") for raw in capture.objects))


@pytest.mark.parametrize("name", NAMES)
def test_it_gives_the_same_observations(name: str, tmp_path: Path) -> None:
    capture = read_capture(CAPTURES / name)
    write_capture(trim_capture(capture), tmp_path / "out", anonymised=False)

    again = project_capture(read_capture(tmp_path / "out"), now=0.0)
    assert again.observations == project_capture(capture, now=0.0).observations


def test_every_part_is_written(tmp_path: Path) -> None:
    capture = Capture(
        clock=1_787_307_072.25,
        objects=(RawObject(body={"apiVersion": "v1", "kind": "Node", "a": "ä\n"}, where=""),),
        pages=(RawPage(source="dcgm", name="gpu-a", body=b"\xff\n"),),
        silences=(Silence(source="hami-scheduler", name="ns_pod", reason="HTTP 500"),),
    )

    files = write_capture(capture, tmp_path / "new" / "out", anonymised=True)
    assert sorted(f.relative_to(tmp_path / "new/out").as_posix() for f in files) == [
        "README",
        "clock",
        "objects/nodes.yaml",
        "pages/dcgm/gpu-a.prom",
        "pages/hami-scheduler/ns_pod.error",
    ]
    assert (tmp_path / "new/out/clock").read_text() == "2026-08-21T10:11:12.250000Z\n"
    assert "replaced consistently" in (tmp_path / "new/out/README").read_text()
    assert without_places(read_capture(tmp_path / "new/out")) == without_places(capture)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()

    with pytest.raises(CaptureError, match="is there already and not empty"):
        write_capture(Capture(), tmp_path, anonymised=False)


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    assert len(write_capture(Capture(clock=0.0), tmp_path, anonymised=False)) == 2


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=12),
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(st.text(min_size=1, max_size=6), children, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "text", ["1e3", "0E0", "12e-4", "1.5", ".inf", ".NaN", "0o17", "0x1f", "~"]
)
def test_a_text_that_looks_like_a_number_stays_text(text: str, tmp_path: Path) -> None:
    """A label such as a commit's hash may read "12e4"; as a number the label would be dropped."""
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"app": text}}}

    write_capture(
        Capture(objects=(RawObject(body=body, where=""),)), tmp_path / "c", anonymised=False
    )
    assert [raw.body for raw in read_capture(tmp_path / "c").objects] == [body]


@settings(deadline=None, max_examples=50)
@given(fields=st.dictionaries(st.text(min_size=1, max_size=6), PLAIN, max_size=4))
def test_any_object_reads_back(fields: dict[str, Any], tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("capture")
    body = {**fields, "apiVersion": "v1", "kind": "Pod"}

    write_capture(Capture(objects=(RawObject(body=body, where=""),)), folder, anonymised=False)
    assert [raw.body for raw in read_capture(folder).objects] == [body]


def test_trimming_leaves_what_nobody_reads_behind() -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "p",
            "namespace": "ns",
            "uid": "1",
            "managedFields": [{"manager": "x"}],
            "annotations": {"vault.example.com/token": "s3cret"},
        },
        "spec": {
            "containers": [
                {
                    "name": "c",
                    "command": ["run", "--password=s3cret"],
                    "env": [{"name": "API_KEY", "value": "s3cret"}],
                    "resources": {"limits": {"nvidia.com/gpu": "1", "memory": "1Gi"}},
                }
            ]
        },
    }
    cpu_only = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "q", "namespace": "ns"}}
    nameless = {"apiVersion": "v1", "kind": "Node", "metadata": {}}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}
    objects = tuple(RawObject(body=b, where="") for b in (pod, cpu_only, nameless, secret))

    (kept,) = trim_capture(Capture(objects=objects)).objects
    assert "s3cret" not in str(kept.body)
    assert kept.body["spec"] == {
        "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]
    }


def test_owners_without_a_pod_below_them_are_left_out() -> None:
    def owner(name: str, uid: str) -> RawObject:
        metadata = {"name": name, "namespace": "ns", "uid": uid}
        return RawObject(
            body={"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata}, where=""
        )

    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "new", "uid": "new-uid"}
    pod = RawObject(
        body={
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "p",
                "namespace": "ns",
                "uid": "1",
                "ownerReferences": [{**reference, "controller": True}],
            },
            "spec": {
                "containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]
            },
        },
        where="",
    )

    kept = trim_capture(Capture(objects=(owner("old", "old-uid"), owner("new", "new-uid"), pod)))
    assert [raw.body["metadata"]["name"] for raw in kept.objects] == ["new", "p"]
