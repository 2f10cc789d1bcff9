"""The ConfigMap of a commercial layer's licence: a form of ours, no such format is public."""

from __future__ import annotations

from typing import Final

from gpuatlas.demo.state import World
from gpuatlas.demo.wire.config_maps import config_map_document
from gpuatlas.demo.wire.objects import Document, timestamp

KEY: Final = "not-after"


def licence_documents(world: World) -> list[Document]:
    """The ConfigMap, where the scenario has a licence."""
    licence = world.licence
    if licence is None or not licence.present:
        return []
    data = {"licensee": "Example Ltd.", KEY: licence.text or timestamp(licence.ends_at)}
    return [config_map_document(world, licence.spec.namespace, licence.spec.name, data)]
