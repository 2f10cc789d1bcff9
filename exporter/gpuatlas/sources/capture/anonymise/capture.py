"""A whole capture with its names replaced."""

from __future__ import annotations

import re
import secrets
from dataclasses import replace
from typing import Final

from gpuatlas.model.observations import Observations
from gpuatlas.sources.capture.anonymise.inventory import take_names
from gpuatlas.sources.capture.anonymise.layer import LayerWriter
from gpuatlas.sources.capture.anonymise.names import Names
from gpuatlas.sources.capture.anonymise.objects import ObjectWriter
from gpuatlas.sources.capture.anonymise.pages import PageWriter
from gpuatlas.sources.capture.anonymise.texts import Texts, pieces_of
from gpuatlas.sources.capture.contents import Capture, RawObject
from gpuatlas.sources.capture.layer import LAYER_KINDS
from gpuatlas.sources.capture.projection import project_capture
from gpuatlas.sources.capture.trimming import trim_capture

_STATUS: Final = re.compile(r"HTTP [0-9]{3}|\([0-9]{3}\)")


def anonymise(capture: Capture, *, key: bytes | None = None) -> Capture:
    """The capture, trimmed and with its names replaced.

    `key` (up to 64 bytes) decides the replacements of ids; None takes a random one, so that two
    captures cannot be compared and nothing can be guessed back.
    """
    trimmed = trim_capture(capture)
    observations = project_capture(trimmed, now=0.0).observations
    names = Names(secrets.token_bytes(32) if key is None else key)
    take_names(trimmed, observations, names)
    texts = Texts(names, _models(observations))
    objects, pages = _Writers(names, texts), PageWriter(names, texts)
    return Capture(
        clock=trimmed.clock,
        objects=tuple(map(objects.rewrite, trimmed.objects)),
        pages=tuple(
            replace(p, name=_file_name(p.name, names, texts), body=pages.rewrite(p.body))
            for p in trimmed.pages
        ),
        silences=tuple(
            replace(s, name=_file_name(s.name, names, texts), reason=_reason(s.reason))
            for s in trimmed.silences
        ),
        absent=trimmed.absent,
    )


class _Writers:
    """The writer for each object."""

    def __init__(self, names: Names, texts: Texts) -> None:
        self._others = ObjectWriter(names, texts)
        self._layers = LayerWriter(names, texts)

    def rewrite(self, raw: RawObject) -> RawObject:
        """The object."""
        of_layer = (raw.api_group, raw.kind) in LAYER_KINDS
        rewrite = self._layers.rewrite_object if of_layer else self._others.rewrite
        return replace(raw, body=rewrite(raw.body))


def _file_name(name: str, names: Names, texts: Texts) -> str:
    return "_".join(names.known(part) or texts.plain(part) for part in name.split("_"))


def _reason(text: str) -> str:
    """Reasons quote addresses and answers: only the status is kept."""
    match = _STATUS.search(text)
    return f"no page: {match[0]}" if match else "no page"


def _models(observations: Observations) -> frozenset[str]:
    """Pieces of card models as the sharing layer registered them, with its prefix and without."""
    models = {
        model
        for node in observations.nodes.values()
        for registration in node.registrations
        for device in registration.devices
        for model in (device.model, f"NVIDIA-{device.model}", registration.family)
    }
    models |= {d.model for page in observations.schedulers for d in page.devices.values()}
    return frozenset(piece for model in models for piece in pieces_of(model))
