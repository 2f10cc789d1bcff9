"""Single-line logs of the process, as logfmt or JSON.

Every record gives `ts`, `level`, `logger`, `msg` and the fields passed as `extra`. Texts of others
(answers, annotations, errors) end up in logs: control characters are escaped, so that nobody can
forge a line, long values are cut, and credentials in headers and URLs are blanked.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, TextIO

FORMATS: Final = ("logfmt", "json")

MAX_VALUE: Final = 512
# A traceback is needed whole to be of use; its frames are ours, not a stranger's text.
MAX_TRACEBACK: Final = 8192

_STANDARD: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime"}
_SECRETS: Final = (
    (re.compile(r"(?i)\b(bearer|basic)(\s+|%20)[\w.~+/=-]{6,}"), r"\1 <hidden>"),
    (re.compile(r"(?i)\b((?:password|token|secret)=)[^\s&\"']+"), r"\1<hidden>"),
    (re.compile(r"(://)[^/\s@]+@"), r"\1<hidden>@"),
)
_BARE: Final = re.compile(r"[\w.:/@%+,\[\]()<>*-]+")


def configure_logging(*, level: str, style: str, stream: TextIO | None = None) -> None:
    """Send the root logger to `stream` (standard error) in one of `FORMATS` from `level` on.

    Libraries are heard from warnings on only: at the level "debug" theirs would show headers.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter() if style == "json" else LogfmtFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("gpuatlas").setLevel(level.upper())
    logging.captureWarnings(capture=True)


class LogfmtFormatter(logging.Formatter):
    """key=value pairs; a value with anything but word characters is quoted as JSON quotes it."""

    def format(self, record: logging.LogRecord) -> str:
        return " ".join(f"{key}={_logfmt_value(value)}" for key, value in _fields(record))


class JsonFormatter(logging.Formatter):
    """One JSON object a line; numbers stay numbers."""

    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(dict(_fields(record)))


def _fields(record: logging.LogRecord) -> Iterable[tuple[str, object]]:
    yield "ts", datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    yield "level", record.levelname.lower()
    yield "logger", record.name
    yield "msg", _clean(record.getMessage(), MAX_VALUE)
    for key, value in record.__dict__.items():
        if key not in _STANDARD:
            yield key, value if _is_number(value) else _clean(str(value), MAX_VALUE)
    if record.exc_info:
        formatted = logging.Formatter().formatException(record.exc_info)
        yield "traceback", _clean(formatted[-MAX_TRACEBACK:], MAX_TRACEBACK)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _clean(text: str, limit: int) -> str:
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text if len(text) <= limit else f"{text[:limit]}…"


def _logfmt_value(value: object) -> str:
    text = str(value)
    return text if _BARE.fullmatch(text) else json.dumps(text)
