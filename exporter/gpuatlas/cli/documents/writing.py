"""Prints a document on standard output."""

from __future__ import annotations

from typing import Any

import click
import orjson


def write_json(document: dict[str, Any]) -> None:
    """Indented, with a newline at the end; keys in the order of the documentation."""
    click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2))
