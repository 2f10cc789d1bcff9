"""The page of `/metrics`: the last rendered snapshot, then what is only known at the scrape."""

from __future__ import annotations

from collections.abc import Callable

from gpuatlas.families.catalogue import ADVICE_FAMILIES, SOURCE_FAMILIES
from gpuatlas.families.exposition import Format, write_families
from gpuatlas.families.page import Page
from gpuatlas.runtime.refresh import Published
from gpuatlas.runtime.web.negotiation import choose_format, wants_gzip
from gpuatlas.runtime.web.responses import Environ, Response

_NOTHING_YET = Page((), set())


def metrics_response(
    environ: Environ, published: Published, self_metrics: Callable[[Format], bytes]
) -> Response:
    """The page in the format and encoding that the scraper likes best."""
    form = choose_format(environ.get("HTTP_ACCEPT", ""))
    gzip = wants_gzip(environ.get("HTTP_ACCEPT_ENCODING", ""))
    sources = write_families(SOURCE_FAMILIES, published.statuses, form)
    advice = write_families(ADVICE_FAMILIES, published.advice, form)
    tail = advice + sources + self_metrics(form) + form.end
    body = (published.page or _NOTHING_YET).body(form, gzip=gzip, tail=tail)
    headers = {"Vary": "Accept, Accept-Encoding"}
    if gzip:
        headers["Content-Encoding"] = "gzip"
    return Response(
        status="200 OK",
        content_type=form.content_type,
        length=body.length,
        chunks=body.chunks,
        headers=headers,
    )
