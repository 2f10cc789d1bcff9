"""What people read: the example's templates, rendered by a real Alertmanager and sent by it.

The golden files are written by `make golden`; read their difference as a reader would.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import pytest

from gpuatlas_harness.alertmanager import EXAMPLE
from gpuatlas_harness.binaries import required, system_binary
from gpuatlas_harness.notified import (
    EXTERNAL_URL,
    GOLDEN,
    MESSAGES,
    Alert,
    Message,
    message_of,
    resolved,
)
from gpuatlas_harness.silence_link import matchers_of

# The page of 0.25 to 0.31 keeps the backslash that must stand before these in a link.
_ESCAPED: Final = {'"', "\\"}
ODD_VALUES: Final = {
    "space": "NVIDIA A100-SXM4-80GB",
    "plus": "a+b c",
    "percent": "100% & more",
    "address": "https://x/?a=b&c=d#e",
    "braces": '{a="b", c=~"d.*"}',
    "accents": "Zürich 日本 é",
    "quotes": 'it\'s `so` "quoted"',
    "backslash": r"C:\new\table",
    "markup": "<a href='x'>|</a>",
}


@pytest.fixture(autouse=True)
def _alertmanager() -> None:
    required(lambda: system_binary("prometheus-alertmanager", package="prometheus-alertmanager"))


@pytest.mark.parametrize("name", MESSAGES)
def test_the_messages_are_those_of_the_golden_files(name: str, tmp_path: Path) -> None:
    for file, text in message_of(MESSAGES[name], tmp_path).files(name).items():
        assert text == file.read_text(encoding="utf-8"), f"{file.name}: run `make golden`"


def test_no_golden_file_is_left_over() -> None:
    assert {file.name.partition(".")[0] for file in GOLDEN.iterdir()} == set(MESSAGES)


class Links(HTMLParser):
    """The links of a page by their text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self._address = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._address = (dict(attrs).get("href") or "") if tag == "a" else ""

    def handle_data(self, data: str) -> None:
        if self._address:
            self.found.append((data, self._address))
            self._address = ""


def silence_links(message: Message) -> Iterator[str]:
    """Of the mail's text, of its page, and of the chat."""
    for line in message.mail.text.splitlines():
        if line.startswith("Silence:"):
            yield line.split()[1]
    for text, address in Links(message.mail.html).found:
        if text in {"Silence this", "Silence all of these"}:
            yield address
    yield from re.findall(r"<([^|>]+)\|Silence>", message.chat["attachments"][0]["text"])


def with_labels(labels: dict[str, str], number: int = 0) -> Alert:
    (one,) = MESSAGES["one"]
    return one | {"labels": one["labels"] | labels | {"card": f"GPU-{number}"}}


@pytest.mark.parametrize("kind", ODD_VALUES)
def test_the_silence_link_opens_the_labels_of_the_alert(kind: str, tmp_path: Path) -> None:
    value = ODD_VALUES[kind]
    alert = with_labels({"odd": value, "empty": ""})
    expected = {name: text for name, text in alert["labels"].items() if text}

    links = list(silence_links(message_of([alert], tmp_path)))

    assert len(links) == 3
    for link in links:
        assert link.startswith(f"{EXTERNAL_URL}/#/silences/new?filter=")
        assert matchers_of(link) == expected
        if not _ESCAPED & set(value):
            assert matchers_of(link, quotes_are_json=False) == expected


def test_a_group_is_silenced_by_what_its_alerts_share(tmp_path: Path) -> None:
    alerts = [with_labels({}, number) for number in range(2)]
    expected = {name: text for name, text in alerts[0]["labels"].items() if name != "card"}

    message = message_of(alerts, tmp_path)

    assert [matchers_of(link) for link in silence_links(message)] == [expected] * 3
    alone = [link for text, link in Links(message.mail.html).found if text == "Silence this one"]
    assert [matchers_of(link) for link in alone] == [alert["labels"] for alert in alerts]


def test_what_is_over_needs_no_silence(tmp_path: Path) -> None:
    message = message_of([resolved(with_labels({}))], tmp_path)

    assert list(silence_links(message)) == []
    assert message.mail.headers["Subject"].startswith("[RESOLVED] S01: ")


def test_a_record_cannot_call_everybody_nor_write_markup(tmp_path: Path) -> None:
    message = message_of(MESSAGES["hostile"], tmp_path)

    assert "<!channel>" not in message.chat["attachments"][0]["text"]
    assert "<b>" not in message.mail.html


def test_the_templates_are_those_that_the_example_uses() -> None:
    text = EXAMPLE.with_name("gpuatlas.tmpl").read_text(encoding="utf-8")
    defined = set(re.findall(r'{{-? define "([^"]+)"', text))
    used = set(re.findall(r'template "([^"]+)"', text + EXAMPLE.read_text(encoding="utf-8")))
    assert defined == used
