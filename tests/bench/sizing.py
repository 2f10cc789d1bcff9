"""`make bench`: how right the sizing is, on histories whose truth is known, beside three others.

Histories of two weeks are made from a seed (`gpuatlas_harness.truth`), reduced as the recording
rules do, and judged. The others are KRR simple, VPA and Kruize's cost profile, as references of
their published rules; they are shown the same samples and always answer.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict

from gpuatlas.sizing.judge import size
from gpuatlas_harness.truth.references import REFERENCES
from gpuatlas_harness.truth.sizing_grades import Tally, count_ours, count_references
from gpuatlas_harness.truth.sizing_histories import labelled_histories

GIB = 1024**3
OURS = "GPU Atlas"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    started = time.monotonic()
    total: dict[str, Tally] = {name: Tally() for name in (OURS, *REFERENCES)}
    by_pattern: defaultdict[str, Tally] = defaultdict(Tally)
    judging = 0.0
    for labelled in labelled_histories(args.histories, args.seed):
        before = time.perf_counter()
        said = size([labelled.history])
        judging += time.perf_counter() - before
        for tally in (total[OURS], by_pattern[labelled.pattern]):
            count_ours(tally, labelled, said)
        count_references(total, labelled)
    print(f"{args.histories:,} histories of 14 days, seed {args.seed}")
    _print_methods(total)
    _print_patterns(by_pattern)
    _print_verdicts(total[OURS])
    print(
        f"\n{judging / args.histories * 1e3:.2f} ms to judge one; "
        f"{time.monotonic() - started:.0f} s in all"
    )
    return 0


_HEAD = (
    f"{'':18}{'new values':>11}{'below peak':>11}{'of 14 days':>11}{'of next 7':>11}"
    f"{'saved GiB':>11}{'safe found':>11}"
)


def _print_methods(total: dict[str, Tally]) -> None:
    print(_HEAD)
    for name, tally in total.items():
        print(_row(name, tally))
    print(
        "below peak: the true one of the days that it rests on; of next 7: smaller values only.\n"
        "saved: of all values, right or wrong; safe found: of shares that the rules let be sized."
    )


def _print_patterns(by_pattern: dict[str, Tally]) -> None:
    print(f"\n{OURS}, by pattern")
    for name, tally in by_pattern.items():
        print(_row(name, tally))


def _row(name: str, tally: Tally) -> str:
    found = f"{tally.found / tally.savable:.1%}" if tally.savable else "-"
    return (
        f"{name:18}{tally.answers:11,}{tally.below:11,}{tally.below_fortnight:11,}"
        f"{tally.below_next:11,}{tally.saved / GIB:11,.0f}{found:>11}"
    )


def _print_verdicts(ours: Tally) -> None:
    print("\nWhat was said of memory and cards")
    for word, number in ours.verdicts.most_common():
        print(f"  {word:20}{number / ours.histories:7.1%}")
    if ours.larger:
        print(f"  larger values that were enough at once: {ours.larger_enough / ours.larger:.1%}")


if __name__ == "__main__":
    sys.exit(main())
