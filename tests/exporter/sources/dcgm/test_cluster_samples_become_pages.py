"""Samples of many exporters, as a Prometheus has them, and cards that are there twice."""

from __future__ import annotations

from gpuatlas.model.pages import DcgmPage, Sample
from gpuatlas.sources.dcgm.parse import read_cluster, read_page
from gpuatlas.sources.dcgm.repeats import without_repeats


def sample(card: str, value: float = 1.0, *, field: str = "DEV_FB_USED", **labels: str) -> Sample:
    return Sample(f"DCGM_FI_{field}", {"UUID": card, **labels}, value)


def read(*samples: Sample) -> list[tuple[str, str, list[str]]]:
    pages = read_cluster(samples, target="prom", at=9.0)
    assert all(page.at == 9.0 for page in pages)
    return [(page.target, page.node, list(page.cards)) for page in pages]


def test_one_page_for_each_host_in_either_spelling() -> None:
    assert read(
        sample("GPU-1", Hostname="gpu-a"),
        sample("GPU-2", hostname="gpu-b"),
        sample("GPU-3", Hostname="gpu-a"),
    ) == [("gpu-a by prom", "", ["GPU-1", "GPU-3"]), ("gpu-b by prom", "", ["GPU-2"])]


def test_hosts_of_one_name_are_told_apart_by_instance() -> None:
    # Exporters in containers without the host's name (dcgm-exporter issue 572).
    assert read(
        sample("GPU-1", Hostname="localhost", instance="10.0.0.1:9400"),
        sample("GPU-2", Hostname="localhost", instance="10.0.0.2:9400"),
    ) == [("localhost by prom", "", ["GPU-1"]), ("localhost by prom", "", ["GPU-2"])]


def test_the_label_node_names_the_node() -> None:
    assert read(
        sample("GPU-1", instance="10.0.0.1:9400", node="gpu-a"),
        sample("GPU-2", node="gpu-b"),
        sample("GPU-3", instance="10.0.0.3:9400"),
        sample("GPU-4"),
    ) == [
        ("gpu-a by prom", "gpu-a", ["GPU-1"]),
        ("gpu-b by prom", "gpu-b", ["GPU-2"]),
        ("10.0.0.3:9400 by prom", "", ["GPU-3"]),
        ("unnamed exporter by prom", "", ["GPU-4"]),
    ]


def test_a_pod_label_cannot_move_a_card_to_another_node() -> None:
    assert read(
        sample("GPU-1", Hostname="gpu-a", instance="i", node="gpu-b"),
        sample("GPU-2", Hostname="gpu-a", instance="i"),
    ) == [("gpu-a by prom", "", ["GPU-1", "GPU-2"])]


def test_a_card_scraped_twice_is_on_one_page_only() -> None:
    pages = read_cluster(
        [
            sample("GPU-1", 10.0, Hostname="gpu-a", instance="poor"),
            sample("GPU-1", 12.0, Hostname="gpu-a", instance="rich"),
            sample("GPU-1", 5.0, field="DEV_FB_FREE", Hostname="gpu-a", instance="rich"),
            sample("GPU-2", 7.0, Hostname="gpu-a", instance="poor"),
        ],
        target="prom",
        at=9.0,
    )
    assert [{c.card: dict(c.fields) for c in page.cards.values()} for page in pages] == [
        {"GPU-2": {"DEV_FB_USED": 7.0}},
        {"GPU-1": {"DEV_FB_USED": 12.0, "DEV_FB_FREE": 5.0}},
    ]


def page(name: str, at: float, *samples: Sample) -> DcgmPage:
    return read_page(samples, target=name, node="", at=at)


def test_of_equal_pages_the_newer_stands_and_the_order_stays() -> None:
    old, new = page("old", 1.0, sample("GPU-1")), page("new", 2.0, sample("GPU-1"))
    other = page("other", 1.0, sample("GPU-2"))
    assert without_repeats([other, old, new]) == (other, new)
    assert without_repeats([new, old, other]) == (new, other)


def test_pages_without_cards_stay() -> None:
    empty = page("empty", 1.0)
    assert without_repeats([empty]) == (empty,)


def test_a_page_of_which_every_card_is_better_told_elsewhere_is_dropped() -> None:
    poor = page("poor", 5.0, sample("GPU-1"))
    rich = page("rich", 1.0, sample("GPU-1"), sample("GPU-1", field="DEV_FB_FREE"))
    assert without_repeats([poor, rich]) == (rich,)


def test_no_samples_no_pages() -> None:
    assert read() == []
