"""Text of `docs/metrics.md`, made of the metric tables so that it cannot differ from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from gpuatlas.families import (
    advice,
    allocation,
    card,
    checks,
    contention,
    layer,
    node,
    partition,
    sizing,
    source,
    workload,
)
from gpuatlas.families.spec import Family, Kind, Stability

# Heading, what the entity is, its table; in the order of the catalogue.
SECTIONS: Final[tuple[tuple[str, str, tuple[Family[Any], ...]], ...]] = (
    ("Node", "A Kubernetes node that has accelerator cards.", node.FAMILIES),
    (
        "Card",
        "One physical accelerator (GPU, NPU, MLU, DCU …). `card` is the vendor's UUID, `index` the "
        "number that the node gives it.",
        card.FAMILIES,
    ),
    (
        "Partition",
        "What a card is divided into. `kind` is `whole`, `mig`, `vgpu` (HAMi, Volcano), `slice` "
        "(time slicing), `mps`, `fraction` (KAI) or `dra`.",
        partition.FAMILIES,
    ),
    (
        "Allocation",
        "What one container has been promised on one card. `evidence` says how the card is known: "
        "`annotation`, `claim`, `pod-status`, `reservation`, `agent`, `dcgm`, `only-card`, or "
        '`unknown` with `card=""`.',
        allocation.FAMILIES,
    ),
    (
        "Workload",
        "The top-level object that owns the pods (Deployment, Job, …), or a job that a queue holds "
        "back before it has pods. `workload_kind` is the kind alone for Kubernetes' own kinds and "
        "the well-known others; of any other API group it carries that group as kubectl writes it, "
        "so that a Volcano Job is `Job.batch.volcano.sh` and never shares series with the Job of "
        "the same name. The group by itself is `api_group` of `gpuatlas_workload_info`.",
        workload.FAMILIES,
    ),
    (
        "Check",
        "What the seventeen checks of the sharing layer (`S01` to `S17`) see at this instant, and "
        "the facts of nodes that they go by. `signal` is the check's own word for what it saw, "
        "`object` names what has to be mended as Kind/namespace/name, `source` where `record` "
        "stands. The alerts say how long it must last. A check that could not look is `missing`, "
        "never ok by silence.",
        checks.FAMILIES,
    ),
    (
        "Layer",
        "The sharing layer's own objects: what runs HAMi, Volcano vGPU or KAI, what admits pods "
        "for it and how it is configured. They are found by the label "
        "`app.kubernetes.io/component`, never by name. Any tenant can set that label: 64 "
        "controllers are shown, first those of the namespaces that webhooks lead to, then of the "
        "other namespaces in turn. What is left out counts in "
        "`gpuatlas_source_rejected_samples_total` with the reason `too-many`.",
        layer.FAMILIES,
    ),
    (
        "Sizing",
        "What each container needs by what it used over days, and how far the memory of a node can "
        "be promised: `gpuatlas serve` looks at the recordings of the Prometheus of "
        "`--prometheus-url` now and then (`--sizing-interval`), and without one nothing of this is "
        "there. `resource` is `memory`, `compute` or `cards`; `verdict` is `fits`, `smaller`, "
        "`larger` or `cannot`, and then `reason` says why: `not-measured`, `memory-taken-ahead`, "
        "`short-window`, `coverage`, `replicas`, `rollout` or `not-promised`. Values are of one "
        "container on one card, unless they say that they are of all. Runs with generated names "
        "stand under what their names share, with a `*` behind it. `gpuatlas sizing` says the "
        "reasons in full.",
        sizing.FAMILIES,
    ),
    (
        "Contention",
        "Who was slowed on a shared card and who is suspected of it, judged each minute from what "
        "the cards, the sharing layer and the inference servers themselves say "
        "(`--service-signals`). `grade` says how well a suspicion is supported; none says that the "
        "suspect is the cause. The counters start over with the process; those of several shards "
        "count the same workload on other nodes.",
        contention.FAMILIES,
    ),
    (
        "Advice",
        "Which way of sharing suits the cards of one model in a node pool, judged by what runs "
        "there at this instant: an instant is not a week. `strategy` is `whole`, `mig`, "
        "`memory-limited` (HAMi, Volcano vGPU, KAI with its isolator), `mps` or `time-slicing`; "
        "`verdict` is `suits`, `possible`, `unsafe`, `impossible` or `no-advice`. "
        "`gpuatlas advise` says the reasons in full.",
        advice.FAMILIES,
    ),
    (
        "Source",
        "What GPU Atlas reads: the Kubernetes API, the sharing layer, DCGM. One failing source "
        "never fails a scrape: its series go away and `gpuatlas_source_up` is 0.",
        source.FAMILIES,
    ),
)

INTRODUCTION: Final = """\
# Metrics

<!-- Generated by `python -m gpuatlas.families docs/metrics.md`. Change the tables in
     exporter/gpuatlas/families/ and run it again; do not edit this file. -->

Everything that the exporter tells of cards and workloads.

**Units** are base units and stand at the end of the name: `_bytes`, `_seconds`, and `_ratio` where
1 is the whole card. Counters end in `_total`. A metric that ends in `_info` is always 1 and carries
facts in its labels, to be joined with the others.

**Absent is not zero.** A value that nobody measured has no series: no driver metrics, no
`gpuatlas_card_memory_resident_bytes`. A 0 was measured. A label that does not apply is the empty
string. No value is NaN or infinite.

**State sets**: `gpuatlas_card_state` has one series for each state that a card can be in (`free`,
`working`, `idle`, `unknown`, `slowed`, `failed`); exactly one of them is 1. A card of which nobody
tells anything is `unknown`, never `free` or `working`.

**Labels** are spelt as kube-state-metrics spells them (`node`, `namespace`, `pod`, `container`).
Scrape with `honorLabels: true`; otherwise Prometheus renames `namespace`, `pod` and `container` to
`exported_…`.

Metrics marked *experimental* may still change their name or labels; the others change only with a
major release.
"""

# Served by prometheus-client (runtime/selfmetrics.py, whose test compares the names).
ITSELF_ROWS: Final[tuple[tuple[str, str, str, str], ...]] = (
    (
        "gpuatlas_build_info",
        "gauge (info)",
        "`version`, `revision`, `python_version`",
        "What is running.",
    ),
    (
        "gpuatlas_shards",
        "gauge",
        "`shard`",
        "Exporters that share the cluster, as the one with this number (from 0) was told.",
    ),
    ("gpuatlas_refresh_total", "counter", "", "Snapshots that were built and published."),
    (
        "gpuatlas_refresh_failures_total",
        "counter",
        "",
        "Rounds that an unexpected error ended; the page before stayed up.",
    ),
    (
        "gpuatlas_refresh_duration_seconds",
        "gauge",
        "",
        "Seconds that the last snapshot took to join and render.",
    ),
    (
        "gpuatlas_refresh_last_success_timestamp_seconds",
        "gauge",
        "",
        "When the page that is served was made, in seconds since 1970.",
    ),
)

EXAMPLES: Final = """\
## Examples

These are for one exporter. Of several replicas each says the same: take `max` over them first, or
ask the recordings (`recording_rules/`), which have each once.

Cards that are promised beyond their memory, most overcommitted first:

```promql
sort_desc(gpuatlas_card_memory_overcommitted_bytes > 0)
```

How far each card is promised, joined with what card it is:

```promql
gpuatlas_card_memory_allocated_bytes / gpuatlas_card_memory_physical_bytes
* on (cluster, node, card, index) group_left (model, sharing) gpuatlas_card_info
```

Cards in each state:

```promql
sum by (cluster, state) (gpuatlas_card_state)
```

Memory promised to each workload:

```promql
sum by (cluster, namespace, workload_kind, workload) (
  sum by (cluster, namespace, pod) (gpuatlas_allocation_memory_reserved_bytes)
  * on (cluster, namespace, pod) group_left (workload_kind, workload)
  gpuatlas_pod_workload_info
)
```

Memory reserved for containers that have run no kernel for an hour:

```promql
gpuatlas_allocation_memory_reserved_bytes and gpuatlas_allocation_idle_seconds > 3600
```
"""


def metrics_document() -> str:
    """The whole document, the same on every run."""
    sections = (_section(title, text, families) for title, text, families in SECTIONS)
    return "\n".join((INTRODUCTION, *sections, _itself(), EXAMPLES))


def _section(title: str, text: str, families: Iterable[Family[Any]]) -> str:
    return _table(title, text, map(_row, families))


def _itself() -> str:
    text = "Beside these stand prometheus-client's usual `process_*` and `python_*`."
    rows = (f"| `{name}` | {' | '.join(rest)} |" for name, *rest in ITSELF_ROWS)
    return _table("The exporter itself", text, rows)


def _table(title: str, text: str, rows: Iterable[str]) -> str:
    lines = [f"## {title}", "", text, "", "| name | type | labels | meaning |", "|---|---|---|---|"]
    return "\n".join((*lines, *rows, ""))


def _row(family: Family[Any]) -> str:
    kind = "gauge (info)" if family.kind is Kind.INFO else str(family.kind)
    labels = ", ".join(f"`{label}`" for label in family.labels)
    mark = "*Experimental.* " if family.stability is Stability.EXPERIMENTAL else ""
    return f"| `{family.name}` | {kind} | {labels} | {mark}{family.help} |"
