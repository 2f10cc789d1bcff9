"""Options that several commands share, and what they add up to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from gpuatlas.cli.prometheus_named import (
    PAGES_FROM_EXPORTERS,
    PAGES_FROM_PROMETHEUS,
    PROMETHEUS_OPTIONS,
    named_prometheus,
    problems_of_prometheus,
)

if TYPE_CHECKING:
    from gpuatlas.runtime.once import ClusterSettings
    from gpuatlas.sources.promapi.settings import PrometheusSettings

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

_FILE: Final = click.Path(path_type=Path)
_CLUSTER_OPTIONS: Final = (
    "kubeconfig",
    "context",
    "direct",
    "exporter_namespace",
    "prometheus_url",
)
_LAYER_OPTIONS: Final = ("probe_webhook", "licence")


def option(name: str, *short: str, **attributes: Any) -> Decorator[Any]:
    """An option whose environment variable is the same for all commands."""
    variable = name.partition("/")[0].lstrip("-").replace("-", "_")
    return click.option(name, *short, variable, envvar=f"GPUATLAS_{variable.upper()}", **attributes)


def _together(options: tuple[Decorator[Any], ...]) -> Decorator[Any]:
    def decorate(command: Any) -> Any:
        for each in reversed(options):
            command = each(command)
        return command

    return decorate


kubeconfig_options: Final = _together(
    (
        option("--kubeconfig", type=_FILE, metavar="FILE", help="Kubeconfig to use."),
        option("--context", metavar="NAME", help="Context of the kubeconfig."),
    )
)
live_cluster_options: Final = _together(
    (
        kubeconfig_options,
        option(
            "--direct",
            is_flag=True,
            help="Ask exporters at their own addresses, not through the API server: faster, "
            "but they must be reachable from here.",
        ),
        option(
            "--exporter-namespace",
            multiple=True,
            metavar="NAME",
            help="Take only pods of this namespace for exporters. Repeatable; default: any.",
        ),
    )
)
cluster_options: Final = _together(
    (
        live_cluster_options,
        option("--from", type=_FILE, metavar="DIR", help="Read a capture folder, not a cluster."),
    )
)
# For a command that a folder cannot serve: not offered, and refused with the reason.
no_folder_option: Final = option("--from", type=_FILE, hidden=True)
# How to get into a Prometheus; where it is, each command says in its own words.
prometheus_access_options: Final = _together(
    (
        option(
            "--prometheus-bearer-token-file",
            type=_FILE,
            metavar="FILE",
            help="Token for the Prometheus.",
        ),
        option(
            "--prometheus-username-file",
            type=_FILE,
            metavar="FILE",
            help="User name for the Prometheus, for basic authentication.",
        ),
        option(
            "--prometheus-password-file",
            type=_FILE,
            metavar="FILE",
            help="Password of that user.",
        ),
        option(
            "--prometheus-ca-file",
            type=_FILE,
            metavar="FILE",
            help="Authorities for the Prometheus.",
        ),
        option(
            "--prometheus-insecure-skip-verify",
            is_flag=True,
            help="Do not verify the certificate of the Prometheus.",
        ),
        option(
            "--prometheus-header",
            multiple=True,
            metavar="NAME=VALUE",
            help="Header for the Prometheus, such as X-Scope-OrgID. Repeatable.",
        ),
        option(
            "--prometheus-matcher",
            multiple=True,
            metavar="LABEL=VALUE",
            help="Label that all series must have, such as cluster=prod. Repeatable.",
        ),
    )
)
prometheus_options: Final = _together(
    (
        option(
            "--prometheus-url",
            metavar="URL",
            help="Read DCGM's and HAMi's series from this Prometheus, not from the exporters.",
        ),
        prometheus_access_options,
    )
)
pages_from_option: Final = option(
    "--pages-from",
    type=click.Choice([PAGES_FROM_EXPORTERS, PAGES_FROM_PROMETHEUS]),
    help="Where DCGM's, HAMi's and inference servers' figures are read. Default: from the "
    "Prometheus where one is named.",
)
cluster_label_option: Final = option(
    "--cluster",
    metavar="NAME",
    help="Only what has this label cluster in the Prometheus. Default: all, one by one.",
)
licence_option: Final = option(
    "--licence",
    multiple=True,
    metavar="NAMESPACE/CONFIGMAP/KEY",
    help="Where a commercial sharing layer's licence says when it ends. Repeatable.",
)
# For commands that show what the checks of the sharing layer find.
layer_options: Final = _together(
    (
        option(
            "--probe-webhook/--no-probe-webhook",
            default=False,
            show_default=True,
            help="Shake hands with the sharing layer's webhook to see its certificate; its "
            "endpoints must be reachable from here.",
        ),
        licence_option,
    )
)
selection_options: Final = _together(
    (
        option(
            "--node",
            multiple=True,
            metavar="NAME",
            help="Only this node, or a pattern such as 'a10g-*'. Repeatable.",
        ),
        option(
            "--namespace",
            "-n",
            multiple=True,
            metavar="NAME",
            help="Only what this namespace holds, or a pattern. Repeatable.",
        ),
    )
)
output_options: Final = _together(
    (
        option(
            "--output",
            "-o",
            type=click.Choice(["table", "json"]),
            default="table",
            show_default=True,
            help="For people, or for programs (docs/commands.md has the shape).",
        ),
        option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            show_default=True,
            help="auto: on a terminal, unless NO_COLOR is set.",
        ),
    )
)


def cluster_settings(options: dict[str, Any]) -> ClusterSettings:
    """Where to read. Raises `click.UsageError` for options that contradict each other."""
    from gpuatlas.runtime.once import ClusterSettings
    from gpuatlas.sources.kubernetes.settings import KubernetesSettings

    _refuse_contradictions(options)
    return ClusterSettings(
        layer=_layer(options),
        kubernetes=KubernetesSettings(kubeconfig=options["kubeconfig"], context=options["context"]),
        direct=options["direct"],
        exporter_namespaces=frozenset(options["exporter_namespace"]),
        prometheus=prometheus_settings(options) if options.get("prometheus_url") else None,
        prometheus_pages=options.get("pages_from") != PAGES_FROM_EXPORTERS,
    )


def _refuse_contradictions(options: dict[str, Any]) -> None:
    if options["from"] is not None:
        for name in (*_CLUSTER_OPTIONS, *PROMETHEUS_OPTIONS, *_LAYER_OPTIONS):
            if options.get(name):
                message = "has no meaning with --from: the folder is read, no cluster"
                raise _wrong(name, message)
    _refuse_wrong_prometheus(options)
    exporters = options.get("pages_from") == PAGES_FROM_EXPORTERS
    if options["direct"] and options.get("prometheus_url") and not exporters:
        raise click.UsageError("--direct and --prometheus-url are two ways to read the same")


def _refuse_wrong_prometheus(options: dict[str, Any]) -> None:
    for name, what in problems_of_prometheus(options):
        raise _wrong(name, what)


def _layer(options: dict[str, Any]) -> Any:
    from gpuatlas.sources.layer.settings import LayerSettings, parse_licence_source

    try:
        licences = tuple(map(parse_licence_source, options.get("licence") or ()))
    except ValueError as error:
        raise _wrong("licence", str(error)) from error
    return LayerSettings(probe=bool(options.get("probe_webhook")), licences=licences)


def prometheus_settings(options: dict[str, Any]) -> PrometheusSettings:
    """Which Prometheus to ask. Raises `click.UsageError`."""
    _refuse_wrong_prometheus(options)
    return named_prometheus(options)


def _wrong(name: str, what: str) -> click.UsageError:
    return click.UsageError(f"--{name.replace('_', '-')} {what}")
