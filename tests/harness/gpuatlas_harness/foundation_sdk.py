"""Grafana's typed SDK for dashboards, as a second reader of ours."""

from __future__ import annotations

import json
import warnings
from typing import Any

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins

with warnings.catch_warnings():
    # It prefers the schema that Grafana 12 only previews; ours is the one that 11.6 to 13 read.
    warnings.simplefilter("ignore", DeprecationWarning)
    from grafana_foundation_sdk.models.dashboard import Dashboard

# Without them it would keep the options of panels unread.
register_default_plugins()


def written_again(board: dict[str, Any]) -> Any:
    """A board read into the SDK's types and written from them."""
    return json.loads(JSONEncoder().encode(Dashboard.from_json(board)))
