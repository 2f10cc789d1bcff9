"""How far a look at a cluster has come, on standard error, and only where a person sees it."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn

_PAGES: Final = "pages"


class ReadingProgress:
    """A line per kind of object and one for the pages; gone when the look is over.

    Small clusters are read before the first line is drawn.
    """

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._display = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[said]}"),
            console=console,
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._lock = threading.Lock()
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._display.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._display.stop()

    def objects(self, kind: str, count: int) -> None:
        """So many objects of a kind were read; how many there are in all is not known."""
        self._tell(f"reading {kind}", done=count, total=None, said=f"{count:,}")

    def pages(self, done: int, total: int) -> None:
        """So many pages of all came or failed."""
        self._tell(f"reading {_PAGES}", done=done, total=total, said=f"{done:,}/{total:,}")

    def _tell(self, what: str, *, done: int, total: int | None, said: str) -> None:
        with self._lock:
            task = self._tasks.get(what)
            if task is None:
                for earlier in self._tasks.values():
                    self._display.update(earlier, total=1, completed=1)
                task = self._display.add_task(what, total=total, said=said)
                self._tasks[what] = task
            self._display.update(task, completed=done, said=said)
