"""No name is left; formats, relations and the order of names are."""

from __future__ import annotations

import json
import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpuatlas.sources.capture.anonymise import anonymise
from gpuatlas.sources.capture.contents import Capture, RawObject, RawPage, Silence
from gpuatlas.sources.capture.reader import read_capture
from gpuatlas_harness.anonymised import KEY, SECRET, UUIDS, raw_object, text_of
from gpuatlas_harness.captured import CAPTURES


@settings(deadline=None, max_examples=60)
@given(SECRET, SECRET, SECRET, SECRET, st.text(max_size=30))
@example("zqnode", "zqspace", "zqpod", "zqword", "")
def test_no_name_is_left_anywhere(node: str, space: str, pod: str, word: str, free: str) -> None:
    container = {
        "name": word,
        "image": f"registry.{word}.example/{word}/vllm-{word}:{word}",
        "env": [{"name": "NB_PREFIX", "value": f"/{word}/x"}],
        "resources": {"limits": {"nvidia.com/gpu": "1"}},
    }
    body = raw_object(
        "Pod",
        f"{pod}-0",
        space,
        {"app": pod, "app.kubernetes.io/instance": word, f"runai-gpu-group/{word}": word},
        {
            "hami.io/vgpu-devices-allocated": f"{UUIDS[0]},NVIDIA,1,1:;{word}",
            "hami.io/vgpu-node": node,
            "hami.io/mutex.lock": f"2026-08-21T10:11:12Z,{space},{pod}-0",
            "nvidia.com/use-gpuuuid": UUIDS[1],
            "volcano.sh/x": json.dumps({"who": word, "words": [word, free]}),
        },
        spec={
            "nodeName": node,
            "schedulerName": f"{word}-scheduler",
            "containers": [container],
            "resourceClaims": [{"name": word, "resourceClaimName": word}],
        },
        status={
            "phase": "Running",
            "reason": f"{word} happened",
            "podIP": "192.0.2.7",
            "conditions": [{"type": "Ready", "status": "True", "reason": word}],
        },
    )
    body["metadata"]["ownerReferences"] = [
        {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "name": pod,
            "uid": word,
            "controller": True,
        }
    ]
    host = raw_object("Node", f"{node}.{word}.example", "", {"agentpool": word}, {})
    host["status"] = {"capacity": {"nvidia.com/gpu": "1"}}
    page = (
        f"# HELP DCGM_FI_DEV_FB_USED told by {word}\n"
        f'DCGM_FI_DEV_FB_USED{{UUID="{UUIDS[0]}",Hostname="{node}",pod="{pod}-0",'
        f'namespace="{space}",instance="192.0.2.7:9400",label_team="{word}"}} 7 '
        f'# {{who="{word}"}} 1\n'
        f"DCGM_FI_DEV_FB_USED {word}\n{{{word}\n# {word}\n"
        f'other{{url="http://[2001:db8::77]:80/{word}"}} 1\n'
    )
    capture = Capture(
        objects=tuple(RawObject(body=b, where="") for b in (body, host)),
        pages=(
            RawPage(source="dcgm", name=node, body=page.encode()),
            RawPage(source="hami-scheduler", name=f"{space}_{pod}", body=b""),
        ),
        silences=(Silence(source="dcgm", name=word, reason=f"http://{word}: HTTP 500"),),
    )

    hidden = anonymise(capture, key=KEY)
    text = text_of(hidden)
    for secret in (node, space, pod, word, "192.0.2.7", "db8::77", UUIDS[0], UUIDS[1]):
        assert secret not in text
    assert [s.reason for s in hidden.silences] == ["no page: HTTP 500"]


def test_formats_and_relations_stay() -> None:
    capture = read_capture(CAPTURES / "hami-a10g")

    hidden = anonymise(capture, key=KEY)
    found = {
        raw.body["metadata"]["name"]: raw.body["metadata"]
        for raw in hidden.objects
        if raw.kind == "Pod" and "ownerReferences" in raw.body["metadata"]
    }
    name, metadata = next(i for i in found.items() if i[0].startswith("deployment-1-"))
    template = metadata["labels"]["pod-template-hash"]
    owner = metadata["ownerReferences"][0]["name"]
    assert owner == f"deployment-1-{template}"
    assert name.startswith(f"{owner}-")
    assert metadata["labels"]["app"] == "deployment-1"
    assert any(n.startswith("cronjob-1-29788920-") for n in found)  # numbers tell the schedule
    assert "statefulset-1-0" in found
    ids = re.findall(r'UUID="([^"]+)"', hidden.pages[0].body.decode())
    assert all(re.fullmatch(r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", i) for i in ids)


def test_order_by_name_stays() -> None:
    names = [f"gpu-{n}" for n in (2, 10, 1)]
    nodes = [registers_plain(name) for name in names]
    hidden = anonymise(Capture(objects=tuple(nodes)), key=KEY)

    given_names = [raw.body["metadata"]["name"] for raw in hidden.objects]
    assert given_names == ["node-2", "node-3", "node-1"]


def registers_plain(name: str) -> RawObject:
    body = raw_object("Node", name, "", {"nvidia.com/gpu.present": "true"}, {})
    return RawObject(body=body, where="")


def test_without_a_key_two_captures_cannot_be_compared() -> None:
    capture = read_capture(CAPTURES / "lone-page")

    assert anonymise(capture).pages != anonymise(capture).pages
    assert anonymise(capture, key=KEY).pages == anonymise(capture, key=KEY).pages
