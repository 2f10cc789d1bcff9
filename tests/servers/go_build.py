"""Build one program into the cache, once however many ask for it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from programs import Binary, BuildError, linker_flags, module_hash, required_version

EXIT_NO_GO = 3
HEARTBEAT_SECONDS = 60.0
# What a debugger would read is cut off in the end anyway (-s -w): not written, it saves a sixth of
# the compiler's time (measured on promtool, 187 against 158 processor seconds).
NO_DEBUG_INFORMATION = "-gcflags=all=-dwarf=false"


def say(message: str) -> None:
    """Print one line at once, so that a CI log shows how far a long build is."""
    sys.stdout.write(f"{message}\n")
    sys.stdout.flush()


def cached_path(binary: Binary, cache: Path) -> Path:
    return cache / "servers" / module_hash(binary.module_dir) / binary.name


def go_environment() -> dict[str, str]:
    """The caller's environment without cgo, so that no C compiler is needed."""
    return {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def check_go(module_dir: Path) -> str:
    """The path of a Go that is new enough; raises ``BuildError`` with exit code 3 otherwise."""
    text = (module_dir / "go.mod").read_text(encoding="utf-8")
    match = re.search(r"^go (\S+)", text, re.M)
    wanted = match[1] if match else "1"
    go = shutil.which("go")
    if go is None:
        message = (
            f"missing: the Go toolchain (the command `go`, version {wanted} or newer) is not on"
            " PATH, and it is needed to build the test servers"
        )
        raise BuildError(
            message,
            EXIT_NO_GO,
        )
    # Asked in the module's folder, where Go changes to another toolchain if it may.
    answer = subprocess.run(
        [go, "env", "GOVERSION"],
        cwd=module_dir,
        env=go_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    found = answer.stdout.strip()
    if answer.returncode != 0 or _numbers(found) < _numbers(wanted):
        message = f"missing: Go {wanted} or newer; {go} is {found or answer.stderr.strip()}"
        raise BuildError(message, EXIT_NO_GO)
    return go


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the kernel lets go of it should this process die."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting: another process is building the servers")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def run_go_build(binary: Binary, go: str, target: Path) -> None:
    """Run ``go build``; its own output, such as what it downloads, goes to standard error."""
    tags = ["-tags", binary.tags] if binary.tags else []
    flags = ["-ldflags", linker_flags(binary), *tags]
    command = [go, "build", NO_DEBUG_INFORMATION, *flags, "-o", str(target), binary.package]
    started = time.monotonic()
    with subprocess.Popen(command, cwd=binary.module_dir, env=go_environment()) as process:
        while True:
            try:
                returncode = process.wait(HEARTBEAT_SECONDS)
                break
            except subprocess.TimeoutExpired:
                say(f"{binary.name}: still building after {time.monotonic() - started:.0f} s")
            except BaseException:
                process.terminate()
                raise
    if returncode != 0:
        message = f"{binary.name}: go build ended with exit code {returncode}"
        raise BuildError(message)


def build(binary: Binary, cache: Path) -> Path:
    """Build one binary into the cache. Callers that come together build it once."""
    target = cached_path(binary, cache)
    with locked(cache / "servers"):
        if target.is_file():
            return target
        go = check_go(binary.module_dir)
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".{target.name}.partial")
        say(
            f"{binary.name}: building {required_version(binary)} of {binary.version_of};"
            " Go downloads the modules that its cache lacks"
        )
        started = time.monotonic()
        run_go_build(binary, go, partial)
        # Renamed when whole: an interrupted build never looks like a finished one.
        partial.replace(target)
        size = target.stat().st_size / 1e6
        say(f"{binary.name}: built in {time.monotonic() - started:.0f} s, {size:.0f} MB")
    return target
