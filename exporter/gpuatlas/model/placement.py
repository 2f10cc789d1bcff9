"""Queues, groups and decisions of the systems that place pods, cut to what the join needs.

Words for reasons ("KueueWaitingForQuota") are fixed: the sources map what the systems write to
them, so they are fit for label values. Texts are for people and hold at most 200 characters.
Source of the formats: facts/k8s.md 3 and 5.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuatlas.model.objects import Owner
from gpuatlas.model.rejections import Rejection


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Why something is not placed yet: a fixed word, and what the system said. Both "" if it is."""

    reason: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSet:
    """Equal pods of a queued workload. `limits`: extended resources of one pod, in own units."""

    name: str
    count: int
    minimum: int | None
    limits: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedWorkload:
    """A Kueue Workload that is not finished: one job's claim on a queue.

    `owner` is None for a group of plain pods. `cluster_queue` is "" until quota is reserved.
    `waiting_since` is Unix seconds: creation, or the last eviction.
    """

    uid: str
    namespace: str
    name: str
    owner: Owner | None
    queue: str
    cluster_queue: str
    pod_sets: tuple[PodSet, ...]
    waiting: Waiting
    waiting_since: float
    rejections: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A queue of any system.

    `kind` is "LocalQueue", "ClusterQueue", "VolcanoQueue" or "KaiQueue": two systems call theirs
    just Queue. `parent` is the ClusterQueue of a LocalQueue, the cohort of a ClusterQueue, the
    queue above of the others; "" for none. `namespace` is "" for cluster scope.
    """

    kind: str
    uid: str
    namespace: str
    name: str
    parent: str
    open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PodGroup:
    """Pods that one system treats together.

    `system` is "volcano", "kai", "coscheduling" or "native". `minimum` is how many must be placed
    together, None where the group is no gang by its policy; a group alone proves none.
    `top_owner` is the top-level object as KAI wrote it down.
    """

    system: str
    uid: str
    namespace: str
    name: str
    queue: str
    minimum: int | None
    waiting: Waiting
    top_owner: Owner | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GangTemplates:
    """A scheduling.k8s.io Workload: pod group or template → minimum, None without gang policy."""

    uid: str
    namespace: str
    name: str
    minimums: Mapping[str, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class BindRequest:
    """KAI's decision to bind a pod. `groups` are its card groups, `resource_type` as written."""

    uid: str
    namespace: str
    pod: str
    node: str
    phase: str
    resource_type: str
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementObjects:
    """All that is known of queues and groups, each mapping by uid. Missing kinds are empty."""

    workloads: Mapping[str, QueuedWorkload] = field(default_factory=dict)
    queues: Mapping[str, Queue] = field(default_factory=dict)
    groups: Mapping[str, PodGroup] = field(default_factory=dict)
    templates: Mapping[str, GangTemplates] = field(default_factory=dict)
    binds: Mapping[str, BindRequest] = field(default_factory=dict)
