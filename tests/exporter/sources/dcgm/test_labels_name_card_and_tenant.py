"""Which labels count, and that a tenant's own labels harm nobody else."""

from __future__ import annotations

from gpuatlas.model.pages import DcgmPage, Sample, Tenant
from gpuatlas.sources.dcgm.parse import read_page

CHAT = {"namespace": "red", "pod": "chat-0", "container": "server"}
EXPORTER = {
    "namespace": "gpu-operator",
    "pod": "nvidia-dcgm-exporter-x7k2p",
    "container": "nvidia-dcgm-exporter",
    "instance": "10.0.0.7:9400",
}


def read(*label_sets: dict[str, str]) -> DcgmPage:
    samples = [Sample("DCGM_FI_DEV_FB_USED", labels, 1.0) for labels in label_sets]
    return read_page(samples, target="exporter", node="", at=1.0)


def tenants(page: DcgmPage) -> dict[str, set[Tenant]]:
    return {card: set(reading.tenants) for card, reading in page.cards.items()}


def exported(labels: dict[str, str]) -> dict[str, str]:
    return {f"exported_{name}": value for name, value in labels.items()}


def test_plain_labels() -> None:
    page = read({"UUID": "GPU-1", **CHAT}, {"UUID": "GPU-2"})
    assert tenants(page) == {"GPU-1": {Tenant("red", "chat-0", "server")}, "GPU-2": set()}


def test_a_pod_without_a_namespace_is_no_tenant() -> None:
    assert tenants(read({"UUID": "GPU-1", "pod": "chat-0"})) == {"GPU-1": set()}


def test_exported_labels_win_and_the_plain_ones_are_the_exporters() -> None:
    page = read({"UUID": "GPU-1", **EXPORTER, **exported(CHAT)}, {"UUID": "GPU-2", **EXPORTER})
    assert tenants(page) == {"GPU-1": {Tenant("red", "chat-0", "server")}, "GPU-2": set()}


def test_old_labels_win_over_the_exporters_own() -> None:
    old = {"pod_namespace": "red", "pod_name": "chat-0", "container_name": "server"}
    page = read({"uuid": "GPU-1", **EXPORTER, **old}, {"uuid": "GPU-2", **EXPORTER})
    assert tenants(page) == {"GPU-1": {Tenant("red", "chat-0", "server")}, "GPU-2": set()}


def test_with_honor_labels_an_idle_card_is_not_held_by_the_exporter() -> None:
    page = read({"UUID": "GPU-1", **EXPORTER, **CHAT}, {"UUID": "GPU-2", **EXPORTER})
    assert tenants(page) == {"GPU-1": {Tenant("red", "chat-0", "server")}, "GPU-2": set()}


def test_a_pod_label_named_like_a_renamed_one_changes_no_other_pod() -> None:
    # `enable-pod-labels` writes the tenants' labels beside ours.
    page = read(
        {"UUID": "GPU-1", **CHAT},
        {
            "UUID": "GPU-2",
            "namespace": "blue",
            "pod": "evil-0",
            "container": "x",
            "exported_namespace": "red",
            "exported_pod": "victim-0",
            "uuid": "GPU-1",
            "pod_name": "victim-0",
            "pod_namespace": "red",
        },
    )
    assert tenants(page) == {
        "GPU-1": {Tenant("red", "chat-0", "server")},
        "GPU-2": {Tenant("blue", "evil-0", "x")},
    }


def test_names_of_one_field_do_not_double() -> None:
    samples = [
        Sample("DCGM_FI_DEV_FB_USED", {"UUID": "GPU-1"}, 1.0),
        Sample("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", {"UUID": "GPU-1"}, 8.0),
        Sample("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", {"UUID": "GPU-1"}, 4.0),
        Sample("DCGM_FI_PROF_SM_UTIL_RATIO", {"UUID": "GPU-1"}, 0.5),
    ]
    page = read_page(samples, target="exporter", node="", at=1.0)
    assert page.cards["GPU-1"].fields == {
        "DEV_FB_USED": 1.0,
        "DEV_CLOCKS_EVENT_REASONS": 4.0,
        "PROF_SM_ACTIVE": 0.5,
    }
    assert page.rejections == ()


def test_model_names_with_dashes_and_new_driver_label_are_kept_as_written() -> None:
    labels = {
        "UUID": "GPU-1",
        "gpu": "3",
        "modelName": "NVIDIA-A100-SXM4-40GB",
        "DCGM_FI_SYSTEM_DRIVER_VERSION": "580.105.08",
        "hostname": "gpu-a",
    }
    card = read(labels).cards["GPU-1"]
    assert (card.model, card.driver_version, card.index, card.host) == (
        "NVIDIA-A100-SXM4-40GB",
        "580.105.08",
        "3",
        "gpu-a",
    )


def test_text_of_labels_is_one_clean_line() -> None:
    card = read({"UUID": "GPU-1", "modelName": "A\n\x1b[31m" + "x" * 500}).cards["GPU-1"]
    assert card.model.isprintable()
    assert len(card.model) == 200


def test_with_cards_and_instances_listed_both_have_their_own_memory() -> None:
    samples = [
        Sample("DCGM_FI_DEV_FB_USED", {"UUID": "GPU-1"}, 700.0),
        Sample(
            "DCGM_FI_DEV_FB_USED",
            {"UUID": "GPU-1", "GPU_I_ID": "7", "GPU_I_PROFILE": "1g.10gb"},
            600.0,
        ),
        Sample("DCGM_FI_DEV_GPU_TEMP", {"UUID": "GPU-1"}, 50.0),
        Sample("DCGM_FI_DEV_GPU_TEMP", {"UUID": "GPU-1", "GPU_I_ID": "7"}, 51.0),
    ]
    card = read_page(samples, target="exporter", node="", at=1.0).cards["GPU-1"]
    assert card.fields == {"DEV_FB_USED": 700.0, "DEV_GPU_TEMP": 50.0}
    assert [(i.instance, i.profile, dict(i.fields)) for i in card.instances] == [
        ("7", "1g.10gb", {"DEV_FB_USED": 600.0})
    ]
