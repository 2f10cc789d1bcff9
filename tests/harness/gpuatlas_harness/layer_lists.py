"""Lists and names of the layers' kinds of objects, answered from memory as an API server does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from gpuatlas.sources.errors import NotFoundError, SourceError
from gpuatlas.sources.layer.asks import ASKS

Object = dict[str, Any]

_ITEM: Final = re.compile(
    r"(?P<list>.*)/namespaces/(?P<namespace>[^/]+)(?P<kind>/[^/]+)/(?P<name>[^/]+)"
)
_IN: Final = re.compile(r"(?P<key>\S+) in \((?P<values>.*)\)")
PATHS: Final = {ask.kind: ask.path for ask in ASKS}


class FakeLists:
    """Answers lists and names from objects as the API server does; `failing` paths raise."""

    address = "https://cluster.example"

    def __init__(self, objects: Iterable[Object]) -> None:
        self.objects = list(objects)
        self.failing: dict[str, SourceError] = {}
        self.asked: list[tuple[str, str]] = []
        self.page = 500

    def get(
        self, path: str, query: Mapping[str, str] | None = None, *, accept: str = ""
    ) -> dict[str, object]:
        asked = dict(query or {})
        self.asked.append((path, asked.get("labelSelector", "")))
        for beginning, error in self.failing.items():
            if path.startswith(beginning):
                raise error
        if path in PATHS.values():
            return self._listed(path, asked)
        match = _ITEM.fullmatch(path)
        assert match is not None
        for raw in self.objects:
            place = (raw["metadata"].get("namespace"), raw["metadata"]["name"])
            listed = PATHS[raw["kind"]] == match["list"] + match["kind"]
            if listed and place == (match["namespace"], match["name"]):
                return raw
        message = f"{path} does not exist"
        raise NotFoundError(message)

    def _listed(self, path: str, asked: Mapping[str, str]) -> dict[str, object]:
        found = [
            {key: part for key, part in raw.items() if key not in {"kind", "apiVersion"}}
            for raw in self.objects
            if PATHS[raw["kind"]] == path and selected(raw, asked.get("labelSelector", ""))
        ]
        start = int(asked.get("continue", "0"))
        more = {"continue": str(start + self.page)} if start + self.page < len(found) else {}
        return {"metadata": more, "items": found[start : start + self.page] or None}


def selected(raw: Object, selector: str) -> bool:
    labels = raw["metadata"].get("labels", {})
    if not selector:
        return True
    match = _IN.fullmatch(selector)
    if match is not None:
        return labels.get(match["key"]) in match["values"].split(",")
    key, _, value = selector.partition("=")
    return bool(labels.get(key) == value)
