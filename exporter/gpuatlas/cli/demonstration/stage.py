"""What stands around the simulated cluster while it is shown: a Prometheus with a past, a Grafana.

All of it is brought up in the background, on loopback, from programs that are installed already.
What is missing is said, with what to do about it; the demo goes on without.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from gpuatlas.cli.demonstration.assets import Assets
from gpuatlas.cli.demonstration.grafana import find_grafana, grafana, provisioning_environment
from gpuatlas.cli.demonstration.history import StoppedError, write_past
from gpuatlas.cli.demonstration.invitation import invitation_to_the_past
from gpuatlas.cli.demonstration.local_server import LocalServerError
from gpuatlas.cli.demonstration.past_plan import Missing, PastPlan
from gpuatlas.cli.demonstration.prometheus import (
    past_prometheus,
    present_prometheus,
    snapshot_blocks,
    write_config,
)
from gpuatlas.cli.demonstration.scrape_targets import ScrapeTarget
from gpuatlas.cli.demonstration.timeline import DAY, HOUR, MINUTE
from gpuatlas.runtime.backfill.range_query import RangeQueryError
from gpuatlas.runtime.backfill.remote_write import RemoteWriteError
from gpuatlas.runtime.backfill.rule_files import RuleFileError, read_rule_files

_FAILURES: Final = (LocalServerError, RemoteWriteError, RangeQueryError, RuleFileError, OSError)
# Passes over what went by while the pass before was written, each much shorter than that.
_PASSES: Final = 3
# Where compose.yaml has its own Prometheus.
_COMPOSE_URL: Final = "http://127.0.0.1:9090"


@dataclass(frozen=True, slots=True, kw_only=True)
class StageSettings:
    """What is to be brought up.

    `targets` are all pages with their URLs. `program` is Prometheus', None where there is none;
    `past` None for no history. `known` is told where Prometheus is once it answers.
    """

    assets: Assets
    program: str | None
    targets: Mapping[ScrapeTarget, str]
    folder: Path
    past: PastPlan | None
    known: Callable[[str], None] = lambda url: None


class Stage:
    """`with Stage(...)` begins to bring it up; the end of the block ends it.

    Args:
        settings: what.
        say: prints a line.
        clock: the time in Unix seconds.
    """

    def __init__(
        self,
        settings: StageSettings,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._say = say
        self._clock = clock
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stage")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            with ExitStack() as stack:
                self._bring_up(stack)
                self._stop.wait()
        except StoppedError:
            return
        except _FAILURES as error:
            if not self._stop.is_set():
                self._say(f"no Prometheus: {' '.join(str(error).split())}")

    def _bring_up(self, stack: ExitStack) -> None:
        settings = self._settings
        config = write_config(
            settings.folder / "prometheus.yml", settings.targets, settings.assets.rule_files
        )
        if settings.program is None:
            self._say_without_prometheus()
            return
        data = self._data(settings.program)
        server = stack.enter_context(
            present_prometheus(settings.program, config, data, settings.folder, stop=self._stop)
        )
        self._settings.known(server.url)
        self._say(f"Prometheus      {server.url}")
        if settings.past is not None:
            self._say(invitation_to_the_past(server.url))
        command = find_grafana()
        if command is None:
            self._say_without_grafana(server.url)
            return
        shown = stack.enter_context(
            grafana(command, settings.assets, server.url, settings.folder, stop=self._stop)
        )
        self._say(f"Grafana         {shown.url}")

    def _data(self, program: str) -> Path:
        """The data folder of Prometheus, with the past in it if there is to be one."""
        past, data = self._settings.past, self._settings.folder / "data"
        data.mkdir()
        if past is None:
            return data
        past.cache.lend(data)
        missing = past.missing(past.written_until, self._clock())
        if not missing.whole:
            return data
        length = _in_words(missing.seconds)
        self._say(f"history         writing {length} of it; Prometheus follows")
        with past_prometheus(program, data, self._settings.folder, stop=self._stop) as server:
            end = self._write(past, missing, server.url)
            blocks = snapshot_blocks(server, data)
        try:
            past.keep(end, blocks)
        except OSError as error:
            self._say(f"history         not kept for the next time: {error}")
        return blocks

    def _write(self, past: PastPlan, missing: Missing, url: str) -> float:
        """Write the past and what goes by meanwhile, and give its last instant."""
        groups = read_rule_files(self._settings.assets.rule_files)
        behind, end = past.written_until, missing.whole[-1].last
        for _ in range(_PASSES):
            write_past(
                url,
                past.course,
                missing.whole,
                groups,
                sparse=missing.sparse,
                resumed_at=behind,
                stop=self._stop,
                told=self._tell,
            )
            behind = end = missing.whole[-1].last
            missing = past.missing(behind, self._clock())
            if not missing.whole:
                break
        return end

    def _tell(self, done: int, total: int) -> None:
        if total > 1 and done * 4 // total > (done - 1) * 4 // total:
            self._say(f"history         {100 * done // total} %")

    def _say_without_prometheus(self) -> None:
        hint = self._compose(_COMPOSE_URL, GPUATLAS_DEMO=str(self._settings.folder))
        self._say("Prometheus      none on PATH: with one the demo has a past, rules and alerts.")
        self._say(f"                With Docker, without a past: {hint}")

    def _say_without_grafana(self, url: str) -> None:
        self._say("Grafana         none on PATH: import dashboards/generated/*.json into yours,")
        self._say(f"                or with Docker: {self._compose(url)} grafana")

    def _compose(self, url: str, **variables: str) -> str:
        settings = provisioning_environment(self._settings.assets, url) | variables
        set_first = " ".join(f"{name}={value}" for name, value in settings.items())
        return f"{set_first} docker compose up"


def _in_words(seconds: float) -> str:
    if seconds >= 2 * DAY:
        return f"{seconds / DAY:.0f} days"
    return f"{seconds / HOUR:.0f} h" if seconds >= HOUR else f"{seconds / MINUTE:.0f} min"
