from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from gpuatlas.demo.state import World
from gpuatlas.demo.wire.dcgm import dcgm_page
from gpuatlas.demo.wire.kubernetes import documents
from gpuatlas.demo.world import build_world
from gpuatlas_harness.wired import Objects, named


def test_the_node_registers_its_cards_in_volcanos_order(world: World, objects: Objects) -> None:
    first, second = (card.uuid for card in world.node("volcano-1").cards)
    annotations = named(objects, "nodes", "volcano-1")["metadata"]["annotations"]
    assert annotations["volcano.sh/node-vgpu-register"] == (
        f"{first},10,15360,NVIDIA-Tesla T4,true,hami-core:"
        f"{second},10,15360,NVIDIA-Tesla T4,true,hami-core:"
    )
    assert annotations["volcano.sh/node-vgpu-handshake"] == "Requesting_2026.01.01 00:00:00"


def test_memory_and_cores_are_resources_of_the_node(objects: Objects) -> None:
    capacity = named(objects, "nodes", "volcano-1")["status"]["capacity"]
    assert {key: value for key, value in capacity.items() if "/" in key} == {
        "volcano.sh/vgpu-number": "20",
        "volcano.sh/vgpu-memory": "30720",
        "volcano.sh/vgpu-cores": "200",
    }


def test_a_jobs_pods_ask_and_get_their_parts(world: World, objects: Objects) -> None:
    for index, card in enumerate(world.node("volcano-1").cards):
        pod = named(objects, "pods", f"ablation-worker-{index}")
        limits = pod["spec"]["containers"][0]["resources"]["limits"]
        assert {key: value for key, value in limits.items() if "/" in key} == {
            "volcano.sh/vgpu-number": "1",
            "volcano.sh/vgpu-memory": "8000",
            "volcano.sh/vgpu-cores": "60",
        }
        annotations = pod["metadata"]["annotations"]
        assert annotations["volcano.sh/vgpu-ids-new"] == f"{card.uuid},NVIDIA,8000,60:"
        assert annotations["volcano.sh/vgpu-node"] == pod["spec"]["nodeName"] == "volcano-1"
        assert annotations["volcano.sh/bind-phase"] == "success"
        assert annotations["volcano.sh/devices-to-allocate"] == ""
        assert pod["spec"]["schedulerName"] == "volcano"
        (owner,) = pod["metadata"]["ownerReferences"]
        assert (owner["apiVersion"], owner["kind"]) == ("batch.volcano.sh/v1alpha1", "Job")
        assert pod["metadata"]["labels"]["volcano.sh/job-name"] == "ablation"


def test_a_gang_is_one_group_with_its_minimum(objects: Objects) -> None:
    pod = named(objects, "pods", "ablation-worker-0")
    name = pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"]
    job = named(objects, "jobs.batch.volcano.sh", "ablation")
    assert name == f"ablation-{job['metadata']['uid']}"
    group = named(objects, "podgroups.scheduling.volcano.sh", name)
    assert group["spec"] == {
        "minMember": 2,
        "minTaskMember": {"worker": 2},
        "minResources": {
            "volcano.sh/vgpu-number": "2",
            "volcano.sh/vgpu-memory": "16000",
            "volcano.sh/vgpu-cores": "120",
        },
        "queue": "ablations",
    }
    assert group["status"]["phase"] == "Running"
    assert group["metadata"]["ownerReferences"][0]["uid"] == job["metadata"]["uid"]


def test_a_gang_that_does_not_fit_says_why(objects: Objects) -> None:
    waiting = [p for p in objects["pods"] if p["metadata"]["name"].startswith("ablation-wide-")]
    assert len(waiting) == 3
    (name,) = {p["metadata"]["annotations"]["scheduling.k8s.io/group-name"] for p in waiting}
    group = named(objects, "podgroups.scheduling.volcano.sh", name)
    assert group["spec"]["minMember"] == 3
    assert group["spec"]["minResources"]["volcano.sh/vgpu-memory"] == "36000"
    (condition,) = group["status"]["conditions"]
    assert (group["status"]["phase"], condition["type"], condition["reason"]) == (
        "Inqueue", "Unschedulable", "NotEnoughResources",
    )  # fmt: skip
    for pod in waiting:
        said = pod["status"]["conditions"][0]["message"]
        assert said == "0/13 nodes are unavailable: 13 Insufficient volcano.sh/vgpu-number."
        assert "volcano.sh/vgpu-ids-new" not in pod["metadata"]["annotations"]


def test_the_promise_is_there_before_the_plugin_has_answered(world: World) -> None:
    born = next(p.created_at for p in world.pods if p.name == "distil-worker-0")
    early = documents(build_world(world.scenario, seed=7, at=born + 2))
    annotations = named(dict(early), "pods", "distil-worker-0")["metadata"]["annotations"]
    assert annotations["volcano.sh/bind-phase"] == "allocating"
    promised = annotations["volcano.sh/vgpu-ids-new"]
    assert annotations["volcano.sh/devices-to-allocate"] == promised != ""


def test_the_queue_has_its_quota_below_the_root(objects: Objects) -> None:
    queue = named(objects, "queues.scheduling.volcano.sh", "ablations")
    assert queue["spec"]["parent"] == "root"
    assert queue["spec"]["capability"] == {"volcano.sh/vgpu-number": "12"}
    assert queue["status"]["state"] == "Open"


def test_dcgm_names_nobody(world: World) -> None:
    for family in text_string_to_metric_families(dcgm_page(world.node("volcano-1"), world.at)):
        for sample in family.samples:
            assert not {"pod", "namespace", "container"} & sample.labels.keys()
