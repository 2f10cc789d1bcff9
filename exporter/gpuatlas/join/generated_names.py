"""Names of which a machine made up the end: how they are told, and what stands before it. Pure.

An end is only taken for made up where people hardly write one like it: "-x7k2p" is, "-llama" and
"-13b" are not.
"""

from __future__ import annotations

import re
from typing import Final

# Kubernetes appends five of these to a generateName: no vowels and none of 0, 1 and 3, so that no
# words come out (the alphabet of k8s.io/apimachinery/pkg/util/rand).
_RANDOM: Final = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{5}$")
_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
# From a short commit hash on; a letter and a digit at least, so that no number and no word is one.
_HEX: Final = r"(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,64}"
# 20260821, 20260821t101500z, 20260821-101500, 2026-08-21, 2026-08-21-10-15-00, 1787307072.
_TIME: Final = r"(?:[0-9]{8,20}|[0-9]{8}[-t][0-9]{4,6}|(?:19|20)[0-9]{2}(?:-[0-9]{2}){2,5})z?"
_MARKS: Final = re.compile(rf"(?:-(?:{_UUID}|{_HEX}|{_TIME}))+$")
# A letter in front where the first character must be one; Kubeflow's SDK writes it and 11 digits.
_ALL_MADE_UP: Final = re.compile(rf"[a-z]?(?:{_UUID}|{_HEX}|{_TIME})|[a-z][0-9a-f]{{11}}")
# The longest name that Kubernetes allows.
_LONGEST: Final = 253


def stem_of(name: str) -> str | None:
    """What is left of a name without its generated end; None where its end does not look generated.

    "" where all of it is made up. "train-llama-20260821-x7k2p" is "train-llama": the letters of
    Kubernetes come last and once, times, ids and hashes stand before them.
    """
    if len(name) > _LONGEST:
        return None
    chosen = _RANDOM.sub("", name)
    stem = _MARKS.sub("", chosen).rstrip("-.")
    if any(map(_ALL_MADE_UP.fullmatch, (chosen, stem))):
        return ""
    return stem if stem != name else None
