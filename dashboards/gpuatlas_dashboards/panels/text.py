"""Words without a query."""

from __future__ import annotations

from gpuatlas_dashboards.panels import grafana
from gpuatlas_dashboards.panels.grafana import Panel
from gpuatlas_dashboards.texts.shapes.words import Words


def text(words: Words, html: str, *, width: int, height: int, bare: bool = True) -> Panel:
    """HTML as Grafana's sanitiser lets it through; with `bare` without title and background."""
    widget = grafana.text(
        title="" if bare else words.title,
        description=words.description,
        transparent=bare,
        mode="html",
        content=html,
    )
    return Panel(widget=widget, width=width, height=height)
