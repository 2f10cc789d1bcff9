"""Cards out of a Prometheus know their node by a host name; tenants choose the names of pods."""

from __future__ import annotations

from gpuatlas.join.snapshot import Joiner
from gpuatlas.model.objects import Pod
from gpuatlas.model.pages import DcgmPage
from gpuatlas_harness.observed import NOW, a_node, a_pod, a_reading, observations, uuid

HERE, THERE = "gpu-a.example.com", "gpu-b.example.com"
EXPORTER = "nvidia-dcgm-exporter-x7k2p"


def nodes_with_cards(host: str, *pods: Pod) -> list[str]:
    reading = a_reading(1, host=host, DEV_GPU_UTIL=0.0)
    page = DcgmPage(target="prometheus", node="", at=NOW, cards={uuid(1): reading})
    nodes = [a_node(HERE), a_node(THERE)]
    snapshot = Joiner().build(observations(nodes, pods, dcgm=(page,)))
    return [name for name, node in snapshot.nodes.items() if node.cards]


def an_exporter(node: str, namespace: str) -> Pod:
    return a_pod(EXPORTER, node, containers=(), namespace=namespace, uid=f"{namespace}-{node}")


def test_a_pod_named_like_a_node_does_not_take_its_cards() -> None:
    assert nodes_with_cards("gpu-a", a_pod("gpu-a", THERE)) == [HERE]
    named = {"app": "nvidia-dcgm-exporter"}
    assert nodes_with_cards("gpu-a", a_pod("gpu-a", THERE, labels=named)) == [HERE]


def test_a_pod_named_like_a_machine_outside_the_cluster_does_not_bring_its_cards_in() -> None:
    assert nodes_with_cards("lab-7", a_pod("lab-7", THERE)) == []


def test_the_name_of_an_exporter_pod_leads_to_its_node() -> None:
    assert nodes_with_cards(EXPORTER, an_exporter(HERE, "gpu-operator")) == [HERE]
    labelled = a_pod("status-x7k2p", HERE, labels={"app": "nvidia-dcgm-exporter"})
    assert nodes_with_cards("status-x7k2p", labelled) == [HERE]


def test_two_pods_of_one_name_on_two_nodes_name_neither() -> None:
    pods = an_exporter(HERE, "gpu-operator"), an_exporter(THERE, "team-a")
    assert nodes_with_cards(EXPORTER, *pods) == []
