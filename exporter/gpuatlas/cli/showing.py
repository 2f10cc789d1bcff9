"""How every command that shows something ends: the document or the screen, then the warnings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text

    from gpuatlas.cli.terminal import Terminal


def show(
    options: dict[str, Any],
    warnings: Iterable[str],
    *,
    document: Callable[[], dict[str, Any]],
    screen: Callable[[Terminal], Iterable[Text]],
) -> None:
    """Writes what `--output` asks for on standard output, warnings on standard error."""
    from gpuatlas.cli.looking import warn

    if options["output"] == "json":
        from gpuatlas.cli.documents.writing import write_json

        write_json(document())
    else:
        from gpuatlas.cli.terminal import open_terminal

        terminal = open_terminal(options["color"])
        terminal.show(screen(terminal))
    warn(warnings)
