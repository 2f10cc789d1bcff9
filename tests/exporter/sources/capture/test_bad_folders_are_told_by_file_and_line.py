from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuatlas.sources.capture import reader
from gpuatlas.sources.capture.contents import Capture, CaptureError
from gpuatlas.sources.capture.reader import read_capture

Folder = Callable[..., Path]
NODE = "apiVersion: v1\nkind: Node\nmetadata:\n  name: gpu-a\n"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A capture folder of the given files; `__` in a name stands for "/"."""

    def make(**files: str | bytes) -> Path:
        for name, content in files.items():
            path = tmp_path / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return make


def refusal(path: Path) -> str:
    with pytest.raises(CaptureError) as error:
        read_capture(path)
    return str(error.value)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert refusal(tmp_path / "x") == (
        f"{tmp_path}/x: does not exist: a capture is a folder (see gpuatlas capture --help)"
    )


def test_a_file_in_its_place(folder: Folder) -> None:
    path = folder(capture_dot_tgz="x") / "capture.tgz"

    assert "is a file: a capture is a folder" in refusal(path)


def test_a_folder_of_something_else(folder: Folder) -> None:
    path = folder(src__main_dot_py="print()")

    assert refusal(path) == (
        f"{path}: no capture: it holds neither objects/*.yaml nor pages/<source>/*.prom"
    )


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "objects__a_dot_yaml",
            NODE + "---\n- 1\n- 2\n",
            "objects/a.yaml:6: a Kubernetes object was expected (apiVersion, kind, metadata …), "
            "not a list",
        ),
        (
            "objects__a_dot_yaml",
            "just words\n",
            "objects/a.yaml:1: a Kubernetes object was expected",
        ),
        ("objects__a_dot_yaml", NODE + "  labels: {a: b\n", "objects/a.yaml:6: not YAML: "),
        (
            "objects__a_dot_yaml",
            "kind: List\nitems:\n- kind: Node\n- nothing\n",
            "objects/a.yaml:1: a Kubernetes object was expected",
        ),
        (
            "objects__a_dot_yaml",
            "kind: PodList\nitems: 3\n",
            "objects/a.yaml:1: the items of a PodList",
        ),
        ("objects__a_dot_json", '{"kind": "Node",\n"a" 1}', "objects/a.json:2: not JSON: "),
        ("objects__a_dot_txt", NODE, "objects/a.txt: objects lie in .yaml, .yml or .json files"),
        (
            "pages__gpu-a_dot_prom",
            "up 1\n",
            "pages/gpu-a.prom: pages lie in a folder named after who served them: pages/dcgm/, "
            "pages/hami-monitor/, pages/hami-scheduler/",
        ),
        (
            "pages__dcmg__a_dot_prom",
            "up 1\n",
            "pages/dcmg/a.prom: pages lie in a folder named after who served them: pages/dcgm/, "
            "pages/hami-monitor/, pages/hami-scheduler/; did you mean pages/dcgm/?",
        ),
        (
            "pages__dcgm__a_dot_txt",
            "up 1\n",
            "pages/dcgm/a.txt: pages lie in files that end in .prom",
        ),
        ("clock", "noon\n", 'clock:1: "noon" is no time; write it as 2026-08-21T10:11:12Z'),
        ("clock", b"\xff\xfe", 'clock:1: "'),
    ],
)
def test_wrong_files(name: str, content: str | bytes, said: str, folder: Folder) -> None:
    folder(objects__node_dot_yaml=NODE)

    assert refusal(folder(**{name: content})).startswith(said)


@pytest.mark.parametrize(
    "name", ["objects__README_dot_md", "objects___dot_DS_Store", "README", "notes_dot_txt"]
)
def test_files_that_are_passed_over(name: str, folder: Folder) -> None:
    capture = read_capture(folder(objects__node_dot_yaml=NODE, **{name: "whatever: [\n"}))

    assert len(capture.objects) == 1


def test_a_link_that_leads_out_is_not_followed(folder: Folder, tmp_path: Path) -> None:
    path = folder(capture__objects__node_dot_yaml=NODE, secret_dot_yaml="password: x\n")
    (path / "capture/objects/link.yaml").symlink_to(path / "secret.yaml")

    said = refusal(path / "capture")
    assert said == "objects/link.yaml: a link that leads out of the capture is not read"


def test_a_pipe_is_not_read(folder: Folder) -> None:
    path = folder(objects__node_dot_yaml=NODE)
    os.mkfifo(path / "objects/pipe.yaml")

    assert refusal(path) == "objects/pipe.yaml: not a plain file"


def test_sizes_are_bounded(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder(pages__dcgm__a_dot_prom="x" * (2 * 1024**2))
    monkeypatch.setattr(reader, "MAX_PAGE_BYTES", 1024**2)

    assert refusal(path) == "pages/dcgm/a.prom: larger than 1 MiB"


def test_the_whole_is_bounded(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "x" * (600 * 1024)
    path = folder(pages__dcgm__a_dot_prom=page, pages__dcgm__b_dot_prom=page)
    monkeypatch.setattr(reader, "MAX_TOTAL_BYTES", 1024**2)

    assert refusal(path) == "pages/dcgm/b.prom: the capture is larger than 1 MiB"


def test_the_number_of_files_is_bounded(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder(pages__dcgm__a_dot_prom="", pages__dcgm__b_dot_prom="")
    monkeypatch.setattr(reader, "MAX_FILES", 2)

    assert refusal(path) == "pages: holds more than 2 files"


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("2026-08-21T10:11:12Z\n", 1_787_307_072.0),
        ("2026-08-21T12:11:12.5+02:00", 1_787_307_072.5),
        ("2026-08-21T10:11:12", 1_787_307_072.0),
        ("2026-08-21", 1_787_270_400.0),
    ],
)
def test_the_clock(text: str, clock: float, folder: Folder) -> None:
    assert read_capture(folder(pages__dcgm__a_dot_prom="", clock=text)).clock == clock


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a_dot_yaml", NODE),
        ("a_dot_yml", "---\n" + NODE + "---\n"),
        ("a_dot_json", '{"apiVersion":"v1","kind":"Node","metadata":{"name":"gpu-a"}}'),
        ("a_dot_yaml", "apiVersion: v1\nkind: List\nitems:\n- " + NODE.replace("\n", "\n  ")),
        ("a_dot_yaml", "apiVersion: v1\nkind: NodeList\nitems:\n- metadata: {name: gpu-a}\n"),
        ("deep__er__a_dot_yaml", NODE),
    ],
)
def test_objects_as_people_have_them(name: str, text: str, folder: Folder) -> None:
    capture = read_capture(folder(**{f"objects__{name}": text}))

    assert [dict(raw.body) for raw in capture.objects] == [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-a"}}
    ]


def test_an_empty_list_is_an_empty_list(folder: Folder) -> None:
    capture = read_capture(
        folder(objects__a_dot_yaml="kind: List\nitems: null\n", pages__dcgm__a_dot_error="gone\n")
    )

    assert capture == Capture(silences=capture.silences)
    assert [(s.source, s.name, s.reason) for s in capture.silences] == [("dcgm", "a", "gone")]
