from __future__ import annotations

import pytest

from gpuatlas.model.vendors import VENDORS, vendor_of_count
from gpuatlas.sources.hami.families import FAMILIES, Derivation, Family
from gpuatlas.sources.hami.keys import (
    has_core_mask,
    has_placeholder_memory,
    promised_family,
    registered_family,
)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.word)
class TestEachRow:
    def test_the_vendor_is_known(self, family: Family) -> None:
        assert family.vendor in VENDORS

    def test_its_cards_come_from_somewhere(self, family: Family) -> None:
        assert family.register or family.derivation

    def test_its_promises_have_a_key(self, family: Family) -> None:
        assert family.allocated

    def test_a_handshake_belongs_to_a_registration(self, family: Family) -> None:
        assert family.register or not family.handshake

    def test_its_requests_are_named(self, family: Family) -> None:
        assert family.requests


@pytest.mark.parametrize(
    "derivation", [f.derivation for f in FAMILIES if f.derivation], ids=lambda d: d.resource
)
def test_made_up_cards_have_a_node_and_an_index(derivation: Derivation) -> None:
    assert derivation.card.startswith("{node}-")
    assert derivation.card.endswith("-{index}")


def test_no_two_rows_share_a_key() -> None:
    keys = [
        key
        for family in FAMILIES
        for key in (family.register, family.allocated)
        if key and "{word}" not in key
    ]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("key", "vendor", "word"),
    [
        ("hami.io/node-nvidia-register", "nvidia", "NVIDIA"),
        ("hami.io/node-register-Ascend910B3", "ascend", "Ascend910B3"),
        ("hami.io/node-register-Ascend910B4-1", "ascend", "Ascend910B4-1"),
        ("hami.io/node-register-xpu", "kunlunxin", "XPU"),
        ("hami.io/node-BI-V150-register", "iluvatar", "BI-V150"),
        ("hami.io/node-dcu-register", "hygon", "DCU"),
    ],
)
def test_register_keys_name_their_family(key: str, vendor: str, word: str) -> None:
    found = registered_family(key)
    assert found is not None
    assert (found.family.vendor, found.word) == (vendor, word)


@pytest.mark.parametrize(
    "key",
    ["hami.io/node-handshake", "hami.io/node-nvidia-score", "hami.io/node-register-Acme", "a"],
)
def test_other_keys_name_none(key: str) -> None:
    assert registered_family(key) is None


@pytest.mark.parametrize(
    ("key", "vendor", "word"),
    [
        ("hami.io/vgpu-devices-allocated", "nvidia", "NVIDIA"),
        ("hami.io/Ascend310P-devices-allocated", "ascend", "Ascend310P"),
        ("hami.io/MR-V50-devices-allocated", "iluvatar", "MR-V50"),
        ("hami.io/iluvatar-vgpu-devices-allocated", "iluvatar", "Iluvatar"),
        ("hami.io/kunlun-allocated", "kunlunxin", "kunlun"),
        ("hami.io/Biren-devices-allocated", "biren", "Biren"),
        ("volcano.sh/vgpu-ids-new", "nvidia", "volcano"),
    ],
)
def test_allocated_keys_name_their_family(key: str, vendor: str, word: str) -> None:
    found = promised_family(key)
    assert found is not None
    assert (found.family.vendor, found.word) == (vendor, word)


@pytest.mark.parametrize(
    ("card", "placeholder"),
    [
        ("n-metax-0", True),
        ("n-kunlun-11", True),
        ("n-GCU-0", True),
        ("n-AWSNeuron-0", True),
        ("n-AMDGPU-0", True),
        ("n-enflame-0", True),
        ("n-enflame-drs-0", False),
        ("n-cambricon-mlu-0", False),
        ("n-mthreads-0", False),
        ("n-iluvatar-0", False),
        ("GPU-a0000000-0000-4000-8000-000000000001", False),
        ("-metax-0", False),
        ("n-metax-0-x", False),
    ],
)
def test_cards_whose_memory_is_hamis_constant_are_told_by_their_id(
    card: str, *, placeholder: bool
) -> None:
    assert has_placeholder_memory(card) is placeholder


def test_only_neuron_devices_count_cores_in_bits() -> None:
    assert has_core_mask("n-AWSNeuron-0")
    assert not has_core_mask("n-metax-0")


def test_whole_cards_that_are_made_up_are_counted_by_a_resource_of_their_vendor() -> None:
    whole = [f for f in FAMILIES if f.derivation and f.derivation.units_per_card == 1]
    for family in whole:
        assert family.derivation is not None
        vendor = vendor_of_count(family.derivation.resource)
        # enflame.com/gcu-count is the one helper resource that no pod asks for.
        assert vendor is None or vendor.name == family.vendor
