"""The HTTP front of one exporter: a port that serves `/metrics` and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from gpuatlas.demo.api.answers import Answer
from gpuatlas.demo.api.listeners import Handler
from gpuatlas.demo.api.routes import split_path

_TEXT: Final = "text/plain; charset=utf-8"


def exporter_handler(page: Callable[[str], Answer | None]) -> type[Handler]:
    """The handler of one exporter. `page` gives the answer of a path, None to cut the line."""

    class ExporterHandler(Handler):
        def do_GET(self) -> None:  # noqa: N802
            answer = page("/" + "/".join(split_path(self.path)))
            if answer is None:
                self.close_connection = True
                return
            self.send_whole(answer.status, answer.body, answer.content_type)

    return ExporterHandler


def exporter_answer(path: str, behaviour: str, text: Callable[[], str]) -> Answer:
    """What an exporter that answers at all says."""
    if path != "/metrics":
        return Answer(HTTPStatus.NOT_FOUND, b"404 page not found\n", _TEXT)
    if behaviour == "http-500":
        body = b"failed to collect metrics: reading one card failed\n"
        return Answer(HTTPStatus.INTERNAL_SERVER_ERROR, body, _TEXT)
    return Answer(HTTPStatus.OK, text().encode(), _TEXT)
