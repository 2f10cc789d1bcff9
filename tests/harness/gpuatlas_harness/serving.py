"""An HTTP server on loopback whose answers a test writes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .processes import LOOPBACK

Answer = Callable[[str, str], tuple[int, bytes]]
"""Path and content of a request → status and body."""


@contextmanager
def serving(
    answer: Answer, *, method: str = "GET", content_type: str = "application/json"
) -> Iterator[str]:
    """HOST:PORT, where requests of one method are answered until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
            status, body = answer(self.path, content)
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Quiet."""

    setattr(Handler, f"do_{method}", Handler.answer)
    server = ThreadingHTTPServer((LOOPBACK, 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"{LOOPBACK}:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
