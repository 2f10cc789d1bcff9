"""`make bench`: the exporter on a generated cluster, measured from outside.

The cluster (server.py) and the exporter (`gpuatlas serve`) are processes of their own on the same
machine; the time of the first is part of the figures, as an API server's would be. Prints a table;
fails only when the exporter does. Figures to reach: issue "The exporter and its main job".
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
DEADLINE_SECONDS = 300.0
REPEATS = 7


def free_port(count: int = 1) -> int:
    """The first of `count` free ports in a row."""
    while True:
        with socket.socket() as probe:
            probe.bind(("0.0.0.0", 0))
            port = int(probe.getsockname()[1])
        try:
            for offset in range(count):
                with socket.socket() as probe:
                    probe.bind(("0.0.0.0", port + offset))
        except OSError:
            continue
        return port


@contextlib.contextmanager
def cluster_server(options: argparse.Namespace) -> Iterator[str]:
    """The generated cluster; gives the API server's address."""
    command = [sys.executable, str(HERE / "server.py"), "--port", str(free_port(2))]
    command += ["--nodes", str(options.nodes), "--gpu-pods", str(options.gpu_pods)]
    command += ["--other-pods", str(options.other_pods)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield f"http://127.0.0.1:{server.stdout.readline().split()[1]}"
        finally:
            server.kill()


def write_kubeconfig(folder: Path, api: str) -> Path:
    path = folder / "kubeconfig"
    path.write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: bench\n"
        f"clusters: [{{name: bench, cluster: {{server: '{api}'}}}}]\n"
        "users: [{name: bench, user: {token: bench}}]\n"
        "contexts: [{name: bench, context: {cluster: bench, user: bench}}]\n"
    )
    return path


@contextlib.contextmanager
def exporter(kubeconfig: Path, log: Path) -> Iterator[tuple[str, int]]:
    """`gpuatlas serve`; gives its address and process id."""
    port = free_port()
    command = [sys.executable, "-m", "gpuatlas", "serve", "--kubeconfig", str(kubeconfig)]
    command += ["--listen", f"127.0.0.1:{port}"]
    with log.open("w") as sink, subprocess.Popen(command, stdout=sink, stderr=sink) as process:
        try:
            yield f"http://127.0.0.1:{port}", process.pid
        finally:
            process.terminate()


def get(url: str, *, gzip: bool = False, method: str = "GET") -> tuple[int, bytes]:
    headers = {"Accept-Encoding": "gzip"} if gzip else {}
    request = urllib.request.Request(url, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return int(answer.status), answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError:
        return 0, b""


def wait_until_ready(url: str) -> float:
    started = time.monotonic()
    while get(f"{url}/readyz")[0] != 200:
        if time.monotonic() - started > DEADLINE_SECONDS:
            sys.exit(f"not ready after {DEADLINE_SECONDS} s: {get(f'{url}/readyz')}")
        time.sleep(0.1)
    return time.monotonic() - started


def memory_mib(pid: int, field: str) -> float:
    text = Path(f"/proc/{pid}/status").read_text()
    found = re.search(rf"^{field}:\s+(\d+) kB", text, re.MULTILINE)
    assert found is not None
    return int(found.group(1)) / 1024


def scrape_seconds(url: str, *, gzip: bool) -> tuple[float, int]:
    """Median time and size of a scrape."""
    times, size = [], 0
    for _ in range(REPEATS):
        started = time.monotonic()
        _, body = get(f"{url}/metrics", gzip=gzip)
        times.append(time.monotonic() - started)
        size = len(body)
    return statistics.median(times), size


def self_metric(url: str, name: str) -> float:
    body = get(f"{url}/metrics")[1]
    found = re.search(rf"^{name} (\S+)$".encode(), body[-200_000:], re.MULTILINE)
    return float(found.group(1)) if found else float("nan")


def change_pods(api: str, url: str, count: int) -> tuple[float, float]:
    """Seconds that the re-render of changed pods took, and until a scrape saw it."""
    times, seen = [], []
    for _ in range(4):
        before = self_metric(url, "gpuatlas_refresh_total")
        started = time.monotonic()
        get(f"{api}/-/change?pods={count}", method="POST")
        while self_metric(url, "gpuatlas_refresh_total") == before:
            time.sleep(0.05)
        seen.append(time.monotonic() - started)
        times.append(self_metric(url, "gpuatlas_refresh_duration_seconds"))
        time.sleep(2)
    return statistics.median(times), statistics.median(seen)


def machine() -> str:
    model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    name = model.group(1) if model else platform.machine()
    return f"{os.cpu_count()} cores {name}, {memory:.0f} GiB, Python {platform.python_version()}"


def measure(options: argparse.Namespace, folder: Path) -> list[tuple[str, str, str]]:
    log = folder / "exporter.log"
    with cluster_server(options) as api, exporter(write_kubeconfig(folder, api), log) as (url, pid):
        ready = wait_until_ready(url)
        plain, size = scrape_seconds(url, gzip=False)
        packed, packed_size = scrape_seconds(url, gzip=True)
        rendered, seen = change_pods(api, url, 200)
        series = sum(1 for line in get(f"{url}/metrics")[1].splitlines() if line[:1] != b"#")
        return [
            ("first complete snapshot", f"{ready:.1f} s", "≤ 30 s"),
            ("re-render after 200 changed pods", f"{rendered:.2f} s", "≤ 1 s"),
            ("… from the event to the scrape", f"{seen:.2f} s", ""),
            ("scrape", f"{plain:.3f} s", "≤ 0.3 s"),
            ("scrape, gzip", f"{packed:.3f} s", "≤ 0.3 s"),
            ("resident memory now", f"{memory_mib(pid, 'VmRSS'):.0f} MiB", "≤ 858 MiB (900 MB)"),
            ("resident memory at most", f"{memory_mib(pid, 'VmHWM'):.0f} MiB", ""),
            ("page", f"{size / 1e6:.1f} MB, {series:,} series", ""),
            ("page, gzip", f"{packed_size / 1e6:.1f} MB", ""),
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1_000)
    parser.add_argument("--gpu-pods", type=int, default=20_000)
    parser.add_argument("--other-pods", type=int, default=20_000)
    options = parser.parse_args()
    print(f"machine: {machine()}")
    print(
        f"cluster: {options.nodes:,} nodes, {options.nodes * 8:,} cards, {options.gpu_pods:,} GPU "
        f"pods among {options.gpu_pods + options.other_pods:,}\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, value, goal in measure(options, Path(folder)):
            print(f"  {name:34} {value:>26}   {goal}")


if __name__ == "__main__":
    main()
