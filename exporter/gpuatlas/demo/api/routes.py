"""What a request asks for: its path and its query, read into data. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from gpuatlas.demo.api.kinds import Kind, find_kind
from gpuatlas.demo.api.selectors import BadSelectorError, Requirement, read_selector

_PARTIAL: Final = "as=PartialObjectMetadata"


class BadQueryError(ValueError):
    """A parameter that cannot be read: 400."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectsRoute:
    """A list, a watch or (with `name`) one object."""

    kind: Kind
    namespace: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRoute:
    """A page of a pod through the API server. `port` is a number, a port's name, or ""."""

    namespace: str
    pod: str
    port: str
    path: str


Route = ObjectsRoute | ProxyRoute


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """The parameters of a list or a watch. `revision` is None where none, or "0", was given.

    `selector` is of a list: all its requirements hold for what is listed.
    """

    watch: bool
    limit: int
    continue_token: str
    revision: int | None
    exact: bool
    bookmarks: bool
    timeout_seconds: float
    metadata_only: bool
    selector: tuple[Requirement, ...] = ()


def split_path(target: str) -> tuple[str, ...]:
    """The parts of a request's path."""
    return tuple(unquote(part) for part in urlsplit(target).path.split("/") if part)


def read_route(parts: tuple[str, ...]) -> Route | None:
    """The objects or the page that a path names; None when it names neither."""
    match parts:
        case ("api", version, *rest):
            return _in_group("", version, tuple(rest))
        case ("apis", group, version, *rest):
            return _in_group(group, version, tuple(rest))
    return None


def _in_group(group: str, version: str, rest: tuple[str, ...]) -> Route | None:
    match rest:
        case ("namespaces", namespace, "pods", pod, "proxy", *path) if not group:
            return _proxy(namespace, pod, "/" + "/".join(path))
        case ("namespaces", namespace, resource, *name) if len(name) <= 1:
            kind = find_kind(group, version, resource)
            if kind and kind.namespaced:
                return ObjectsRoute(kind=kind, namespace=namespace, name="".join(name))
        case (resource, *name) if len(name) <= 1:
            kind = find_kind(group, version, resource)
            if kind and not (name and kind.namespaced):
                return ObjectsRoute(kind=kind, namespace="", name="".join(name))
    return None


def _proxy(namespace: str, pod: str, path: str) -> ProxyRoute:
    """The pod is written as `name`, `name:port` or `scheme:name:port`."""
    pieces = pod.split(":")
    if len(pieces) == 3:  # noqa: PLR2004
        pieces = pieces[1:]
    port = pieces[1] if len(pieces) > 1 else ""
    return ProxyRoute(namespace=namespace, pod=pieces[0], port=port, path=path)


def read_query(target: str, accept: str) -> Query:
    """Raises BadQueryError for parameters that are malformed or that this server has not."""
    given = dict(parse_qsl(urlsplit(target).query, keep_blank_values=True))
    if given.get("fieldSelector"):
        msg = "the simulated API server has no fieldSelector: list everything"
        raise BadQueryError(msg)
    watch = _truth(given, "watch")
    return Query(
        watch=watch,
        limit=_whole(given, "limit"),
        continue_token=given.get("continue", ""),
        revision=_whole(given, "resourceVersion") or None,
        exact=given.get("resourceVersionMatch") == "Exact",
        bookmarks=_truth(given, "allowWatchBookmarks"),
        # The real server picks half an hour to an hour where nothing is said.
        timeout_seconds=_whole(given, "timeoutSeconds") or 1800,
        metadata_only=_PARTIAL in accept,
        selector=_selector(given.get("labelSelector", ""), watch=watch),
    )


def _selector(text: str, *, watch: bool) -> tuple[Requirement, ...]:
    if text and watch:
        msg = "the simulated API server has labelSelector for lists only: watch everything"
        raise BadQueryError(msg)
    try:
        return read_selector(text)
    except BadSelectorError as error:
        raise BadQueryError(str(error)) from None


def _truth(given: Mapping[str, str], name: str) -> bool:
    return given.get(name, "").lower() in {"1", "true"}


def _whole(given: Mapping[str, str], name: str) -> int:
    text = given.get(name, "") or "0"
    if not (text.isascii() and text.isdigit()):
        msg = f"{name}: '{text}' is not a whole number"
        raise BadQueryError(msg)
    return int(text)
