"""Where the API server is and who we are to it: kubeconfig, or the pod's service account.

Beside `connection` the only module that imports the `kubernetes` package. It reads files and may
run the credentials plugin that a kubeconfig names; it does not talk to the API server.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import yaml
from kubernetes.client import Configuration
from kubernetes.config import ConfigException, list_kube_config_contexts, load_kube_config
from kubernetes.config.incluster_config import SERVICE_HOST_ENV_NAME, InClusterConfigLoader

from gpuatlas.model.units import clean_text
from gpuatlas.sources.errors import MAX_QUOTE
from gpuatlas.sources.kubernetes.errors import ConfigurationError
from gpuatlas.sources.kubernetes.settings import KubernetesSettings

# What the package raises for a file that is not a kubeconfig, beside its own error: it indexes and
# decodes whatever YAML it finds.
LOAD_ERRORS: Final = (
    ConfigException,
    yaml.YAMLError,
    OSError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
)


def load_configuration(settings: KubernetesSettings, environ: Mapping[str, str]) -> Any:
    """The client configuration, freshly read: files may have changed since the last time.

    Raises:
        ConfigurationError: nothing usable; the message names the places and what to set.
    """
    configuration = Configuration()
    files = _kubeconfig(settings, environ)
    if files:
        _load_files(configuration, files, settings.context)
    elif SERVICE_HOST_ENV_NAME in environ:
        _load_service_account(configuration, settings.service_account, environ)
    else:
        message = (
            "no Kubernetes configuration: KUBECONFIG is not set, "
            f"{_default_file(environ)} does not exist, and this is not a pod "
            f"({SERVICE_HOST_ENV_NAME} is not set). Pass --kubeconfig FILE or set KUBECONFIG"
        )
        raise ConfigurationError(message)
    configuration.connection_pool_maxsize = settings.pool_size
    # urllib3's own retries would sleep for Retry-After without an end in sight and follow
    # redirects; retrying is for the callers, who know when to stop.
    configuration.retries = False
    # A load balancer that drops a quiet watch without a word is noticed within minutes.
    configuration.keep_alive = True
    return configuration


def is_in_pod(settings: KubernetesSettings, environ: Mapping[str, str]) -> bool:
    """Whether the configuration is that of a pod's service account and of no kubeconfig.

    Raises `ConfigurationError` where a kubeconfig is named that does not exist.
    """
    return SERVICE_HOST_ENV_NAME in environ and not _kubeconfig(settings, environ)


def _default_file(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or Path.home()) / ".kube" / "config"


def _kubeconfig(settings: KubernetesSettings, environ: Mapping[str, str]) -> str:
    """The kubeconfig files to merge, joined as in KUBECONFIG; "" for none."""
    if settings.kubeconfig is not None:
        if not settings.kubeconfig.is_file():
            message = f"the kubeconfig {settings.kubeconfig} does not exist"
            raise ConfigurationError(message)
        return str(settings.kubeconfig)
    if listed := environ.get("KUBECONFIG", ""):
        files = [p for p in listed.split(os.pathsep) if p and Path(p).expanduser().is_file()]
        if not files:
            message = f"KUBECONFIG names {listed}, but no such file exists. Correct it or unset it"
            raise ConfigurationError(message)
        return os.pathsep.join(files)
    default = _default_file(environ)
    return str(default) if default.is_file() else ""


def _load_files(configuration: Any, files: str, context: str | None) -> None:
    try:
        with _plugin_errors() as complaints:
            # A renewed OIDC token is written back to the file, as kubectl does: its old refresh
            # token would not work a second time.
            load_kube_config(  # type: ignore[no-untyped-call]
                config_file=files, context=context, client_configuration=configuration
            )
    except LOAD_ERRORS as error:
        raise ConfigurationError(_explained(files, context, error)) from error
    if complaints and not configuration.api_key and not configuration.cert_file:
        # The package only logs it, and every request would then be anonymous.
        message = (
            f"the credentials plugin of the kubeconfig {files} failed: "
            f"{clean_text(complaints[-1], limit=MAX_QUOTE)}"
        )
        raise ConfigurationError(message)


def _explained(files: str, context: str | None, error: Exception) -> str:
    try:
        contexts, _ = list_kube_config_contexts(files)  # type: ignore[no-untyped-call]
        names = [str(entry["name"]) for entry in contexts]
    except LOAD_ERRORS:
        names = []
    if context is not None and names and context not in names:
        return f"the kubeconfig {files} has no context {context}; it has: {', '.join(names)}"
    if isinstance(error, yaml.YAMLError):
        return f"the kubeconfig {files} is not YAML: {clean_text(str(error), limit=MAX_QUOTE)}"
    reason = clean_text(str(error) or type(error).__name__, limit=MAX_QUOTE)
    return f"the kubeconfig {files} cannot be used: {reason}"


def _load_service_account(configuration: Any, folder: Path, environ: Mapping[str, str]) -> None:
    loader = InClusterConfigLoader(  # type: ignore[no-untyped-call]
        token_filename=str(folder / "token"),
        cert_filename=str(folder / "ca.crt"),
        environ=environ,
    )
    try:
        loader.load_and_set(configuration)  # type: ignore[no-untyped-call]
    except LOAD_ERRORS as error:
        message = (
            f"the service account in {folder} cannot be used: {error}. Set "
            "automountServiceAccountToken: true in the pod, or pass --kubeconfig FILE"
        )
        raise ConfigurationError(message) from error


class _Complaints(logging.Handler):
    def __init__(self, found: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._found = found

    def emit(self, record: logging.LogRecord) -> None:
        self._found.append(record.getMessage())


@contextmanager
def _plugin_errors() -> Iterator[list[str]]:
    """What the package logs to the root logger: the only trace of a failed credentials plugin."""
    found: list[str] = []
    handler = _Complaints(found)
    logging.getLogger().addHandler(handler)
    try:
        yield found
    finally:
        logging.getLogger().removeHandler(handler)
