"""Lists, pages of lists and watches: what the API answers about objects."""

from __future__ import annotations

import base64
import binascii
import json
import time
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final

from gpuatlas.demo.api.answers import Answer, encode, expired, failure, json_answer
from gpuatlas.demo.api.kinds import Kind
from gpuatlas.demo.api.routes import ObjectsRoute, Query
from gpuatlas.demo.api.store import Document, Event, ExpiredError, ObjectStore, Snapshot

_META: Final = "meta.k8s.io/v1"


def read_one(store: ObjectStore, route: ObjectsRoute, query: Query) -> Answer:
    """One object, or 404."""
    document = store.get(route.kind.key, (route.namespace, route.name))
    if document is None:
        message = f'{route.kind.key} "{route.name}" not found'
        return failure(HTTPStatus.NOT_FOUND, message)
    return json_answer(_shaped(document, metadata_only=query.metadata_only))


def read_list(store: ObjectStore, route: ObjectsRoute, query: Query) -> Answer:
    """A whole list, or one page of it."""
    try:
        snapshot, after = _position(store, route.kind, query)
    except ExpiredError:
        return json_answer(expired("continue parameter or resource version"), HTTPStatus.GONE)
    items = [
        item
        for item in snapshot.items
        if _key(item) > after
        and route.namespace in {"", _key(item)[0]}
        and all(part.holds(item["metadata"].get("labels", {})) for part in query.selector)
    ]
    page = items[: query.limit or None]
    metadata: Document = {"resourceVersion": str(snapshot.revision)}
    if len(page) < len(items):
        metadata["continue"] = _token(snapshot.revision, _key(page[-1]))
        if not query.selector:  # the real server does not count what it filters
            metadata["remainingItemCount"] = len(items) - len(page)
    return json_answer(_list(route.kind, page, metadata, metadata_only=query.metadata_only))


def _position(store: ObjectStore, kind: Kind, query: Query) -> tuple[Snapshot, tuple[str, str]]:
    """The snapshot that a list reads, and the key after which it goes on."""
    if query.continue_token:
        revision, after = _read_token(query.continue_token)
        return store.snapshot_at(kind.key, revision), after
    if query.exact and query.revision:
        return store.snapshot_at(kind.key, query.revision), ("", "")
    return store.snapshot(kind.key), ("", "")


def _token(revision: int, after: tuple[str, str]) -> str:
    content = {"v": _META, "rv": revision, "start": list(after)}
    return base64.urlsafe_b64encode(encode(content)).decode().rstrip("=")


def _read_token(token: str) -> tuple[int, tuple[str, str]]:
    """Raises ExpiredError for a token that is none of ours: the real server says 410 or 400."""
    try:
        content = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        namespace, name = content["start"]
        return int(content["rv"]), (str(namespace), str(name))
    except (binascii.Error, ValueError, KeyError, TypeError):
        raise ExpiredError from None


def _list(
    kind: Kind, items: list[Document], metadata: Document, *, metadata_only: bool
) -> Document:
    if metadata_only:
        head = {"kind": "PartialObjectMetadataList", "apiVersion": _META}
    else:
        head = {"kind": f"{kind.kind}List", "apiVersion": kind.api_version}
        # The real server does not repeat these for each item.
        items = [
            {name: value for name, value in item.items() if name not in {"kind", "apiVersion"}}
            for item in items
        ]
    shaped = [_shaped(item, metadata_only=metadata_only) for item in items]
    return {**head, "metadata": metadata, "items": shaped}


def _shaped(document: Document, *, metadata_only: bool) -> Document:
    if not metadata_only:
        return document
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": _META,
        "metadata": document["metadata"],
    }


def watch(
    store: ObjectStore, route: ObjectsRoute, query: Query, *, bookmark_seconds: float
) -> Iterator[bytes]:
    """The lines of a watch. It ends with its time-out, with the server, or with a 410 event."""
    deadline = time.monotonic() + query.timeout_seconds
    revision = query.revision
    if revision is None:
        snapshot = store.snapshot(route.kind.key)
        revision = snapshot.revision
        for item in snapshot.items:
            yield from _lines(Event(revision, route.kind.key, "ADDED", item), route, query)
    bookmark_at = time.monotonic() + bookmark_seconds
    while not store.closed:
        until = min(deadline, bookmark_at)
        try:
            events, revision = store.wait(revision, max(0.0, until - time.monotonic()))
        except ExpiredError:
            yield _line("ERROR", expired("resource version"))
            return
        for event in events:
            yield from _lines(event, route, query)
        now = time.monotonic()
        if now >= until and query.bookmarks:
            yield _line("BOOKMARK", _bookmark(route.kind, revision, query))
            bookmark_at = now + bookmark_seconds
        if now >= deadline:
            return


def _lines(event: Event, route: ObjectsRoute, query: Query) -> Iterator[bytes]:
    if event.resource == route.kind.key and route.namespace in {"", event.namespace}:
        yield _line(event.kind, _shaped(event.document, metadata_only=query.metadata_only))


def _line(kind: str, document: dict[str, Any]) -> bytes:
    return encode({"type": kind, "object": document}) + b"\n"


def _bookmark(kind: Kind, revision: int, query: Query) -> Document:
    document = {
        "kind": kind.kind,
        "apiVersion": kind.api_version,
        "metadata": {"resourceVersion": str(revision), "creationTimestamp": None},
    }
    return _shaped(document, metadata_only=query.metadata_only)


def _key(document: Document) -> tuple[str, str]:
    metadata = document["metadata"]
    return metadata.get("namespace", ""), metadata["name"]
