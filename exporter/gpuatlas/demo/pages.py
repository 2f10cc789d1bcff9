"""Which page an exporter serves."""

from __future__ import annotations

from gpuatlas.demo.state import EndpointState, World
from gpuatlas.demo.wire.dcgm import dcgm_page
from gpuatlas.demo.wire.hami_pages import monitor_page, scheduler_page


def page_text(world: World, endpoint: EndpointState) -> str:
    """The exposition text of one endpoint."""
    if endpoint.kind == "dcgm":
        return dcgm_page(world.node(endpoint.subject), world.at)
    if endpoint.kind == "hami-monitor":
        return monitor_page(world.node(endpoint.subject))
    release = next(hami for hami in world.scenario.hami if hami.release == endpoint.subject)
    return scheduler_page(world, release)
