"""Webhooks of MutatingWebhookConfigurations that belong to a sharing layer. Pure.

facts/hami.md 6.1 and 6.2. A configuration holds no component label, so a webhook is a layer's by
its own name or by the Service that it calls. That its Service stands in the layer's namespace says
nothing: HAMi often lives in kube-system.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from gpuatlas.model.layer import LayerWebhook
from gpuatlas.model.rejections import MalformedError
from gpuatlas.model.units import clean_text
from gpuatlas.sources.kubernetes.metadata import label_text
from gpuatlas.sources.kubernetes.shape import fields, items, text
from gpuatlas.sources.layer.certificates import MAX_BUNDLE_BYTES, last_end, read_bundle
from gpuatlas.sources.layer.controllers import MAX_ITEMS
from gpuatlas.sources.layer.records import name_of, words

HAMI_WEBHOOK: Final = "vgpu.hami.io"
_HTTPS: Final = 443
_MAX_PORT: Final = 65535
_MAX_URL: Final = 512


def read_webhooks(
    raw: object, schedulers: Collection[tuple[str, str]]
) -> Iterator[LayerWebhook | MalformedError]:
    """The webhooks of one configuration that are a layer's, and why one of them cannot be read.

    `schedulers` are (namespace, name) of Services of the layers' schedulers.

    Raises:
        MalformedError: "no-name": the configuration has none.
    """
    webhooks = [hook for hook in webhook_items(raw) if is_layers(hook, schedulers)]
    if webhooks:
        _, configuration = name_of(raw)
        for hook in webhooks:
            try:
                yield _read(configuration, hook)
            except MalformedError as error:
                yield error


def webhook_items(raw: object) -> Iterator[Mapping[str, object]]:
    """The webhooks of a configuration, raw."""
    return map(fields, items(fields(raw).get("webhooks"))[:MAX_ITEMS])


def is_layers(hook: Mapping[str, object], schedulers: Collection[tuple[str, str]]) -> bool:
    """Whether a raw webhook belongs to a sharing layer."""
    return text(hook.get("name")) == HAMI_WEBHOOK or _service(hook) in schedulers


def _read(configuration: str, hook: Mapping[str, object]) -> LayerWebhook:
    client = fields(hook.get("clientConfig"))
    service = fields(client.get("service"))
    bundle, unreadable = _bundle(client.get("caBundle"))
    ends, error = _end_of(bundle)
    return LayerWebhook(
        configuration=configuration,
        webhook=label_text(hook.get("name")),
        service=_service(hook),
        url=clean_text(text(client.get("url")), limit=_MAX_URL),
        port=_port(service.get("port")),
        path=label_text(service.get("path")),
        failure_policy=label_text(hook.get("failurePolicy")) or "Fail",  # the API's default
        ca_bundle=bundle,
        ca_not_after=None if unreadable else ends,
        ca_error=unreadable or error,
        admits_pods=any(_covers_pods(rule) for rule in map(fields, items(hook.get("rules")))),
    )


def _service(hook: Mapping[str, object]) -> tuple[str, str] | None:
    service = fields(fields(hook.get("clientConfig")).get("service"))
    name = label_text(service.get("name"))
    return (label_text(service.get("namespace")), name) if name else None


def _bundle(value: object) -> tuple[bytes, str]:
    """The caBundle's bytes, or why it is none."""
    encoded = text(value)
    if len(encoded) > 2 * MAX_BUNDLE_BYTES:
        return b"", f"caBundle is larger than {MAX_BUNDLE_BYTES} bytes"
    try:
        return base64.b64decode(encoded, validate=True), ""
    except (binascii.Error, ValueError):
        return b"", "caBundle is not base64"


def _end_of(bundle: bytes) -> tuple[float | None, str]:
    try:
        return last_end(read_bundle(bundle)), ""
    except MalformedError as error:
        return None, str(error)


def _port(value: object) -> int:
    if value is None:
        return _HTTPS
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= _MAX_PORT:
        message = f"clientConfig.service.port is no port from 1 to {_MAX_PORT}"
        raise MalformedError("bad-number", message)
    return value


def _covers_pods(rule: Mapping[str, object]) -> bool:
    """Whether a rule takes in the creation of pods."""
    return (
        _any_of(rule.get("operations"), "CREATE", "*")
        and _any_of(rule.get("apiGroups"), "", "*")
        and _any_of(rule.get("apiVersions"), "v1", "*")
        and _any_of(rule.get("resources"), "pods", "*", "*/*")
        and rule.get("scope") != "Cluster"
    )


def _any_of(value: object, *wanted: str) -> bool:
    return any(word in wanted for word in words(value))
