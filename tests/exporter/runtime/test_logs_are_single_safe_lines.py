from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.runtime.logs import JsonFormatter, LogfmtFormatter, configure_logging


@pytest.fixture(autouse=True)
def restored_logging() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("gpuatlas")
    handlers, levels = root.handlers[:], (root.level, ours.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
    logging.captureWarnings(capture=False)


def a_record(message: str = "read", **fields: object) -> logging.LogRecord:
    record = logging.LogRecord("gpuatlas.x", logging.INFO, "x.py", 1, message, (), None)
    record.created = 1_790_000_000.25
    record.__dict__.update(fields)
    return record


def test_logfmt_quotes_what_needs_it() -> None:
    line = LogfmtFormatter().format(
        a_record("all pages read", node="gpu-a", took=0.5, note='a "b"')
    )
    assert line == (
        "ts=2026-09-21T14:13:20.250+00:00 level=info logger=gpuatlas.x "
        'msg="all pages read" node=gpu-a took=0.5 note="a \\"b\\""'
    )


def test_json_keeps_numbers() -> None:
    assert json.loads(JsonFormatter().format(a_record(pages=3, ok=True, node="gpu-a"))) == {
        "ts": "2026-09-21T14:13:20.250+00:00",
        "level": "info",
        "logger": "gpuatlas.x",
        "msg": "read",
        "pages": 3,
        "ok": True,
        "node": "gpu-a",
    }


@settings(deadline=None, max_examples=100)
@given(message=st.text(), value=st.text())
def test_nobody_can_forge_a_line(message: str, value: str) -> None:
    record = a_record("%s", detail=value)
    record.args = (message,)
    for formatter in (LogfmtFormatter(), JsonFormatter()):
        line = formatter.format(record)
        assert len(line.splitlines()) == 1
        assert line.isprintable()


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer s3cr3t-token.value",
        "authorization=Basic s3cr3tdXNlcg==",
        "https://admin:s3cr3t@prometheus.example/api",
        "token=s3cr3t&x=1",
        "password=s3cr3t",
    ],
)
def test_credentials_are_blanked(text: str) -> None:
    for formatter in (LogfmtFormatter(), JsonFormatter()):
        assert "s3cr3t" not in formatter.format(a_record(text, detail=text))


def test_long_texts_are_cut() -> None:
    line = json.loads(JsonFormatter().format(a_record("x" * 10_000, body="y" * 10_000)))
    assert (len(line["msg"]), len(line["body"])) == (513, 513)


def test_a_traceback_stays_on_its_line() -> None:
    record = a_record()
    try:
        int("many\nlines")
    except ValueError as error:
        record.exc_info = (ValueError, error, error.__traceback__)
    line = LogfmtFormatter().format(record)
    assert len(line.splitlines()) == 1
    assert "ValueError: invalid literal" in line


def test_our_level_is_not_that_of_libraries() -> None:
    stream = io.StringIO()
    configure_logging(level="debug", style="logfmt", stream=stream)
    logging.getLogger("gpuatlas.sources").debug("ours")
    logging.getLogger("urllib3").debug("theirs")
    logging.getLogger("urllib3").warning("their warning")
    lines = stream.getvalue().splitlines()
    assert [line.split(" msg=")[1] for line in lines] == ["ours", '"their warning"']
