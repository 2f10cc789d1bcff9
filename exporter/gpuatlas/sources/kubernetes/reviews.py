"""Asks the API server who we are and what we may do.

Every user who has logged in may ask this of himself (ClusterRole system:basic-user). Nothing is
written: a review is answered and forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final, Protocol

from gpuatlas.model.doctor import Right
from gpuatlas.model.units import clean_text
from gpuatlas.sources.errors import BadAnswerError, NotFoundError, SourceError
from gpuatlas.sources.kubernetes.shape import fields, text

_VERSION: Final = "/version"
_MAY_I: Final = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
# v1 since Kubernetes 1.28; 1.27 has the beta where it is switched on.
_WHO: Final = ("v1", "v1beta1")
_AT_ONCE: Final = 8


class Reviews(Protocol):
    """What is needed of a `Connection`."""

    @property
    def address(self) -> str:
        """The server's URL."""

    def get(self, path: str) -> Mapping[str, object]:
        """One JSON object."""

    def review(self, path: str, question: Mapping[str, object]) -> Mapping[str, object]:
        """The answer to a question."""


def read_version(connection: Reviews) -> str:
    """The server's version, such as "v1.33.4". Raises `SourceError`."""
    return clean_text(text(connection.get(_VERSION).get("gitVersion")))


def read_user(connection: Reviews) -> str:
    """Who we are to the server. Raises `SourceError`."""
    for version in _WHO:
        path = f"/apis/authentication.k8s.io/{version}/selfsubjectreviews"
        question = _question(f"authentication.k8s.io/{version}", "SelfSubjectReview")
        try:
            answer = connection.review(path, question)
        except NotFoundError:
            continue
        name = text(fields(fields(answer.get("status")).get("userInfo")).get("username"))
        if name:
            return clean_text(name)
    message = f"{connection.address} has no SelfSubjectReview (Kubernetes 1.28 and newer have)"
    raise NotFoundError(message)


def reviewed(connection: Reviews, rights: Iterable[Right]) -> tuple[Right, ...]:
    """The rights, each with the server's answer or why there is none."""
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="reviews") as pool:
        return tuple(pool.map(lambda right: _asked(connection, right), rights))


def _asked(connection: Reviews, right: Right) -> Right:
    resource, _, part = right.resource.partition("/")
    attributes = {
        "group": right.group,
        "resource": resource,
        "subresource": part,
        "verb": right.verb,
        "namespace": right.namespace,
    }
    question = _question("authorization.k8s.io/v1", "SelfSubjectAccessReview")
    question["spec"] = {"resourceAttributes": {k: v for k, v in attributes.items() if v}}
    try:
        answer = connection.review(_MAY_I, question)
        return replace(right, allowed=_verdict(connection, answer))
    except SourceError as error:
        return replace(right, reason=clean_text(str(error), limit=len(str(error))))


def _verdict(connection: Reviews, answer: Mapping[str, object]) -> bool:
    status = fields(answer.get("status"))
    allowed = status.get("allowed")
    if not isinstance(allowed, bool):
        message = f"{connection.address}{_MAY_I}: the answer has no status.allowed"
        raise BadAnswerError(message)
    if not allowed and (trouble := text(status.get("evaluationError"))):
        # An authorizer failed, and the others know nothing of it: neither yes nor no.
        raise BadAnswerError(trouble)
    return allowed


def _question(api_version: str, kind: str) -> dict[str, object]:
    return {"apiVersion": api_version, "kind": kind}
