"""The page at `/`: where the links are and how each source fares. One file, no assets."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from typing import Final

from gpuatlas import __version__
from gpuatlas.model.status import SourceStatus
from gpuatlas.runtime.refresh import Published

_STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --bad: #ff8a80; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; }
h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
td:not(:last-child), th { white-space: nowrap; }
td:last-child { overflow-wrap: anywhere; }
.down { color: var(--bad); font-weight: 600; }
"""

_LINKS: Final = (
    ("/metrics", "the metrics, for Prometheus"),
    ("/healthz", "whether the process is alive"),
    ("/readyz", "whether the first complete picture is there"),
)

# The only style that a browser may apply is the one above; scripts, images and frames none at all.
CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; style-src "
    f"'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'"
)


def landing_page(published: Published, now: float) -> bytes:
    """The document in UTF-8; `now` is what ages are counted from."""
    links = "".join(f'<li><a href="{path}">{path}</a> – {text}</li>' for path, text in _LINKS)
    return "".join(
        (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>GPU Atlas</title><style>{_STYLE}</style></head><body>",
            f"<h1>GPU Atlas</h1><p>Version {escape(__version__)}. {_readiness(published)}</p>",
            f"<ul>{links}</ul><h2>Sources</h2>{_sources(published, now)}</body></html>\n",
        )
    ).encode()


def _readiness(published: Published) -> str:
    if published.page is not None:
        return "The picture of the cluster is complete."
    return f'<span class="down">Still waiting for: {escape(", ".join(published.missing))}.</span>'


def _sources(published: Published, now: float) -> str:
    if not published.statuses:
        return "<p>Nothing was read yet.</p>"
    head = "<tr><th>Source<th>State<th>Last success<th>Targets<th>Refused<th>Last error</tr>"
    return f"<table>{head}{''.join(_row(s, now) for s in published.statuses)}</table>"


def _row(status: SourceStatus, now: float) -> str:
    state, css = _state(status)
    cells = (
        escape(status.source),
        f'<span class="{css}">{state}</span>' if css else state,
        _age(status.last_success_at, now),
        escape(_targets(status)),
        str(sum(status.rejected.values()) or ""),
        escape(status.error),
    )
    return f"<tr>{''.join(f'<td>{cell}' for cell in cells)}</tr>"


def _state(status: SourceStatus) -> tuple[str, str]:
    if status.up is None:
        return "nothing to read", ""
    return ("up", "") if status.up else ("down", "down")


def _targets(status: SourceStatus) -> str:
    """Those that are up first, and of the troubles only those that there are."""
    ranked = sorted(status.targets.items(), key=lambda target: (target[0] != "up", target[0]))
    return ", ".join(f"{count} {state}" for state, count in ranked if count or state == "up")


def _age(at: float | None, now: float) -> str:
    if at is None:
        return "never"
    seconds = max(0, round(now - at))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"
