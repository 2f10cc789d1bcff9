"""From the scrapes of one source to its endpoints with their pages. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuatlas.model.pages import DcgmPage, SchedulerPage
from gpuatlas.sources.promapi.scrapes import Scrape, ScrapeAssembly
from gpuatlas.sources.promapi.targets import Key, ScrapedTarget
from gpuatlas.sources.scrape.readers import Page, PageReader


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One endpoint as the Prometheus has it. The fields are those of `scrape.round.Outcome`."""

    name: str
    node: str
    page: Page | None
    error: str = ""


def endpoints_of(
    assembly: ScrapeAssembly,
    targets: Mapping[Key, ScrapedTarget],
    reader: PageReader,
    *,
    address: str,
    known: Mapping[Key, str],
) -> tuple[list[Endpoint], dict[Key, str]]:
    """The endpoints of a source, and the targets to know in the next round with their nodes.

    Args:
        assembly: the source's series.
        targets: of the whole Prometheus, by `up`.
        reader: the source's parser.
        address: of the Prometheus, for messages.
        known: what the round before gave: a target that is down has no series to tell that it is
            one of this source's.
    """
    pages = {instance: _page(scrape, reader) for instance, scrape in assembly.scrapes().items()}
    down = [key for key in known if key in targets and not targets[key].up]
    found: dict[str, Endpoint] = {}
    nodes: dict[Key, str] = {}
    for key in dict.fromkeys([*assembly.keys(), *down]):
        instance, target = key[-1], targets.get(key)
        page = pages.get(instance)
        nodes[key] = _node(page, target) or known.get(key, "")
        error = _error(instance, target, address)
        # One endpoint scraped by two jobs is well as long as one of them gets it.
        if instance not in found or not error:
            found[instance] = Endpoint(name=instance, node=nodes[key], page=page, error=error)
    return [*found.values(), *_mixed(assembly, reader, address)], nodes


def _page(scrape: Scrape, reader: PageReader) -> Page:
    return reader.read(scrape.samples, scrape.instance, scrape.node, scrape.at)


def _error(instance: str, target: ScrapedTarget | None, address: str) -> str:
    if target is None or target.up:
        return ""
    return f"the Prometheus at {address} cannot scrape {instance}: its up is 0"


def _mixed(assembly: ScrapeAssembly, reader: PageReader, address: str) -> list[Endpoint]:
    samples = assembly.mixed()
    if not samples:
        return []
    pages = reader.read_mixed(samples, address, assembly.newest)
    return [Endpoint(name=page.target, node=_node(page, None), page=page) for page in pages]


def _node(page: Page | None, target: ScrapedTarget | None) -> str:
    """The node that the endpoint serves, "" for a scheduler and where nothing tells."""
    if isinstance(page, SchedulerPage):
        return ""
    node = target.labels.get("node", "") if target else ""
    if page is None or node or page.node:
        return node or (page.node if page else "")
    hosts = {card.host for card in page.cards.values()} if isinstance(page, DcgmPage) else set()
    return hosts.pop() if len(hosts) == 1 else ""
