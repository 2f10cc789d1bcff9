"""Answers that need no more than words: JSON, and errors in the API's own form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

JSON: Final = "application/json"
_REASONS: Final = {
    400: "BadRequest",
    404: "NotFound",
    405: "MethodNotAllowed",
    410: "Expired",
    503: "ServiceUnavailable",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole HTTP answer."""

    status: int
    body: bytes
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)


def json_answer(document: object, status: int = HTTPStatus.OK) -> Answer:
    """An object or a list."""
    return Answer(status, encode(document))


def encode(document: object) -> bytes:
    """JSON in one line."""
    return json.dumps(document, separators=(",", ":")).encode()


def failure(status: int, message: str) -> Answer:
    """An error as the API server words it: a Status object."""
    return json_answer(failure_document(status, message), status)


def failure_document(status: int, message: str) -> dict[str, Any]:
    """The Status object of an error."""
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": _REASONS.get(status, "InternalError"),
        "code": status,
    }


def expired(what: str) -> dict[str, Any]:
    """410: the caller has to list again."""
    return failure_document(HTTPStatus.GONE, f"The provided {what} is too old: list again.")


def not_found(path: str) -> Answer:
    """404 for a path that is not served."""
    return failure(HTTPStatus.NOT_FOUND, f"the server could not find the requested resource {path}")
