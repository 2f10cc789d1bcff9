"""Each check from its fault to the notification and back: all parts but the hardware are real.

The simulated cluster answers as an API server and exporters do; `gpuatlas serve`, Prometheus with
our rules and Alertmanager with our example configuration run as processes. Time is compressed by
dividing the rules' durations (`compressed`); what they compare stays.

Faults that do not touch each other are there together, in waves, since nearly all of the time is
spent in waiting. A wave's alerts are told apart by check, node and card.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from gpuatlas.demo.server import SimulatedCluster
from gpuatlas.demo.state import World
from gpuatlas_harness.alertmanager import AlertmanagerServer, Notification, Receiver, delivered_to
from gpuatlas_harness.binaries import required, system_binary
from gpuatlas_harness.check_faults import CHECK_FAULTS, CheckFault
from gpuatlas_harness.compressed import compressed_rules
from gpuatlas_harness.exporting import ServeProcess
from gpuatlas_harness.polling import poll
from gpuatlas_harness.prometheus import PrometheusServer, scrape_config

ROOT: Final = Path(__file__).resolve().parents[3]
RULES: Final = (
    *sorted((ROOT / "recording_rules").glob("*.yaml")),
    *(ROOT / "alerts" / f"{name}.yaml" for name in ("hardware", "sharing", "operations", "meta")),
)
# A minute passes in a second, and Prometheus scrapes as often as it would in a minute. Much faster,
# and a machine that is busy with other tests misses so many scrapes that alerts of them fire.
FASTER: Final = 60
SCRAPE_SECONDS: Final = 60 / FASTER
LICENCE: Final = "gpu-licence/licence/not-after"
# An hour of `for`, an hour of history, and the way through all parts: several times that.
DEADLINE_SECONDS: Final = 300.0
# A machine that is too busy for a moment misses scrapes, and alerts of that fire. It does not do so
# each time; what a fault trips, or a healthy cluster, it trips each time.
TRIES: Final = 3
# What would happen in an hour has to happen in a minute.
DENSER: Final = {"pcie-replays": {"per_minute": 60 * FASTER}}

Wave = tuple[str, ...]
# No two of a wave may change what the other is judged by, or silence it. Those that take long go
# together. Hardware comes first, one card each.
WAVES: Final[tuple[Wave, ...]] = (
    ("H01", "H02", "H03", "H09", "S02", "S03", "S05", "S13", "S14", "S17"),
    ("H05", "H06", "H07", "H08", "S01", "S04", "S08", "S09", "S15", "S16"),
    ("H04", "H10", "H11", "H12", "S06", "S07", "S11"),
    ("S10", "S12"),
)
# Of the second HAMi node, where the first has another fault of the wave.
ELSEWHERE: Final = ("S11", "S12")
_OF_A10G_2: Final = (
    "assistants/summarise", "assistants/translate", "lab/notebook-cy", "search/index-refresh",
)  # fmt: skip
# Check, node and card of an alert; the last two may be empty.
Place = tuple[str, str, str]


@dataclass(frozen=True)
class Course:
    """What became of a wave: by check what was told first, and what was told beside it."""

    told: Mapping[str, Notification]
    resolved: Collection[str]
    pods: Mapping[str, tuple[str, ...]]
    strays: AbstractSet[Place]
    # (check, signal) of alerts that fired before it or would not end.
    left: Collection[tuple[str, str]]


@dataclass(frozen=True)
class Installation:
    """The parts that a test talks to."""

    cluster: SimulatedCluster
    prometheus: PrometheusServer
    receiver: Receiver

    def alerts(self) -> set[tuple[str, str]]:
        """(check, signal) of every alert that fires."""
        firing = 'ALERTS{layer=~"hardware|sharing", alertstate="firing"} == 1'
        samples = self.prometheus.query(firing)
        return {(s.labels["check"], s.labels["signal"]) for s in samples}

    def told(self) -> set[Place]:
        """Of what somebody was told that it fires."""
        return {
            (told.check, told.labels.get("node", ""), told.labels.get("card", ""))
            for told in self.receiver.notifications()
            if told.status == "firing" and told.labels["layer"] in {"hardware", "sharing"}
        }

    def first(self, check: str, signal: str, status: str) -> Notification | None:
        """The first message of that kind, None so far."""
        for told in self.receiver.notifications():
            if (told.check, told.labels.get("signal"), told.status) == (check, signal, status):
                return told
        return None

    def enable(self, fault: CheckFault) -> None:
        spec = fault.spec
        options = {**spec.options, **DENSER.get(spec.name, {})}
        self.cluster.faults.enable(spec.name, node=spec.node, card=spec.card, **options)

    def disable(self, fault: CheckFault) -> None:
        spec = fault.spec
        self.cluster.faults.disable(spec.name, node=spec.node, card=spec.card)


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    required(lambda: system_binary("prometheus", package="prometheus"))
    required(lambda: system_binary("prometheus-alertmanager", package="prometheus-alertmanager"))
    folder = tmp_path_factory.mktemp("installation")
    rules = compressed_rules(RULES, folder, by=FASTER)
    with (
        SimulatedCluster(faults=()) as cluster,
        ServeProcess(
            folder,
            *("--kubeconfig", cluster.kubeconfig(folder / "kubeconfig")),
            *("--scrape-interval", "2", "--scrape-timeout", "2"),
            *("--licence", LICENCE),
        ) as exporter,
        Receiver() as receiver,
        AlertmanagerServer(
            delivered_to(receiver.url, wait="100ms", interval="500ms"), work_dir=folder
        ) as alertmanager,
        PrometheusServer(
            _scrapes(cluster, exporter),
            work_dir=folder,
            interval_seconds=SCRAPE_SECONDS,
            rule_files=rules,
            alertmanagers=[alertmanager.address],
        ) as prometheus,
    ):
        running = Installation(cluster, prometheus, receiver)
        prometheus.wait_for(
            f"count(check:gpuatlas_check_state:max == 1) == {len(CHECK_FAULTS)}",
            deadline_seconds=DEADLINE_SECONDS,
        )
        yield running


def _scrapes(cluster: SimulatedCluster, exporter: ServeProcess) -> list[dict[str, object]]:
    dcgm = [
        url.removeprefix("http://").removesuffix("/metrics")
        for (kind, _), url in cluster.exporter_urls.items()
        if kind == "dcgm"
    ]
    return [
        scrape_config("gpuatlas", [exporter.url.removeprefix("http://")], honor_labels=True),
        scrape_config("dcgm-exporter", dcgm, honor_labels=True),
    ]


@pytest.fixture(scope="module")
def courses() -> dict[Wave, Course]:
    """Those of the waves that have been."""
    return {}


def test_on_a_healthy_cluster_each_check_looks_and_none_fires(installation: Installation) -> None:
    """Half an hour long. Two nodes of the scenario have no monitor: four checks see it in part."""
    fired = _fired_in_half_an_hour(installation)
    for _ in range(TRIES - 1):
        fired = fired and fired & _fired_in_half_an_hour(installation)
    assert fired == set()

    states = installation.prometheus.query('check:gpuatlas_check_state:max{state="ok"} == 0')
    assert {s.labels["check"] for s in states} == {"S01", "S02", "S03", "S05"}


def _fired_in_half_an_hour(installation: Installation) -> set[str]:
    """The checks of which an alert was seen, or somebody was told."""
    _left(installation)
    installation.receiver.clear()
    fired = set()
    end = time.monotonic() + 1800 / FASTER
    while time.monotonic() < end:
        fired |= {check for check, _ in installation.alerts()}
        time.sleep(SCRAPE_SECONDS)
    return fired | {check for check, _, _ in installation.told()}


@pytest.mark.parametrize("check", sorted(CHECK_FAULTS))
def test_the_check_fires_on_its_fault_alone_and_clears(
    check: str, installation: Installation, courses: dict[Wave, Course]
) -> None:
    (wave,) = [wave for wave in WAVES if check in wave]
    if wave not in courses:
        courses[wave] = _course_of(wave, installation)
    course = courses[wave]

    assert check in course.told, f"of the wave fired {sorted(course.told)}"
    assert check in course.resolved, f"of the wave ended {sorted(course.resolved)}"
    assert (course.strays, course.left) == (set(), set())
    told = course.told[check]
    assert [pod for pod in course.pods[check] if pod not in told.annotations["pods"]] == []
    assert told.annotations["runbook_url"] == f"docs/runbooks/{check.lower()}.md"


def _course_of(wave: Wave, installation: Installation) -> Course:
    """Of several times the last one, where there were strays; of these, who came each time."""
    course = _course_once(_faults(wave), installation)
    for _ in range(TRIES - 1):
        if course.strays:
            again = _course_once(_faults(wave), installation)
            course = replace(again, strays=course.strays & again.strays)
    return course


def _course_once(faults: Mapping[str, CheckFault], installation: Installation) -> Course:
    """The faults are on until all have been told, then off until all has ended."""
    left = _left(installation)
    installation.receiver.clear()
    for fault in faults.values():
        installation.enable(fault)
    try:
        told = _wait_for(installation, faults, "firing")
        world = installation.cluster.world()
    finally:
        for fault in faults.values():
            installation.disable(fault)
    resolved = _wait_for(installation, faults, "resolved")
    left |= _left(installation)
    return Course(
        told=told,
        resolved=resolved.keys(),
        pods={check: fault.pods_of(world) for check, fault in faults.items()},
        strays={place for place in installation.told() if not _is_of(place, faults, world)},
        left=left,
    )


def _faults(wave: Wave) -> Mapping[str, CheckFault]:
    """The plainest fault of each check, but where it is chosen so that each has its own place."""
    faults = {check: CHECK_FAULTS[check][0] for check in wave}
    for card, check in enumerate(wave):
        if check.startswith("H"):
            # One workload has the four cards that begin the node.
            faults[check] = replace(faults[check], card=card)
        elif check in ELSEWHERE:
            faults[check] = replace(faults[check], node="a10g-2", pods=_OF_A10G_2)
    return faults


def _left(installation: Installation) -> set[tuple[str, str]]:
    """What still fires after long enough; nothing, as a rule."""
    try:
        poll(
            lambda: None if installation.alerts() else True,
            deadline_seconds=DEADLINE_SECONDS,
            waiting_for="all alerts to end",
        )
    except TimeoutError:
        return installation.alerts()
    return set()


def _wait_for(
    installation: Installation, faults: Mapping[str, CheckFault], status: str
) -> dict[str, Notification]:
    """The first message of each check that says so; a check that is late is left out."""

    def look() -> dict[str, Notification]:
        found = ((c, installation.first(c, fault.signal, status)) for c, fault in faults.items())
        return {check: told for check, told in found if told is not None}

    with suppress(TimeoutError):
        poll(
            lambda: True if look().keys() == faults.keys() else None,
            deadline_seconds=DEADLINE_SECONDS,
            waiting_for=f"{sorted(faults)} to be {status}",
        )
    return look()


def _is_of(place: Place, faults: Mapping[str, CheckFault], world: World) -> bool:
    """Whether an alert is of one of these faults: its check or a companion, and where it is."""
    check, node, card = place
    for known, fault in faults.items():
        cards = world.node(fault.node).cards if fault.node else ()
        here = {"", *(item.uuid for item in cards if fault.card in {None, item.index})}
        if check in {known, *fault.companions} and node in {"", fault.node} and card in here:
            return True
    return False
