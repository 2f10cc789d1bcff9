"""Kinds of other systems on a real API server, by definitions of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import yaml

from .kube import KubeServer
from .polling import poll_until

Object = dict[str, Any]

FOLDER: Final = Path(__file__).parents[2] / "fixtures" / "crds"
GROUPS: Final = tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))
# Deleting a definition deletes all objects of the kind first.
SETTLE_SECONDS: Final = 30.0
_API: Final = "apiextensions.k8s.io/v1"
_KIND: Final = "CustomResourceDefinition"


def definitions(group: str) -> list[Object]:
    """The CustomResourceDefinitions of an API group."""
    text = (FOLDER / f"{group}.yaml").read_text(encoding="utf-8")
    return list(yaml.safe_load_all(text))


def install(kube: KubeServer, *groups: str) -> None:
    """Define the kinds of these groups, of all where none is named, and wait for them."""
    for group in groups or GROUPS:
        documents = definitions(group)
        kube.apply(documents)
        for document in documents:
            spec = document["spec"]
            for version in spec["versions"]:
                kube.resource(f"{group}/{version['name']}", spec["names"]["kind"])


def uninstall(kube: KubeServer, group: str) -> None:
    """Delete the definitions of a group, and with them all its objects; wait until it is done."""
    for document in definitions(group):
        kube.delete(_KIND, document["metadata"]["name"], api_version=_API)
    poll_until(
        lambda: _defined(kube),
        lambda groups: group not in groups,
        deadline_seconds=SETTLE_SECONDS,
        waiting_for=f"the kinds of {group} to go",
    )


def _defined(kube: KubeServer) -> set[str]:
    items = kube.list_objects(_KIND, api_version=_API)["items"]
    return {item["spec"]["group"] for item in items}
