from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from gpuatlas.families.catalogue import ADVICE_FAMILIES, SOURCE_FAMILIES
from gpuatlas.families.exposition import Format, write_families
from gpuatlas.families.page import PageCache
from gpuatlas.model.advice import PoolAdvice, Reason, Strategy, StrategyAdvice, Verdict
from gpuatlas.model.checks import (
    CheckReport,
    CheckResult,
    Finding,
    InputState,
    MissingInput,
    NodeLayer,
)
from gpuatlas.model.contention import ContentionCounts, Grade, SlowedBy
from gpuatlas.model.layer import (
    CertificateProbe,
    LayerConfig,
    LayerController,
    LayerObjects,
    LayerWebhook,
    Licence,
    NodeSettings,
    SchedulerLease,
    ServiceEndpoints,
)
from gpuatlas.model.sizing import SizingReport
from gpuatlas.model.snapshot import (
    Allocation,
    CardState,
    Evidence,
    EvidenceConflict,
    IdleClaim,
    NodeSnapshot,
    PartitionKind,
    Sharing,
    Snapshot,
)
from gpuatlas.model.status import SourceStatus
from gpuatlas.model.units import MIB
from gpuatlas_harness import build
from gpuatlas_harness.sizing_page import a_sizing_report

H100 = "GPU-00000000-0000-4000-8000-0000000000b0"
H100_TWIN = "GPU-00000000-0000-4000-8000-0000000000b1"


@pytest.fixture
def golden_folder() -> Path:
    return Path(__file__).parent / "golden"


@pytest.fixture
def snapshot() -> Snapshot:
    """Two nodes: an overcommitted A10G under HAMi, and two H100 of which one has MIG."""
    team = build.a_namespace()
    lone = build.a_workload_id(namespace="research", api_group="", kind="Pod", name="probe-x7k2p")
    research = build.a_namespace(
        name="research",
        workloads=(
            build.a_workload(
                id=lone,
                runtime="",
                scheduler="default",
                queue="",
                queue_kind="",
                gang="",
                pods={"Pending": 1},
                cards_requested={"nvidia.com/mig-1g.10gb": 1, "nvidia.com/gpu": 2},
                waiting={},
                gang_min_members=None,
                memory_ahead=None,
                revisions=(),
                restarts=0,
                run_group="probe",
            ),
        ),
        pods=(
            build.a_pod_workload(namespace="research", pod="probe-x7k2p", node="", workload=lone),
        ),
    )
    return build.a_snapshot([_h100_node(), _a10g_node()], [research, team])


def _a10g_node() -> NodeSnapshot:
    promises = {"chat-0": 12_000, "chat-1": 8_000, "chat-2": 6_000, "chat-3": 3_000}
    return build.a_node(
        allocations=tuple(
            build.an_allocation(
                pod=pod,
                memory_reserved=build.known(size * MIB),
                memory_resident=build.UNMEASURED,
                compute_reserved=build.known(0.25),
                priority=build.known(int(pod == "chat-3")),
                memory_limit=build.known(size * MIB if pod != "chat-3" else 0),
                isolated=(("memory", pod != "chat-3"),),
            )
            for pod, size in promises.items()
        )
    )


def _h100_node() -> NodeSnapshot:
    instances = tuple(
        build.a_partition(
            id=f"MIG-00000000-0000-4000-8000-0000000000c{number}",
            kind=PartitionKind.MIG,
            profile="1g.10gb",
            memory_physical=memory,
        )
        for number, memory in enumerate((build.known(9_856 * MIB), build.UNMEASURED))
    )
    mig = build.a_card(
        node="gpu-b",
        id=H100,
        model="NVIDIA H100 80GB HBM3",
        sharing=Sharing.MIG,
        memory=build.a_memory(
            physical=build.known(81_559 * MIB, "DCGM_FI_DEV_FB_TOTAL"),
            schedulable=build.UNMEASURED,
            allocated=build.known(9_856 * MIB),
            overcommitted=build.known(0),
            resident=build.known(0, "DCGM_FI_DEV_FB_USED"),
            counted=build.UNMEASURED,
            offloaded=build.UNMEASURED,
        ),
        compute_allocated=build.known(1 / 7),
        compute_utilization=build.known(0.0, "DCGM_FI_PROF_GR_ENGINE_ACTIVE"),
        tenants=build.known(1),
        tenants_limit=build.known(7),
        state=CardState.IDLE,
        partitions=instances,
    )
    unread = build.an_unread_card(
        node="gpu-b",
        id=H100_TWIN,
        index="1",
        model="NVIDIA H100 80GB HBM3",
        sharing=Sharing.PLAIN,
        idle_claims=(IdleClaim("research", "spare"),),
    )
    return build.a_node(
        name="gpu-b",
        pool="",
        platform="",
        cuda_version="",
        sharing="mig,plain",
        sharing_ready=build.UNMEASURED,
        card_count=build.known(2),
        cards=(mig, unread),
        allocations=(_mig_allocation(instances[0].id), _unplaced_allocation()),
        mig_instances={"1g.10gb": 2},
    )


def _mig_allocation(partition: str) -> Allocation:
    return build.an_allocation(
        node="gpu-b",
        card=H100,
        pod="tuner",
        container="main",
        partition=partition,
        evidence=Evidence.POD_STATUS,
        conflicts=(EvidenceConflict(H100_TWIN, Evidence.DCGM),),
        memory_reserved=build.known(9_856 * MIB),
        memory_resident=build.known(0),
        memory_counted=build.UNMEASURED,
        compute_reserved=build.UNMEASURED,
        compute_utilization=build.known(0.0),
        priority=build.UNMEASURED,
        idle_seconds=build.UNMEASURED,
        memory_limit=build.UNMEASURED,
        isolated=(("memory", True), ("compute", True)),
    )


def _unplaced_allocation() -> Allocation:
    return build.an_unplaced_allocation(node="gpu-b", pod="batch", container="main")


@pytest.fixture
def statuses() -> tuple[SourceStatus, ...]:
    """A source with all series, one that never succeeded, and one with nothing to read here."""
    return (
        build.a_source(),
        build.a_source(
            source="hami-monitor",
            up=False,
            last_success_at=None,
            read_seconds=10.0,
            targets={"down": 1},
            rejected={},
        ),
        build.a_source(
            source="hami-scheduler",
            up=None,
            last_success_at=None,
            read_seconds=None,
            targets={},
            rejected={"not-json": 1},
        ),
    )


@pytest.fixture
def advice() -> tuple[PoolAdvice, ...]:
    """A pool with two verdicts, and one of which nothing can be said."""
    return (
        _a_pool("inference", "NVIDIA A10G", ("suits", "limits-memory"), ("unsafe", "crash")),
        _a_pool("", "", ("no-advice", "no-card-named"), ("no-advice", "no-card-named")),
    )


def _a_pool(pool: str, model: str, *said: tuple[str, str]) -> PoolAdvice:
    strategies = (Strategy.MEMORY_LIMITED, Strategy.MPS)
    return PoolAdvice(
        pool=pool,
        platform="eks",
        model=model,
        nodes=("gpu-a",),
        cards=1,
        cards_measured=1,
        tenants=1,
        namespaces=("team-a",),
        in_use=("hami",),
        strategies=tuple(
            StrategyAdvice(
                strategy=strategy,
                verdict=Verdict(verdict),
                reasons=(Reason(Verdict(verdict), word, "a text", "a source"),),
            )
            for strategy, (verdict, word) in zip(strategies, said, strict=True)
        ),
    )


@pytest.fixture
def report() -> CheckReport:
    """A check with findings, one that lacks something and one that does not apply."""
    held = Finding(
        check="S13",
        signal="lock",
        object="Node/gpu-a",
        node="gpu-a",
        source="node annotation hami.io/mutex.lock",
        record="2026-09-21T13:33:20Z,team-a,chat-0",
    )
    stuck = Finding(
        check="S13",
        signal="allocating",
        object="StatefulSet/team-a/chat",
        node="gpu-a",
        card="GPU-00000000-0000-4000-8000-00000000000a",
        namespace="team-a",
        pod="chat-0",
        source="pod annotation hami.io/bind-phase",
        record="allocating",
        count=3,
    )
    lack = MissingInput(
        check="S14", input="hami-scheduler page", reason="HTTP 500 from 10.0.0.7:9395"
    )
    blind = MissingInput(check="S14", input="annotation", node="gpu-b", reason="not JSON")
    return CheckReport(
        at=build.NOW,
        results=(
            CheckResult(
                check="S13",
                state=InputState.OK,
                findings=(held, stuck),
                nodes=(("gpu-a", InputState.OK),),
            ),
            CheckResult(
                check="S14",
                state=InputState.MISSING,
                missing=(lack, blind),
                nodes=(("gpu-a", InputState.OK), ("gpu-b", InputState.MISSING)),
            ),
            CheckResult(check="S17", state=InputState.NOT_APPLICABLE),
        ),
        nodes=(
            NodeLayer(
                node="gpu-a",
                layers=("hami",),
                monitor_up=True,
                plugin_ready=False,
                missing_labels=("gpu=on",),
                registered_cards=1,
                driver_cards=2,
                heartbeat_at=build.NOW - 30,
                lock_at=build.NOW - 600,
                lock_owner="team-a/chat-0",
            ),
            NodeLayer(node="gpu-b", layers=("volcano",), lock_at=build.NOW - 10),
        ),
    )


@pytest.fixture
def layer() -> LayerObjects:
    """HAMi with its webhook, and two licences of which one has an end."""
    return LayerObjects(
        read_at=build.NOW,
        controllers=(_controller("DaemonSet", "hami-device-plugin", "device-plugin"),),
        webhooks=(
            _webhook("vgpu.hami.io", ("kube-system", "hami-scheduler")),
            _webhook("outside", None),
        ),
        endpoints=(
            ServiceEndpoints(
                namespace="kube-system", service="hami-scheduler", port=443, ready=1, total=3
            ),
        ),
        leases=(
            SchedulerLease(
                namespace="kube-system",
                name="hami-scheduler",
                holder="hami-scheduler-6c5d_0f1e",
                renewed_at=build.NOW - 2,
                duration_seconds=15.0,
            ),
            SchedulerLease(
                namespace="kube-system",
                name="never-renewed",
                holder="",
                renewed_at=None,
                duration_seconds=None,
            ),
        ),
        configs=(_config("device-config.yaml", 100), _config("config.json", 50)),
        probes=(_probe("10.0.0.1:443", 500), _probe("10.0.0.2:443", 400), _probe("10.0.0.3:443")),
        licences=(_licence("team", build.NOW + 86_400), _licence("endless", None)),
    )


def _controller(kind: str, component: str, container: str) -> LayerController:
    return LayerController(
        kind=kind,
        namespace="kube-system",
        name=component,
        component=component,
        version="2.9.0",
        node_selector={"gpu": "on"},
        images={"sidecar": "registry.example/sidecar:1", container: "projecthami/hami:v2.9.0"},
        desired=3,
        ready=2,
        updated=1,
        settled=True,
    )


def _webhook(name: str, service: tuple[str, str] | None) -> LayerWebhook:
    return LayerWebhook(
        configuration="hami-webhook",
        webhook=name,
        service=service,
        url="" if service else "https://hami.example/webhook",
        port=443,
        path="/webhook",
        failure_policy="Ignore",
        ca_bundle=b"",
        ca_not_after=build.NOW + 1_000 if service else None,
        ca_error="" if service else "empty",
        admits_pods=True,
    )


def _config(key: str, before: float) -> LayerConfig:
    return LayerConfig(
        namespace="kube-system",
        name="hami-scheduler-device",
        key=key,
        component="hami-scheduler",
        defaults=NodeSettings(name=""),
        changed_at=build.NOW - before,
    )


def _probe(address: str, ends_in: float | None = None) -> CertificateProbe:
    """One that was answered, or that was not where there is no end."""
    return CertificateProbe(
        configuration="hami-webhook",
        webhook="vgpu.hami.io",
        address=address,
        at=build.NOW,
        reached=ends_in is not None,
        verified=None if ends_in is None else True,
        not_after=None if ends_in is None else build.NOW + ends_in,
    )


def _licence(name: str, not_after: float | None) -> Licence:
    return Licence(
        name=name,
        source="ConfigMap/layer-system/licence",
        present=True,
        not_after=not_after,
        record="notAfter: …",
    )


@pytest.fixture
def sizing() -> SizingReport:
    return a_sizing_report()


@pytest.fixture
def contention() -> ContentionCounts:
    """Two cards, a victim with two suspects, one whose cause nobody knows, one never slowed."""
    chat, train = build.a_workload_id(), build.a_workload_id(kind="Job", api_group="batch")
    other = build.a_workload_id(namespace="research", kind="Deployment", name="batch")
    slowed = {
        SlowedBy(victim=chat, suspect=other, grade=Grade.SATURATED): 600.0,
        SlowedBy(victim=chat, suspect=other, grade=Grade.SUSPECT): 120.5,
        SlowedBy(victim=chat, suspect=train, grade=Grade.SUPPORTED): 60.0,
        SlowedBy(victim=train, suspect=None, grade=Grade.NONE): 30.0,
        SlowedBy(victim=other, suspect=None, grade=Grade.NONE): 0.0,
    }
    card = "GPU-00000000-0000-4000-8000-00000000000a"
    return ContentionCounts(
        cards={("gpu-a", card, "0"): 720.5, ("gpu-b", H100, "0"): 0.0}, slowed=slowed
    )


@dataclass(frozen=True, slots=True)
class Told:
    """Everything that a page shows."""

    snapshot: Snapshot
    report: CheckReport
    layer: LayerObjects
    sizing: SizingReport
    contention: ContentionCounts
    advice: tuple[PoolAdvice, ...]
    statuses: tuple[SourceStatus, ...]

    def page(self, form: Format) -> str:
        judged = write_families(ADVICE_FAMILIES, self.advice, form)
        tail = judged + write_families(SOURCE_FAMILIES, self.statuses, form) + form.end
        cache = PageCache()
        page = cache.with_checks(cache.update(self.snapshot), self.report, self.layer)
        page = cache.with_sizing(page, self.sizing)
        page = cache.with_contention(page, self.contention)
        return b"".join(page.body(form, tail=tail).chunks).decode()


@pytest.fixture
def told(
    snapshot: Snapshot,
    report: CheckReport,
    layer: LayerObjects,
    sizing: SizingReport,
    contention: ContentionCounts,
    advice: tuple[PoolAdvice, ...],
    statuses: tuple[SourceStatus, ...],
) -> Told:
    return Told(snapshot, report, layer, sizing, contention, advice, statuses)


@pytest.fixture
def text_page(told: Told) -> str:
    return told.page(Format.TEXT)


@pytest.fixture
def openmetrics_page(told: Told) -> str:
    return told.page(Format.OPENMETRICS)
