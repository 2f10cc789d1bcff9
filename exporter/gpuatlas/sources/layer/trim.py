"""Raw objects of the sharing layers cut to the fields that `parse` reads. Pure; never raises.

For captures. For every set of objects, `parse_layer` says the same of what was cut as of the whole,
wrong types included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from itertools import groupby
from typing import Final

from gpuatlas.model.rejections import MalformedError
from gpuatlas.sources.kubernetes.components import COMPONENTS
from gpuatlas.sources.kubernetes.metadata import api_group, label_text
from gpuatlas.sources.kubernetes.shape import fields, items, text
from gpuatlas.sources.layer.asks import COMPONENT as COMPONENT_LABEL
from gpuatlas.sources.layer.asks import (
    CONFIG_MAPS,
    DAEMON_SETS,
    DEPLOYMENTS,
    ENDPOINT_SLICES,
    LEASES,
    NAME,
    SERVICE_NAME,
    SERVICES,
    WEBHOOKS,
)
from gpuatlas.sources.layer.configs import (
    KEYS,
    NODES,
    NODES_KEY,
    SECTION,
    read_text,
    wanted_scalars,
    writes_of,
)
from gpuatlas.sources.layer.controllers import (
    VERSION,
    component_value,
    config_map_names,
    containers,
    flags_of,
    node_selector,
    said_words,
)
from gpuatlas.sources.layer.endpoints import MAX_ENDPOINTS, MAX_PORTS
from gpuatlas.sources.layer.records import labels_of, metadata_of, words
from gpuatlas.sources.layer.scalars import Scalar
from gpuatlas.sources.layer.webhooks import webhook_items

Raw = Mapping[str, object]

_OWN_LABELS: Final = (COMPONENT_LABEL, NAME, VERSION)
_POD_LABELS: Final = tuple(dict.fromkeys(row.label for row in COMPONENTS))
_STATUS: Final = (
    "observedGeneration",
    "desiredNumberScheduled",
    "numberReady",
    "updatedNumberScheduled",
    "readyReplicas",
    "updatedReplicas",
)


def trim_layer(raw: Raw) -> dict[str, object] | None:
    """The object (with `kind` and `apiVersion`) cut to what `parse_layer` reads.

    None for an object that `parse_layer` makes nothing of, whatever stands beside it.
    """
    head = {"apiVersion": text(raw.get("apiVersion")), "kind": text(raw.get("kind"))}
    trim = _TRIMS.get((api_group(head["apiVersion"]), head["kind"]))
    trimmed = trim(raw) if trim is not None else None
    return None if trimmed is None else {**head, **trimmed}


def _controller(raw: Raw) -> dict[str, object] | None:
    if not component_value(raw):
        return None
    spec, status = fields(raw.get("spec")), fields(raw.get("status"))
    template = fields(spec.get("template"))
    pod = fields(template.get("spec"))
    return {
        "metadata": _metadata(raw, _OWN_LABELS, "generation"),
        "spec": {
            **_scalars(spec, "replicas"),
            "template": {
                "metadata": {"labels": _labels(template, _POD_LABELS)},
                "spec": {
                    "nodeSelector": node_selector(pod),
                    "containers": [_container(container) for container in containers(pod)],
                    "volumes": [{"configMap": {"name": name}} for name in config_map_names(pod)],
                },
            },
        },
        "status": _scalars(status, *_STATUS),
    }


def _container(container: Raw) -> dict[str, object]:
    said: dict[str, str] = {}
    for name, value in flags_of(said_words(container)):
        said.setdefault(name, value)  # of a flag the first one counts
    return {
        "name": label_text(container.get("name")),
        "image": label_text(container.get("image")),
        "args": [f"--{name}={value}" for name, value in said.items()],
    }


def _configuration(raw: Raw) -> dict[str, object]:
    webhooks = [_webhook(hook) for hook in webhook_items(raw)]
    return {"metadata": _metadata(raw, ()), "webhooks": webhooks}


def _webhook(hook: Raw) -> dict[str, object]:
    client = fields(hook.get("clientConfig"))
    service = fields(client.get("service"))
    named = _scalars(service, "namespace", "name", "path", "port")
    return {
        **_scalars(hook, "name", "failurePolicy"),
        "clientConfig": {
            **_scalars(client, "url", "caBundle"),
            **({"service": named} if named else {}),
        },
        "rules": [_rule(rule) for rule in map(fields, items(hook.get("rules")))],
    }


def _rule(rule: Raw) -> dict[str, object]:
    lists = ("operations", "apiGroups", "apiVersions", "resources")
    return {**{name: list(words(rule.get(name))) for name in lists}, **_scalars(rule, "scope")}


def _service(raw: Raw) -> dict[str, object] | None:
    if SERVICES.selectors != (f"{COMPONENT_LABEL}={labels_of(raw).get(COMPONENT_LABEL)}",):
        return None
    ports = _ports(fields(raw.get("spec")).get("ports"))
    return {"metadata": _metadata(raw, (COMPONENT_LABEL,)), "spec": {"ports": ports}}


def _slice(raw: Raw) -> dict[str, object] | None:
    if not text(labels_of(raw).get(SERVICE_NAME)):
        return None
    listed = items(raw.get("endpoints"))[:MAX_ENDPOINTS]
    return {
        "metadata": _metadata(raw, (SERVICE_NAME,)),
        "addressType": text(raw.get("addressType")),
        "ports": _ports(raw.get("ports")),
        "endpoints": [_endpoint(endpoint) for endpoint in map(fields, listed)],
    }


def _ports(value: object) -> list[dict[str, object]]:
    return [_scalars(port, "name", "port") for port in map(fields, items(value)[:MAX_PORTS])]


def _endpoint(endpoint: Raw) -> dict[str, object]:
    return {
        "addresses": [_scalar(one) for one in items(endpoint.get("addresses"))[:1]],
        "conditions": _scalars(fields(endpoint.get("conditions")), "ready"),
        "targetRef": _scalars(fields(endpoint.get("targetRef")), "namespace", "name"),
    }


def _lease(raw: Raw) -> dict[str, object]:
    spec = fields(raw.get("spec"))
    named = _scalars(spec, "holderIdentity", "renewTime", "leaseDurationSeconds")
    return {"metadata": _metadata(raw, ()), "spec": named}


def _config_map(raw: Raw) -> dict[str, object] | None:
    data = fields(raw.get("data"))
    said = {key: reduced(key, text(data[key])) for key in KEYS if isinstance(data.get(key), str)}
    if not said:
        return None
    writes = [
        {"time": _scalar(at), "fieldsV1": {"f:data": {name: {} for name in kept}}}
        for keys, at in writes_of(raw)
        if (kept := [f"f:{key}" for key in said if f"f:{key}" in keys])
    ]
    metadata = {**_metadata(raw, (COMPONENT_LABEL,)), "managedFields": writes}
    return {"metadata": metadata, "data": said}


def reduced(key: str, content: str) -> str:
    """The text of a configuration with the settings that are read, each on the line it is on.

    The text as it is where that would not say the same: of one that cannot be read the fault has to
    be shown.
    """
    try:
        scalars = list(wanted_scalars(key, content))
    except MalformedError:
        return content
    shorter = _nodes_text(scalars) if key == NODES_KEY else _defaults_text(scalars)
    return shorter if read_text(key, shorter) == read_text(key, content) else content


class _Placing:
    """Puts records on the lines that they come from."""

    def __init__(self) -> None:
        self._line = 1

    def join(self, scalars: Iterable[Scalar]) -> str:
        """The records, with commas between them."""
        return ",".join(self._placed(scalar) for scalar in scalars)

    def _placed(self, scalar: Scalar) -> str:
        gap = max(scalar.line - self._line, 0)
        self._line += gap
        return "\n" * gap + scalar.record


def _defaults_text(scalars: Iterable[Scalar]) -> str:
    return f"{SECTION}: {{{_Placing().join(scalars)}}}\n"


def _nodes_text(scalars: Iterable[Scalar]) -> str:
    placing = _Placing()
    nodes = [
        ",".join(_node_parts(of_node, placing))
        for _, of_node in groupby(scalars, key=lambda scalar: scalar.path[1])
    ]
    return f'{{"{NODES}": [{",".join(f"{{{node}}}" for node in nodes)}]}}\n'


def _node_parts(scalars: Iterable[Scalar], placing: _Placing) -> Iterator[str]:
    """Settings, and the lists of hidden cards."""
    for within, found in groupby(scalars, key=lambda scalar: scalar.path[2:-1]):
        joined = placing.join(found)
        yield f'"{within[0]}": {{"{within[1]}": [{joined}]}}' if within else joined


def _metadata(raw: Raw, labels: Iterable[str], *numbers: str) -> dict[str, object]:
    metadata = metadata_of(raw)
    named = _scalars(metadata, "name", "namespace", *numbers)
    return {**named, "labels": _labels(raw, labels)}


def _labels(raw: object, names: Iterable[str]) -> dict[str, object]:
    found = labels_of(raw)
    return {name: label_text(found[name]) for name in names if isinstance(found.get(name), str)}


def _scalars(source: Raw, *names: str) -> dict[str, object]:
    return dict(_present(source, names))


def _present(source: Raw, names: Iterable[str]) -> Iterator[tuple[str, object]]:
    for name in names:
        if source.get(name) is not None:
            yield name, _scalar(source[name])


def _scalar(value: object) -> object:
    """The value itself, or an empty container of its type: what it holds is not looked at."""
    if value is None or isinstance(value, str | int | float | date):
        return value
    return type(value)() if isinstance(value, list | dict) else None


_TRIMS: Final[Mapping[tuple[str, str], Callable[[Raw], dict[str, object] | None]]] = {
    (ask.api_group, ask.kind): trim
    for ask, trim in (
        (DAEMON_SETS, _controller),
        (DEPLOYMENTS, _controller),
        (WEBHOOKS, _configuration),
        (SERVICES, _service),
        (ENDPOINT_SLICES, _slice),
        (LEASES, _lease),
        (CONFIG_MAPS, _config_map),
    )
}
