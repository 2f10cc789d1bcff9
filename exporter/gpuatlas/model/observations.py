"""Everything that the sources know at one instant: the only input of the join."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuatlas.model.claims import Claim, ResourceSlice
from gpuatlas.model.layer import LayerObjects
from gpuatlas.model.objects import Node, OwnerLink, Pod
from gpuatlas.model.pages import DcgmPage, MonitorPage, SchedulerPage
from gpuatlas.model.placement import PlacementObjects


@dataclass(frozen=True, slots=True, kw_only=True)
class Observations:
    """Inputs of one snapshot. Mappings are never changed after they were handed over.

    `nodes` is keyed by name, all other objects by uid. `silent` says per source and node why
    there is no page: ("dcgm", "gpu-a") → "HTTP 500 from 10.0.0.7:9400"; the node "" stands for the
    source as a whole.
    """

    now: float
    nodes: Mapping[str, Node]
    pods: Mapping[str, Pod]
    owners: Mapping[str, OwnerLink] = field(default_factory=dict)
    dcgm: tuple[DcgmPage, ...] = ()
    monitors: tuple[MonitorPage, ...] = ()
    schedulers: tuple[SchedulerPage, ...] = ()
    slices: Mapping[str, ResourceSlice] = field(default_factory=dict)
    claims: Mapping[str, Claim] = field(default_factory=dict)
    placement: PlacementObjects = field(default_factory=PlacementObjects)
    layer: LayerObjects = field(default_factory=LayerObjects)
    silent: Mapping[tuple[str, str], str] = field(default_factory=dict)
