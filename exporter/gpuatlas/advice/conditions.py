"""The conditions of the rules that more than one row uses or that need a name. Pure."""

from __future__ import annotations

from gpuatlas.advice.facts import PoolFacts, covers
from gpuatlas.advice.work import Work
from gpuatlas.model.snapshot import Sharing


def serving(f: PoolFacts) -> bool:
    """Some pod serves."""
    return bool(f.doing(Work.SERVING))


def purpose_known(f: PoolFacts) -> bool:
    """What the pods do is known of enough of them."""
    return covers(len(f.tenants) - len(f.doing(Work.UNKNOWN)), len(f.tenants))


def needs_known(f: PoolFacts) -> bool:
    """The memory that a pod needs is known of enough of them."""
    return covers(len(f.needs), len(f.single))


def pair_fits(f: PoolFacts) -> bool:
    """The two smallest pods fit on one card."""
    return f.pair is not None and f.physical is not None and f.pair <= f.physical


def no_pair_fits(f: PoolFacts) -> bool:
    """They do not."""
    return f.pair is not None and f.physical is not None and f.pair > f.physical


def mostly_busy(f: PoolFacts) -> bool:
    """At least half of the held cards are too busy to share."""
    return bool(f.works) and 2 * f.busy >= len(f.works)


def one_program(f: PoolFacts) -> bool:
    """All pods are of one workload that serves nobody."""
    return f.workloads == 1 and not serving(f)


def couples_teams(f: PoolFacts) -> bool:
    """A fault would reach another team, or another service."""
    return f.namespaces > 1 or (serving(f) and f.workloads > 1)


def mig_can(f: PoolFacts) -> bool:
    """The model is known to have MIG."""
    return f.mig is not None and f.mig.instances > 0


def mig_is_new(f: PoolFacts) -> bool:
    """No card is divided by MIG yet."""
    return Sharing.MIG not in f.in_use


def computes_known(f: PoolFacts) -> bool:
    """The compute that a pod uses is known of enough of them."""
    return covers(len(f.computes), len(f.single))


def too_many(f: PoolFacts) -> bool:
    """One card has more tenants than it would have instances."""
    return bool(f.profile) and f.fullest > f.instances_of(f.profile)


def busy_alone(f: PoolFacts) -> bool:
    """At least half of the held cards are kept busy by one pod each."""
    return f.busy_alone > 0 and 2 * f.busy_alone >= len(f.works)


def none_divides(f: PoolFacts) -> bool:
    """MIG can divide the cards, whose size is known, and nobody could take an instance."""
    known = needs_known(f) and bool(f.needs) and f.physical is not None
    return mig_can(f) and known and not f.dividing


def size_unknown(f: PoolFacts) -> bool:
    """Pods could take instances, and none of a known size is enough for all of them."""
    return mig_can(f) and needs_known(f) and bool(f.dividing) and not f.profile
