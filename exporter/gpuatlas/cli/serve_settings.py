"""Options of `gpuatlas serve` → the settings tree, or one line for each thing that is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from gpuatlas.cli.prometheus_login import FILES
from gpuatlas.cli.prometheus_named import (
    PAGES_FROM_EXPORTERS,
    named_prometheus,
    problems_of_prometheus,
)
from gpuatlas.runtime.scope import Shard, parse_shard
from gpuatlas.runtime.settings import LogSettings, RefreshSettings, ServerSettings, Settings
from gpuatlas.runtime.web.address import ListenAddress, parse_listen_address
from gpuatlas.runtime.web.config_section import WebConfigError
from gpuatlas.runtime.web.security import WebSecurity
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas.sources.layer.settings import LayerSettings, LicenceSource, parse_licence_source
from gpuatlas.sources.promapi.settings import PrometheusSettings
from gpuatlas.sources.scrape.settings import ScrapeSettings
from gpuatlas.sources.services.settings import ServiceSettings

T = TypeVar("T")

# Pages stand in for later ones that cannot be read for three rounds, as the design has it.
_ROUNDS_OF_A_PAGE = 3
_LEAST_SIZING_SECONDS = 60.0


def read_settings(options: Mapping[str, Any]) -> tuple[Settings | None, tuple[str, ...]]:
    """The settings and no problem, or None and at least one."""
    reader = _Reader(options)
    settings = reader.settings()
    return (None, tuple(reader.problems)) if reader.problems else (settings, ())


class _Reader:
    """Reads options; what is wrong goes to `problems` and a default takes its place."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self.problems: list[str] = []

    def settings(self) -> Settings:
        options = self._options
        self._check_folder()
        return Settings(
            kubernetes=KubernetesSettings(
                kubeconfig=options["kubeconfig"], context=options["context"]
            ),
            scrape=self._scrape(),
            prometheus=self._prometheus(),
            prometheus_pages=options["pages_from"] != PAGES_FROM_EXPORTERS,
            services=self._services(),
            layer=LayerSettings(probe=options["probe_webhook"], licences=tuple(self._licences())),
            exporter_namespaces=frozenset(options["exporter_namespace"]),
            server=self._server(),
            refresh=RefreshSettings(
                scrape_interval_seconds=options["scrape_interval"],
                layer_interval_seconds=options["scrape_interval"],
                sizing_interval_seconds=self._sizing_interval(),
            ),
            shard=self._parsed("shard", parse_shard, Shard()),
            exclude_namespaces=frozenset(options["exclude_namespace"]),
            log=LogSettings(level=options["log_level"], style=options["log_format"]),
            revision=options["revision"],
        )

    def _check_folder(self) -> None:
        """A capture holds all: options about a cluster beside it are a misunderstanding."""
        if self._options["from"] is None:
            return
        for name in ("kubeconfig", "context", "prometheus_url", "licence"):
            if self._options[name]:
                self._wrong(name, "has no meaning with --from: the folder is read, no cluster")

    def _scrape(self) -> ScrapeSettings:
        interval, timeout = self._options["scrape_interval"], self._options["scrape_timeout"]
        for name in ("scrape_interval", "scrape_timeout"):
            if math.isnan(self._options[name]):
                self._wrong(name, "must be a number of seconds")
        if timeout > interval:
            message = f"{timeout:g} s is longer than --scrape-interval, {interval:g} s: set both"
            self._wrong("scrape_timeout", message)
        return ScrapeSettings(
            timeout=timeout,
            round_timeout=2 * timeout,
            page_max_age=_ROUNDS_OF_A_PAGE * interval,
        )

    def _sizing_interval(self) -> float:
        interval: float = self._options["sizing_interval"]
        # A look asks for the recordings of a whole cluster.
        if math.isnan(interval) or 0 < interval < _LEAST_SIZING_SECONDS:
            message = f"must be 0 for never, or at least {_LEAST_SIZING_SECONDS:g} s"
            self._wrong("sizing_interval", message)
        return interval

    def _services(self) -> ServiceSettings | None:
        if not self._options["service_signals"]:
            return None
        timeout = min(ServiceSettings().timeout, self._options["scrape_timeout"])
        return ServiceSettings(timeout=timeout)

    def _server(self) -> ServerSettings:
        path = self._options["web_config_file"]
        try:
            WebSecurity(path)
        except WebConfigError as error:
            self.problems += (f"--web.config.file: {problem}" for problem in error.problems)
        listen = self._parsed("listen", parse_listen_address, ListenAddress("", 0))
        return ServerSettings(listen=listen, web_config_file=path)

    def _prometheus(self) -> PrometheusSettings | None:
        options = self._options
        for name, what in problems_of_prometheus(options):
            self._wrong(name, what)
        if options["prometheus_url"] is None:
            return None
        for name in (*FILES, "prometheus_ca_file"):
            self._check_readable(name)
        return named_prometheus(options)

    def _licences(self) -> Iterator[LicenceSource]:
        for text in self._options["licence"]:
            try:
                yield parse_licence_source(text)
            except ValueError as error:
                self._wrong("licence", str(error))

    def _check_readable(self, name: str) -> None:
        path: Path | None = self._options[name]
        if path is None:
            return
        try:
            with path.open("rb"):
                pass
        except OSError as error:
            self._wrong(name, f"{path}: {error.strerror}")

    def _parsed(self, name: str, parse: Callable[[str], T], default: T) -> T:
        try:
            return parse(self._options[name])
        except ValueError as error:
            self._wrong(name, str(error))
            return default

    def _wrong(self, name: str, what: str) -> None:
        self.problems.append(f"--{name.replace('_', '-')}: {what}")
