"""Which page an exporter or a server serves."""

from __future__ import annotations

from gpuatlas.demo.state import EndpointState, World, service_subject
from gpuatlas.demo.tallies import Tallies
from gpuatlas.demo.wire.dcgm import dcgm_page
from gpuatlas.demo.wire.hami_pages import monitor_page, scheduler_page
from gpuatlas.demo.wire.node_exporter import node_exporter_page
from gpuatlas.demo.wire.service_pages import service_page


def page_text(world: World, endpoint: EndpointState, tallies: Tallies | None = None) -> str:
    """The exposition text of one endpoint.

    The counters of services are in `tallies`; without them such a page has gauges only.
    """
    if endpoint.kind == "dcgm":
        return dcgm_page(world.node(endpoint.subject), world.at)
    if endpoint.kind == "hami-monitor":
        return monitor_page(world.node(endpoint.subject))
    if endpoint.kind == "node-exporter":
        return node_exporter_page(world.node(endpoint.subject), world)
    if endpoint.kind == "service":
        return _service(world, endpoint, tallies)
    release = next(hami for hami in world.scenario.hami if hami.release == endpoint.subject)
    return scheduler_page(world, release)


def _service(world: World, endpoint: EndpointState, tallies: Tallies | None) -> str:
    for pod in world.pods:
        if pod.holds and service_subject(pod.workload, pod.ordinal) == endpoint.subject:
            return service_page(world, pod, tallies)
    return ""
