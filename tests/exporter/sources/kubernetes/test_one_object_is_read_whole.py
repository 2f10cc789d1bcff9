from __future__ import annotations

from typing import Any

import pytest

from gpuatlas.sources.errors import ForbiddenError, NotFoundError
from gpuatlas.sources.kubernetes.manifest import read_manifest

V1 = "/apis/ray.io/v1/namespaces/a/rayclusters/train"
ALPHA = "/apis/ray.io/v1alpha1/namespaces/a/rayclusters/train"


class Server:
    """Has the objects at these paths, and refuses one."""

    def __init__(self, *paths: str, refused: str = "") -> None:
        self._paths = paths
        self._refused = refused
        self.asked: list[str] = []

    def get(self, path: str) -> dict[str, Any]:
        self.asked.append(path)
        if path == self._refused:
            message = f"{path} (403)"
            raise ForbiddenError(message)
        if path not in self._paths:
            message = f"{path} does not exist there (404)"
            raise NotFoundError(message)
        return {"at": path, "spec": {"whole": True}}


def test_the_newest_version_that_is_served() -> None:
    server = Server(V1, ALPHA)
    assert read_manifest(server, (V1, ALPHA)) == {"at": V1, "spec": {"whole": True}}
    assert server.asked == [V1]
    assert read_manifest(Server(ALPHA), (V1, ALPHA))["at"] == ALPHA


def test_an_object_that_is_in_no_version() -> None:
    with pytest.raises(NotFoundError, match=r"v1alpha1.*404"):
        read_manifest(Server(), (V1, ALPHA))
    with pytest.raises(NotFoundError, match="has no address"):
        read_manifest(Server(), ())


def test_a_refusal_is_not_tried_again_in_another_version() -> None:
    server = Server(ALPHA, refused=V1)
    with pytest.raises(ForbiddenError):
        read_manifest(server, (V1, ALPHA))
    assert server.asked == [V1]
