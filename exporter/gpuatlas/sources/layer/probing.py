"""Which endpoints of which webhooks are to be asked for their certificates. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from gpuatlas.model.layer import LayerObjects, LayerWebhook, ServiceEndpoints
from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.layer.certificates import Certificate, read_bundle

_HTTPS: Final = 443
# A layer has one webhook; somebody who can make a thousand of them gets no thousand handshakes.
MAX_WEBHOOKS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeTarget:
    """One endpoint. `server_name` is what its certificate must be for, `trusted` the caBundle.

    `trusted` is empty where the caBundle cannot be used; `untrusted` says why.
    """

    configuration: str
    webhook: str
    host: str
    port: int
    server_name: str
    trusted: tuple[Certificate, ...]
    untrusted: str

    @property
    def address(self) -> str:
        """host:port, IPv6 in brackets."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def probe_targets(objects: LayerObjects, most: int) -> Iterator[ProbeTarget]:
    """At most `most` endpoints of each webhook.

    The ready addresses behind its Service; where these are not known, the Service by its DNS name,
    which answers inside the cluster. A Service that is known to have none is not asked.
    """
    behind = {(e.namespace, e.service, e.port): e for e in objects.endpoints}
    for webhook in objects.webhooks[:MAX_WEBHOOKS]:
        trusted, untrusted = _trusted(webhook.ca_bundle)
        for host, port, server_name in _places(webhook, behind, most):
            yield ProbeTarget(
                configuration=webhook.configuration,
                webhook=webhook.webhook,
                host=host,
                port=port,
                server_name=server_name,
                trusted=trusted,
                untrusted=untrusted,
            )


def _places(
    webhook: LayerWebhook, behind: dict[tuple[str, str, int], ServiceEndpoints], most: int
) -> Iterator[tuple[str, int, str]]:
    if webhook.service is None:
        yield from _of_url(webhook.url)
        return
    namespace, service = webhook.service
    # The name that the API server asks for, whatever address it goes to.
    server_name = f"{service}.{namespace}.svc"
    endpoints = behind.get((namespace, service, webhook.port))
    if endpoints is None:
        yield server_name, webhook.port, server_name
        return
    for host, port in endpoints.addresses[:most]:
        yield host, port, server_name


def _of_url(url: str) -> Iterator[tuple[str, int, str]]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return
    if host:
        yield host, _HTTPS if port is None else port, host


def _trusted(bundle: bytes) -> tuple[tuple[Certificate, ...], str]:
    try:
        return read_bundle(bundle), ""
    except MalformedError as error:
        return (), str(error)
