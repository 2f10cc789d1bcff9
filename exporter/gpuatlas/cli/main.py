"""The command `gpuatlas`: its subcommands and how failures end it.

Exit codes: 0 done, 1 failed (one line on standard error), 2 wrong usage. `checks` ends with 1 where
something critical fires, `sizing --exit-code` where something is proposed, `doctor` where something
is to do, so their failures are 3.
A traceback means a mistake of ours.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import click

from gpuatlas import __version__

# Name → what `gpuatlas --help` says of it. Each lies in the module of its name, which is imported
# only when it is called: help and completion stay fast.
COMMANDS: Final[Mapping[str, str]] = {
    "cards": "Show every card of a cluster: state, memory, who holds it.",
    "workloads": "Show every workload that holds or waits for cards.",
    "checks": "Run the 29 checks: what fires, what could not look, and what to do about it.",
    "advise": "Say which way of sharing suits each node pool, and what would not be safe.",
    "sizing": "Say what each workload needs against what it holds, and write patches.",
    "report": "Compare before and after a change of sharing: tenants, memory, slowdowns, speed.",
    "doctor": (
        "Examine an installation: rights, versions, sources, scrape, rules; say what to do, in "
        "order."
    ),
    "serve": "Serve the metrics of a cluster's cards, allocations and workloads to Prometheus.",
    "capture": "Write all that is read of a cluster into a folder.",
    "demo": "Show a simulated cluster; nothing else is needed.",
}

_LONGEST_MESSAGE: Final = 2000
_EXAMPLES: Final = """
\b
Examples:
  gpuatlas demo                          no cluster at hand: look at a simulated one
  gpuatlas cards                         the cluster of the current kubeconfig
  gpuatlas workloads --namespace team-a  one team's workloads
  gpuatlas checks                        what is wrong with cards and sharing layers
  gpuatlas advise                        whole cards, MIG, time slicing, MPS or limits
  gpuatlas sizing --prometheus-url URL   what workloads need; --patch writes it down
  gpuatlas doctor                        what an installation lacks, and what to do, in order
  gpuatlas cards --output json           for scripts
  gpuatlas capture ./capture --anonymise what to attach to a bug report
  gpuatlas cards --from ./capture        a capture instead of a cluster
  gpuatlas serve                         the exporter, in a pod or anywhere

Every option can be given as an environment variable: GPUATLAS_ and its name in capitals, as in
GPUATLAS_KUBECONFIG or GPUATLAS_PROMETHEUS_URL. Exit codes: 0 done, 1 failed, 2 wrong usage; of
checks 1 says that something critical fires, and 3 that it failed, as it does of sizing; of doctor
1 says that something is to do, and 3 that it could not look.
"""


class CommandError(click.ClickException):
    """A failure in one line, for standard error."""

    exit_code = 1

    def format_message(self) -> str:
        """The message on one line, without what a terminal would obey."""
        from gpuatlas.model.units import clean_text

        return clean_text(" ".join(self.message.split()), limit=_LONGEST_MESSAGE)


class AnsweringError(CommandError):
    """A failure of a command of which 1 is an answer."""

    exit_code = 3


_FAILURES: Final[Mapping[str, type[CommandError]]] = {
    "checks": AnsweringError,
    "sizing": AnsweringError,
    "doctor": AnsweringError,
}


def _abandon_output() -> None:
    """Drop what could not be written, so that the interpreter does not try again at its end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Commands(click.Group):
    """Finds commands by the table and turns failures of the sources into one clear line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"gpuatlas.cli.{cmd_name}"), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        import difflib

        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        from gpuatlas.sources.errors import SourceError

        try:
            result = super().invoke(ctx)
            if sys.stdout is not None:
                # What is still buffered can fail too, and would after the exit code is decided.
                sys.stdout.flush()
        except SourceError as error:
            raise _failure(ctx, str(error)) from error
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # click ends quietly when the reader of a pipe has gone
            _abandon_output()
            raise _failure(ctx, str(error)) from error
        except click.UsageError:
            raise
        except click.ClickException as error:
            raise _failure(ctx, error.message) from error
        return result


def _failure(ctx: click.Context, message: str) -> CommandError:
    """The failure, with the exit code that it has in the command that was called."""
    return _FAILURES.get(ctx.invoked_subcommand or "", CommandError)(message)


@click.group(
    cls=_Commands,
    epilog=_EXAMPLES,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": "GPUATLAS",
        "max_content_width": 100,
    },
)
@click.version_option(__version__, message="gpuatlas %(version)s")
def main() -> None:
    """The accelerator cards and the workloads of a Kubernetes cluster, made visible.

    Reads only: nothing is installed in the cluster and nothing is changed.
    """
