"""Reads the hardware part of a scenario file: models of cards, HAMi installations and nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpuatlas.demo.fields import Fields
from gpuatlas.demo.installed import HamiRelease
from gpuatlas.demo.scenario import (
    CardModel,
    NodeSpec,
    Sharing,
    TemperatureLimits,
)

MOST_CARDS: Final = 16  # of one node: no machine on sale has more
MOST_MIB: Final = 1_000_000


def read_cards(fields: Fields, file: str) -> dict[str, CardModel]:
    """The models of cards by the name that the file gives them."""
    return {
        str(key): _card(str(key), Fields(value, f"cards.{key}", file))
        for key, value in fields.entries("cards").items()
    }


def _card(key: str, fields: Fields) -> CardModel:
    vendor = fields.choice("vendor", ("nvidia", "ascend"), "nvidia")
    model, memory = fields.text("model"), fields.integer("memory_mib", low=1, high=MOST_MIB)
    card = (
        _nvidia(fields, key, model, memory)
        if vendor == "nvidia"
        else CardModel(
            key=key,
            vendor=vendor,
            model=model,
            memory_mib=memory,
            cores=fields.integer("cores", low=1, high=1000),
            templates=fields.sizes("templates", high=memory),
        )
    )
    fields.finish()
    return card


def _nvidia(fields: Fields, key: str, model: str, memory: int) -> CardModel:
    return CardModel(
        key=key,
        vendor="nvidia",
        model=model,
        memory_mib=memory,
        family=fields.text("family"),
        compute_capability=fields.text("compute_capability"),
        reserved_mib=fields.integer("reserved_mib", low=0, high=memory // 2),
        power_watts=fields.integer("power_watts", low=1, high=3000),
        idle_watts=fields.integer("idle_watts", low=1, high=1000),
        sm_clock_mhz=fields.integer("sm_clock_mhz", low=100, high=5000),
        memory_clock_mhz=fields.integer("memory_clock_mhz", low=100, high=20000),
        pcie_generation=fields.integer("pcie_generation", low=1, high=7),
        hbm=fields.flag("hbm"),
        sleeps=fields.flag("sleeps"),
        margin=fields.flag("margin"),
        limits=_limits(fields.section("limits")) if fields.has("limits") else None,
        mig=fields.sizes("mig", high=memory),
    )


def _limits(fields: Fields) -> TemperatureLimits:
    names = ("max_operating", "slowdown", "shutdown", "memory_max")
    limits = TemperatureLimits(**{name: fields.integer(name, low=40, high=130) for name in names})
    fields.finish()
    return limits


def read_release(fields: Fields) -> HamiRelease:
    """One installation of HAMi."""
    release = HamiRelease(
        release=fields.text("release"),
        namespace=fields.text("namespace"),
        version=fields.text("version"),
    )
    if not all(part.isdigit() for part in release.version.removeprefix("v").split(".")):
        fields.refuse("version", f"must be a version such as v2.9.0, not '{release.version}'")
    fields.finish()
    return release


def read_node(
    fields: Fields, cards: Mapping[str, CardModel], releases: Mapping[str, HamiRelease]
) -> NodeSpec:
    """One node; its card and its HAMi release must be known."""
    card = cards[fields.choice("card", cards.keys())]
    sharing = _sharing(fields)
    hami = fields.section("hami") if sharing is Sharing.HAMI else None
    node = NodeSpec(
        name=fields.text("name"),
        pool=fields.text("pool"),
        machine=fields.text("machine"),
        card=card,
        count=fields.integer("count", low=1, high=MOST_CARDS),
        driver=fields.text("driver"),
        cuda=fields.text("cuda") if card.vendor == "nvidia" else "",
        dcgm_exporter=fields.choice("dcgm_exporter", ("4.8.2", "4.8.3"))
        if fields.has("dcgm_exporter")
        else "",
        sharing=sharing,
        hami=releases[hami.choice("release", releases.keys())] if hami else None,
        host_mib=fields.integer("host_gib", low=1, high=65_536, default=768) * 1024,
        memory_scaling=hami.number("memory_scaling", low=0.1, high=10, default=1) if hami else 1.0,
        slots=_slots(fields, sharing, hami),
        mig=_instances(fields, card) if fields.has("mig") else {},
    )
    if hami:
        hami.finish()
    fields.finish()
    return node


def _sharing(fields: Fields) -> Sharing:
    written = [
        sharing
        for field, sharing in (
            ("hami", Sharing.HAMI),
            ("mig", Sharing.MIG),
            ("time_slicing", Sharing.TIME_SLICING),
            ("volcano", Sharing.VOLCANO),
        )
        if fields.has(field)
    ]
    # Switches: these two know nothing that a node could be told.
    written += [way for way in (Sharing.KAI, Sharing.DRA) if fields.flag(way.value)]
    if set(written) == {Sharing.MIG, Sharing.DRA}:
        return Sharing.DRA  # it hands out the instances too
    if len(written) > 1:
        ways = "hami, mig, time_slicing, volcano, kai and dra"
        fields.refuse("", f"a node is shared in one way: keep one of {ways}, or mig with dra")
    return written[0] if written else Sharing.PLAIN


def _slots(fields: Fields, sharing: Sharing, hami: Fields | None) -> int:
    if hami:
        return hami.integer("slots", low=1, high=100, default=10)
    if sharing is Sharing.VOLCANO:
        volcano = fields.section("volcano")
        slots = volcano.integer("slots", low=1, high=100, default=10)
        volcano.finish()
        return slots
    if sharing is not Sharing.TIME_SLICING:
        return 1
    slicing = fields.section("time_slicing")
    replicas = slicing.integer("replicas", low=2, high=100)
    slicing.finish()
    return replicas


def _instances(fields: Fields, card: CardModel) -> dict[int, tuple[str, ...]]:
    layout: dict[int, tuple[str, ...]] = {}
    for index, profiles in fields.entries("mig").items():
        field = f"mig.{index}"
        if not isinstance(index, int) or not isinstance(profiles, list):
            fields.refuse(field, "must be a card's number and a list of profiles")
        for profile in profiles:
            if profile not in card.mig:
                known = ", ".join(card.mig) or "none"
                fields.refuse(field, f"'{profile}' is no MIG profile of {card.key}; known: {known}")
        layout[index] = tuple(profiles)
    return layout
