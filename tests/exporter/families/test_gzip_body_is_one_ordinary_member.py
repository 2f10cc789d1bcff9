from __future__ import annotations

import gzip
import shutil
import subprocess
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuatlas.families.exposition import Format
from gpuatlas.families.gzipstream import Deflater, GzipStitcher
from gpuatlas.families.page import Page, PageCache
from gpuatlas.model.snapshot import Snapshot
from gpuatlas_harness import build

TAIL = b"# EOF\n"


def plain(page: Page, form: Format, tail: bytes = TAIL) -> bytes:
    return b"".join(page.body(form, tail=tail).chunks)


def zipped(page: Page, form: Format, tail: bytes = TAIL) -> bytes:
    return b"".join(page.body(form, gzip=True, tail=tail).chunks)


@pytest.mark.parametrize("form", list(Format))
@pytest.mark.parametrize("tail", [b"", TAIL, b"x" * 100_000])
def test_the_text_comes_back(form: Format, tail: bytes, snapshot: Snapshot) -> None:
    page = PageCache().update(snapshot)
    assert gzip.decompress(zipped(page, form, tail)) == plain(page, form, tail)


def test_there_is_one_member_and_nothing_behind_it(snapshot: Snapshot) -> None:
    page = PageCache().update(snapshot)
    reader = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    assert reader.decompress(zipped(page, Format.TEXT)) == plain(page, Format.TEXT)
    assert (reader.eof, reader.unused_data, reader.unconsumed_tail) == (True, b"", b"")


def test_an_empty_page_is_a_valid_stream_too() -> None:
    page = PageCache().update(build.a_snapshot())
    assert gzip.decompress(zipped(page, Format.TEXT, b"")) == b""


def test_a_changed_page_is_stitched_from_old_and_new_pieces(snapshot: Snapshot) -> None:
    cache = PageCache()
    zipped(cache.update(snapshot), Format.OPENMETRICS)
    nodes = [*snapshot.nodes.values(), build.a_node(name="gpu-aa", pool="new")]
    changed = build.a_snapshot(nodes, snapshot.namespaces.values())
    page = cache.update(changed)
    assert gzip.decompress(zipped(page, Format.OPENMETRICS)) == plain(page, Format.OPENMETRICS)
    assert plain(page, Format.OPENMETRICS) == plain(PageCache().update(changed), Format.OPENMETRICS)


def test_the_work_is_done_once_and_only_after_a_gzip_request(snapshot: Snapshot) -> None:
    cache = PageCache()
    first = cache.update(snapshot)
    plain(first, Format.TEXT)
    assert first._heads == {}
    zipped(first, Format.TEXT)
    head = first._heads[Format.TEXT]
    zipped(first, Format.TEXT)
    assert first._heads == {Format.TEXT: head}
    assert set(cache.update(snapshot)._heads) == {Format.TEXT}


def test_compression_is_worth_it() -> None:
    cards = tuple(build.a_card(id=f"GPU-{i}", index=str(i)) for i in range(8))
    held = tuple(build.an_allocation(pod=f"chat-{i}") for i in range(20))
    page = PageCache().update(build.a_snapshot([build.a_node(cards=cards, allocations=held)]))
    assert len(zipped(page, Format.TEXT)) < len(plain(page, Format.TEXT)) / 5


@settings(deadline=None, max_examples=100)
@given(pieces=st.lists(st.binary(max_size=300)), tail=st.binary(max_size=300))
def test_any_pieces_in_any_order(pieces: list[bytes], tail: bytes) -> None:
    deflater = Deflater()
    compressed = [(text, deflater.piece(text)) for text in pieces]
    stitcher = GzipStitcher()
    for text, piece in reversed(compressed):
        stitcher.add(text, [piece])
    head = stitcher.head()
    stream = head.data + head.finish(tail)
    assert gzip.decompress(stream) == b"".join(reversed(pieces)) + tail


def test_pieces_of_two_compressors_mix() -> None:
    text = b'gpuatlas_card_tenants{node="a"} 1\n' * 50
    stitcher = GzipStitcher()
    stitcher.add(text + text, [Deflater().piece(text), Deflater().piece(text)])
    head = stitcher.head()
    assert gzip.decompress(head.data + head.finish()) == text + text


@pytest.mark.skipif(shutil.which("gzip") is None, reason="gzip is not installed")
def test_gzip_itself_finds_it_sound(snapshot: Snapshot, tmp_path: Path) -> None:
    page = PageCache().update(snapshot)
    file = tmp_path / "page.gz"
    file.write_bytes(zipped(page, Format.TEXT))
    subprocess.run(["gzip", "--test", str(file)], check=True)
    unpacked = subprocess.run(["gzip", "-dc", str(file)], check=True, capture_output=True)
    assert unpacked.stdout == plain(page, Format.TEXT)


@contextmanager
def serving(content: bytes) -> Iterator[str]:
    """An HTTP server on a free loopback port that answers with gzip content."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/metrics"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_reads_it(snapshot: Snapshot) -> None:
    page = PageCache().update(snapshot)
    command = ["curl", "--silent", "--show-error", "--noproxy", "*", "--compressed"]
    with serving(zipped(page, Format.TEXT)) as url:
        answer = subprocess.run([*command, url], check=True, capture_output=True, timeout=30)
    assert answer.stdout == plain(page, Format.TEXT)
