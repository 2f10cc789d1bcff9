"""Asks the API server of a simulated cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import requests

from gpuatlas.demo.server import SimulatedCluster

Document = dict[str, Any]
Query = dict[str, str | int]
JSON = "application/json"
PARTIAL = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
HOUR = 3600


class Api:
    """Asks one simulated cluster."""

    def __init__(self, cluster: SimulatedCluster, session: requests.Session) -> None:
        self.cluster, self.session = cluster, session

    def get(
        self, path: str, query: Query | None = None, *, status: int = 200, accept: str = JSON
    ) -> Document:
        answer = self.session.get(
            self.cluster.api_url + path, params=query, headers={"Accept": accept}, timeout=30
        )
        assert answer.status_code == status, answer.text
        assert answer.headers["Content-Type"] == "application/json"
        document: Document = answer.json()
        return document

    def watch(
        self, path: str, query: Query | None = None, *, accept: str = JSON
    ) -> Iterator[Document]:
        query = {"watch": "true", "allowWatchBookmarks": "true", **(query or {})}
        with self.session.get(
            self.cluster.api_url + path,
            params=query,
            headers={"Accept": accept},
            timeout=30,
            stream=True,
        ) as answer:
            assert answer.status_code == 200
            for line in answer.iter_lines():
                yield json.loads(line)

    def pages(self, path: str, limit: int) -> Iterator[Document]:
        token = ""
        while True:
            page = self.get(path, {"limit": limit} | ({"continue": token} if token else {}))
            yield page
            token = page["metadata"].get("continue", "")
            if not token:
                return


def names(page: Document) -> list[str]:
    return [item["metadata"]["name"] for item in page["items"]]
