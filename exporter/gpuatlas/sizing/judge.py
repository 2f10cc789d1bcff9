"""What is said of each container: from its history to proposals (DESIGN 7). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gpuatlas.model.sizing import History, Proposal, Reservation
from gpuatlas.model.snapshot import Sharing
from gpuatlas.sizing.cards import judge_number, judge_whole
from gpuatlas.sizing.compute import judge_compute
from gpuatlas.sizing.instances import judge_instance
from gpuatlas.sizing.memory import judge_memory
from gpuatlas.sizing.runs import merge_runs
from gpuatlas.sizing.unsized import judge_unsized

_UNSIZED: Final = frozenset({Sharing.TIME_SLICING, Sharing.MPS})
# A claim for a device is for all of it unless less is promised; drivers and claims round.
_WHOLE: Final = 0.98


def size(histories: Iterable[History]) -> tuple[Proposal, ...]:
    """What is said of all containers; the runs of a group are one."""
    return tuple(said for history in merge_runs(histories) for said in judge(history))


def judge(history: History) -> tuple[Proposal, ...]:
    """What is said of one container, one proposal for each resource at most.

    Of shares of cards and of MIG instances: memory and compute, and the number of instances where
    it has several and it is known which were used. Of whole cards: their number; with a MIG profile
    as target it is a number of instances instead, and where a share of a card would do, the memory
    is spoken of as well.
    """
    reserved = history.reservation
    if reserved.profile or reserved.sharing is Sharing.MIG:
        number = judge_number(history)
        return (*judge_instance(history), *((number,) if number is not None else ()))
    if reserved.sharing is Sharing.PLAIN or _is_claim_of_all(reserved):
        return judge_whole(history)
    if reserved.sharing in _UNSIZED:
        return judge_unsized(history)
    return judge_memory(history), judge_compute(history)


def _is_claim_of_all(reserved: Reservation) -> bool:
    if reserved.sharing is not Sharing.DRA:
        return False
    if reserved.memory is None or reserved.card_memory is None:
        return True
    return reserved.memory >= _WHOLE * reserved.card_memory
