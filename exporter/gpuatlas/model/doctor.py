"""What `gpuatlas doctor` reads of an installation. What it makes of it is `gpuatlas.doctor`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gpuatlas.model.checks import MissingInput
from gpuatlas.model.observations import Observations
from gpuatlas.model.snapshot import Snapshot
from gpuatlas.model.status import SourceStatus


class Purpose(StrEnum):
    """What something is read for."""

    CARDS = "cards"
    OWNERS = "owners"
    CLAIMS = "claims"
    PLACEMENT = "placement"
    LAYER = "layer"
    NAMED = "named"  # of the layer as well, by names that its controllers state
    PAGES = "pages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """One right that reading needs, and whether we have it.

    `namespace` is "" for all namespaces. `allowed` is None where the server did not say, and then
    `reason` has why. `required` rights are needed for any answer at all. `source` is the name in
    `gpuatlas_source_*` of what is read with it.
    """

    group: str
    resource: str
    verb: str
    purpose: Purpose
    source: str
    required: bool = False
    namespace: str = ""
    allowed: bool | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How the API server is reached.

    `error` says why it was not; nothing else of the cluster is then known. `user` is "" where the
    server does not say who we are, and then `user_error` has why. `in_pod`: with the service
    account of the pod that we are. `proxied`: pages come through its pod proxy.
    """

    address: str = ""
    version: str = ""
    user: str = ""
    user_error: str = ""
    in_pod: bool = False
    proxied: bool = True
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCluster:
    """What one look saw. `missing` are inputs of the hardware checks that no page has.

    `pages_from` is the address of the Prometheus that stood for the pages, "" for their own pods.
    `exporter_namespaces` are the only ones in which pods were taken for exporters, () for any.
    """

    observations: Observations
    snapshot: Snapshot
    statuses: tuple[SourceStatus, ...] = ()
    missing: tuple[MissingInput, ...] = ()
    pages_from: str = ""
    exporter_namespaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterFacts:
    """What was read of the cluster.

    `seen` is None where nodes or pods could not be read; `error` says why.
    """

    access: Access
    rights: tuple[Right, ...] = ()
    seen: SeenCluster | None = None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scraped:
    """One exporter of ours, by the labels of its scrape."""

    job: str
    instance: str
    namespace: str
    pod: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DcgmSeries:
    """DCGM's series in a Prometheus: how many cards' there are, how many of them name no node.

    `pods` are the pods that their labels name as tenants.
    """

    series: int = 0
    nodeless: int = 0
    pods: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedRule:
    """One rule of a Prometheus. `check` is the label of an alert, "" for a recording."""

    group: str
    name: str
    check: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSight:
    """What an exporter says of one of its sources."""

    source: str
    up: bool
    namespace: str
    pod: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PrometheusFacts:
    """What was read of a Prometheus.

    `error` says why it could not be asked; nothing else is then known. What one question brought no
    answer to is None, and `unread` has why by the name of its field. `version` is "" where it tells
    none. `gone` are jobs that had an exporter within a day. `renamed` maps a job to the labels that
    it renames. `holders` are the pods on cards: (namespace, pod). `recorded` are the names of our
    recordings that have series now. `alertmanagers` is their number. `blind` are the inputs that
    the rules miss: (check, input). `matchers` are the labels that all series must have. Where
    nothing of ours or DCGM's has them, `labelled` is which values of these labels there are, each
    combination once, "" for a label that is not there; else None.
    """

    address: str
    error: str = ""
    version: str = ""
    exporters: tuple[Scraped, ...] | None = None
    gone: tuple[str, ...] = ()
    renamed: Mapping[str, tuple[str, ...]] | None = None
    holders: frozenset[tuple[str, str]] | None = None
    dcgm: DcgmSeries | None = None
    rules: tuple[LoadedRule, ...] | None = None
    recorded: frozenset[str] | None = None
    history_days: int | None = None
    alertmanagers: int | None = None
    sources: tuple[SourceSight, ...] | None = None
    blind: tuple[tuple[str, str], ...] | None = None
    matchers: Mapping[str, str] = field(default_factory=dict)
    labelled: tuple[Mapping[str, str], ...] | None = None
    unread: Mapping[str, str] = field(default_factory=dict)
