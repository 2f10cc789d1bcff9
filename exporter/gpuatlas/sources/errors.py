"""Why a source could not be read: one class per reason, so that callers decide by reason.

    SourceError
    ├── UnreachableError   no answer: refused, no route, time-out, connection cut
    ├── UnauthorizedError  401: the credentials are missing, wrong or expired
    ├── ForbiddenError     403: the credentials lack a right
    ├── NotFoundError      404: no such object, or the API does not serve the kind
    ├── GoneError          410: the resource version or the continue token is too old
    ├── TooLargeError      the answer is over its size limit
    └── BadAnswerError     any other status, or a body that cannot be read

Errors of the libraries underneath are chained. Messages name the address or object and what to do;
quoted bodies are cut to 256 characters.
"""

from __future__ import annotations

from typing import ClassVar, Final

MAX_QUOTE: Final = 256


class SourceError(Exception):
    """A read that failed. `reason` is a small fixed word for labels and logs."""

    reason: ClassVar[str] = "error"


class UnreachableError(SourceError):
    """No answer came."""

    reason = "unreachable"


class UnauthorizedError(SourceError):
    """401."""

    reason = "unauthorized"


class ForbiddenError(SourceError):
    """403; the message names verb and resource."""

    reason = "forbidden"


class NotFoundError(SourceError):
    """404."""

    reason = "not-found"


class GoneError(SourceError):
    """410: list again."""

    reason = "gone"


class TooLargeError(SourceError):
    """The body passed its size limit, compressed or not."""

    reason = "too-large"


class BadAnswerError(SourceError):
    """An answer that is no use."""

    reason = "bad-answer"
