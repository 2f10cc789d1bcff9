"""Puts one card together from the series that name it.

One value may stand in many series: repeated on each MIG instance, copied for each pod that shares
the card, and under an old and a new name. Here it is decided which of them is the card's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from gpuatlas.model.pages import CardReading, InstanceReading, Tenant
from gpuatlas.model.units import clean_text
from gpuatlas.sources.dcgm.fields import FIELD_OF_METRIC, Field
from gpuatlas.sources.dcgm.labels import host_of
from gpuatlas.sources.exposition import ReasonTally

CONFLICTING_VALUES: Final = "conflicting-values"

# Real values per pod, beside one series without a pod for the whole card (facts/dcgm.md 2.4). Of
# every other field the pods' series are copies of the whole card's value.
_PER_POD: Final = frozenset({"DEV_GPU_UTIL", "DEV_FB_USED"})


class Series(NamedTuple):
    """One value of one field of a card. `instance` and `tenant` may be absent."""

    metric: str
    instance: str
    tenant: Tenant | None
    value: float


@dataclass(slots=True)
class CardDraft:
    """What a page said of one card so far. `first` has the labels that describe the card."""

    card: str
    first: Mapping[str, str]
    series: dict[str, list[Series]] = field(default_factory=dict)
    tenants: set[Tenant] = field(default_factory=set)
    profiles: dict[str, str] = field(default_factory=dict)  # instance → profile
    instance_tenants: dict[str, set[Tenant]] = field(default_factory=dict)

    def see(self, labels: Mapping[str, str], instance: str, tenant: Tenant | None) -> None:
        """Note whom a series speaks of; `instance` is "" for the whole card."""
        holders = self.tenants
        if instance:
            self.profiles.setdefault(instance, clean_text(labels.get("GPU_I_PROFILE", "")))
            holders = self.instance_tenants.setdefault(instance, set())
        if tenant is not None:
            holders.add(tenant)

    def add(self, name: str, series: Series) -> None:
        """Keep one value of the field `name`."""
        self.series.setdefault(name, []).append(series)


def assemble(draft: CardDraft, refused: ReasonTally) -> CardReading:
    """The card; what its series contradict each other in is counted in `refused` and left out."""
    whole: dict[str, float] = {}
    of_instance: dict[str, dict[str, float]] = {instance: {} for instance in draft.profiles}
    of_tenant: dict[Tenant, dict[str, float]] = {}
    for name, every in draft.series.items():
        if len(every) == 1 and not every[0].instance:
            # An unshared card: nothing to decide, and nearly all that there is.
            whole[name] = every[0].value
            continue
        spelled, series = _preferred(every)
        settle = _Settler(draft.card, name, refused)
        value = settle.whole(spelled, series)
        if value is not None:
            whole[name] = value
        if spelled.of_instance:
            for instance, value in settle.instances(series):
                of_instance[instance][name] = value
        for tenant, value in settle.tenants(series):
            of_tenant.setdefault(tenant, {})[name] = value
    return _reading(draft, whole, of_instance, of_tenant)


def _preferred(every: Sequence[Series]) -> tuple[Field, list[Series]]:
    """The series under the most preferred of the field's names that the page has."""
    spelled = FIELD_OF_METRIC[every[0].metric]
    present = {series.metric for series in every}
    metric = next(spelling for spelling in spelled.spellings if spelling in present)
    return spelled, [series for series in every if series.metric == metric]


@dataclass(frozen=True, slots=True)
class _Settler:
    """Decides between several series of one field of one card."""

    card: str
    name: str
    refused: ReasonTally

    def whole(self, spelled: Field, series: Sequence[Series]) -> float | None:
        direct = [one for one in series if not one.instance]
        if direct:
            return self._one(direct)
        # Under MIG each instance's series is a reading of its own of the one sensor of the card;
        # they may be moments apart. The largest stands.
        return None if spelled.of_instance else max(one.value for one in series)

    def instances(self, series: Sequence[Series]) -> Iterator[tuple[str, float]]:
        groups: dict[str, list[Series]] = {}
        for one in series:
            if one.instance:
                groups.setdefault(one.instance, []).append(one)
        for instance, group in groups.items():
            value = self._one(group)
            if value is not None:
                yield instance, value

    def tenants(self, series: Sequence[Series]) -> Iterator[tuple[Tenant, float]]:
        direct = [one for one in series if not one.instance]
        if self.name not in _PER_POD or all(one.tenant for one in direct):
            return
        for tenant, group in _by_pod(direct).items():
            value = self._one(group)
            if value is not None:
                yield tenant, value

    def _one(self, series: Sequence[Series]) -> float | None:
        """The value that all agree on; a series without a tenant speaks for all with one."""
        without = [one for one in series if one.tenant is None]
        values = {one.value for one in without or series}
        if len(values) == 1:
            return values.pop()
        # Neither is the card's value for certain: their sum would count twice, the larger may be
        # another pod's share or an older scrape's.
        message = f"{self.card} has {len(values)} values of {self.name}; check for a second scrape"
        self.refused.add(CONFLICTING_VALUES, message)
        return None


def _by_pod(series: Iterable[Series]) -> dict[Tenant, list[Series]]:
    """The series of each pod; the tenant has no container where the pod has several on the card.

    The exporter repeats the pod's value for each of its containers (facts/dcgm.md 3).
    """
    pods: dict[tuple[str, str], list[Series]] = {}
    for one in series:
        if one.tenant is not None:
            pods.setdefault((one.tenant.namespace, one.tenant.pod), []).append(one)
    return {
        Tenant(*pod, _only({one.tenant.container for one in group if one.tenant})): group
        for pod, group in pods.items()
    }


def _only(names: set[str]) -> str:
    return names.pop() if len(names) == 1 else ""


def _reading(
    draft: CardDraft,
    whole: Mapping[str, float],
    of_instance: Mapping[str, Mapping[str, float]],
    of_tenant: Mapping[Tenant, Mapping[str, float]],
) -> CardReading:
    first = draft.first
    driver = first.get("DCGM_FI_DRIVER_VERSION") or first.get("DCGM_FI_SYSTEM_DRIVER_VERSION", "")
    return CardReading(
        card=draft.card,
        index=clean_text(first.get("gpu", "")),
        model=clean_text(first.get("modelName", "")),
        pci_bus_id=clean_text(first.get("pci_bus_id", "")),
        driver_version=clean_text(driver),
        host=clean_text(host_of(first)),
        fields=whole,
        instances=tuple(
            InstanceReading(
                instance=instance,
                profile=draft.profiles[instance],
                fields=of_instance[instance],
                tenants=frozenset(draft.instance_tenants.get(instance, ())),
            )
            for instance in sorted(draft.profiles, key=int)
        ),
        tenants=frozenset(draft.tenants),
        tenant_fields=of_tenant or None,
    )
