"""What cannot be, whatever runs there: the rows of `Verdict.IMPOSSIBLE`. Pure."""

from __future__ import annotations

from typing import Final

from gpuatlas.advice.facts import MPS_CLIENTS
from gpuatlas.advice.rule import IMPOSSIBLE, MIG, MPS, SLICING, Rule
from gpuatlas.model.snapshot import Sharing

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        (MIG, MPS, SLICING),
        "not-nvidia",
        IMPOSSIBLE,
        lambda f: f.vendor not in {"nvidia", ""},
        "it is made for NVIDIA cards, and these are of {vendor}",
        "facts/k8s.md 1.0",
    ),
    Rule(
        (MIG,),
        "model-without-mig",
        IMPOSSIBLE,
        lambda f: f.mig is not None and f.mig.instances == 0,
        "{model} has no MIG",
        "facts/dcgm.md 5",
    ),
    Rule(
        (MIG,),
        "driver-too-old",
        IMPOSSIBLE,
        lambda f: bool(f.old_driver),
        "the driver {old_driver} is older than MIG on {model}",
        "facts/dcgm.md 5",
    ),
    Rule(
        (MPS,),
        "not-on-mig",
        IMPOSSIBLE,
        lambda f: Sharing.MIG in f.in_use,
        "the device plugin offers no MPS on MIG instances, and cards of this pool are divided by "
        "MIG",
        "facts/k8s.md 1.2",
    ),
    Rule(
        (MPS,),
        "too-many-clients",
        IMPOSSIBLE,
        lambda f: f.fullest > MPS_CLIENTS,
        "the fullest card has {fullest_pods}: more than MPS admits",
        "facts/k8s.md 1.3",
    ),
    Rule(
        (MPS, SLICING),
        "gke-one-share",
        IMPOSSIBLE,
        lambda f: f.platform == "gke" and f.several_cards > 0,
        "GKE refuses a container that asks for more than one share, as these would: "
        "{several_cards}",
        "facts/k8s.md 1.13",
    ),
)
