"""Nothing raises, nothing unbounded comes out."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.model.pages import Sample
from gpuatlas.sources.dcgm.fields import DCGM_NAMES, FIELDS
from gpuatlas.sources.dcgm.parse import REASONS, read_cluster, read_page

BOUNDS = {field.name: field.bound for field in FIELDS}
TEXT = st.text(max_size=4) | st.sampled_from(["GPU-1", "GPU-2", "0", "7", "gpu-a", "x"])
LABEL_NAMES = [
    "UUID", "uuid", "gpu", "modelName", "GPU_I_ID", "GPU_I_PROFILE", "Hostname", "hostname", "node",
    "instance", "pod", "namespace", "container", "exported_pod", "exported_namespace", "pod_name",
    "pod_namespace", "vgpu", "DCGM_FI_DRIVER_VERSION",
]  # fmt: skip
VALUES = st.floats() | st.sampled_from([0.0, 1.0, 50.0, 1e6, 4294967295.0, 2.0**47, 2.0**63])
SAMPLES = st.lists(
    st.builds(
        Sample,
        st.sampled_from([*sorted(DCGM_NAMES), "other"]),
        st.dictionaries(st.sampled_from(LABEL_NAMES), TEXT, max_size=8),
        VALUES,
    ),
    max_size=20,
)


def bounded(fields: dict[str, float]) -> bool:
    return all(
        math.isfinite(value) and BOUNDS[name].low <= value <= BOUNDS[name].high
        for name, value in fields.items()
    )


@settings(max_examples=150, deadline=None)
@given(SAMPLES)
def test_a_page_of_anything(samples: list[Sample]) -> None:
    page = read_page(samples, target="exporter", node="", at=1.0)
    assert {one.reason for one in page.rejections} <= REASONS
    assert sum(one.count for one in page.rejections) <= len(samples)
    for card in page.cards.values():
        assert bounded(dict(card.fields))
        assert all(bounded(dict(instance.fields)) for instance in card.instances)
        assert all(bounded(dict(own)) for own in (card.tenant_fields or {}).values())
        assert set(card.tenant_fields or ()) <= {
            tenant._replace(container=container)
            for tenant in card.tenants
            for container in ("", tenant.container)
        }


@settings(max_examples=100, deadline=None)
@given(SAMPLES)
def test_no_card_is_on_two_pages_of_a_node(samples: list[Sample]) -> None:
    """Of two nodes that name one card the join says whose it is."""
    pages = read_cluster(samples, target="prom", at=1.0)
    cards = [(page.node, card) for page in pages for card in page.cards]
    assert len(cards) == len(set(cards))


@settings(max_examples=60, deadline=None)
@given(SAMPLES, st.randoms(use_true_random=False))
def test_the_order_of_the_series_changes_no_value(samples: list[Sample], random: object) -> None:
    shuffled = list(samples)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = (
        read_page(every, target="exporter", node="", at=1.0) for every in (samples, shuffled)
    )
    assert {c: (v.fields, v.tenants, v.tenant_fields) for c, v in one.cards.items()} == {
        c: (v.fields, v.tenants, v.tenant_fields) for c, v in other.cards.items()
    }
