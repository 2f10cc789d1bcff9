"""One raw page to the model, by the parsers that live pages go through. Pure."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from gpuatlas.model.pages import DcgmPage
from gpuatlas.model.targets import HAMI_SCHEDULER
from gpuatlas.sources.capture.contents import RawPage
from gpuatlas.sources.errors import BadAnswerError
from gpuatlas.sources.exposition import parse_text
from gpuatlas.sources.scrape.readers import READERS, Page, PageReader


@cache
def _reader(source: str) -> tuple[PageReader, frozenset[str]]:
    reader = READERS[source]()
    return reader, reader.wanted


def parse_page(page: RawPage, *, known_nodes: frozenset[str], at: float) -> Page:
    """The page as its source reads it, about the node that the file is named after.

    A DCGM file named otherwise speaks for itself where its labels name a host.

    Raises:
        BadAnswerError: it holds something else than metrics.
    """
    reader, wanted = _reader(page.source)
    samples, refused = parse_text(page.body, wanted=wanted, source=page.source, where=page.file)
    if refused and not samples:
        message = f"{page.file} holds no metrics: {refused[0].message}"
        raise BadAnswerError(message)
    node = "" if page.source == HAMI_SCHEDULER else page.node
    read = reader.read(samples, page.file, node, at)
    if isinstance(read, DcgmPage) and node not in known_nodes and _names_hosts(read):
        read = replace(read, node="")
    return replace(read, rejections=(*read.rejections, *refused))


def _names_hosts(page: DcgmPage) -> bool:
    return any(card.host for card in page.cards.values())
