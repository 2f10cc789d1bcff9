"""How the sharing layers' own objects are read. No I/O here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

# Names of namespaces and ConfigMaps, and keys in these, as Kubernetes has them.
_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
_KEY: Final = re.compile(r"[-._a-zA-Z0-9]{1,253}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LicenceSource:
    """A key of a ConfigMap that says when a licence of a commercial layer ends."""

    namespace: str
    config_map: str
    key: str

    @property
    def object(self) -> str:
        """How findings name it."""
        return f"ConfigMap/{self.namespace}/{self.config_map}"

    @property
    def name(self) -> str:
        """What tells it from other licences of that namespace."""
        return f"{self.config_map}/{self.key}"


def parse_licence_source(text: str) -> LicenceSource:
    """Read NAMESPACE/CONFIGMAP/KEY.

    Raises:
        ValueError: it has another form.
    """
    namespace, _, rest = text.partition("/")
    config_map, _, key = rest.partition("/")
    if not (_NAME.fullmatch(namespace) and _NAME.fullmatch(config_map) and _KEY.fullmatch(key)):
        message = f"{text!r} must be NAMESPACE/CONFIGMAP/KEY, such as layer-system/licence/notAfter"
        raise ValueError(message)
    return LicenceSource(namespace=namespace, config_map=config_map, key=key)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSettings:
    """Settings of the layer source. Durations are seconds."""

    probe: bool = True
    """Shake hands with the webhooks' endpoints, to see which certificate they serve."""

    probe_timeout_s: float = 5.0
    """The most that one endpoint may take. The API server itself waits 10 s for a webhook
    (facts/hami.md 6.2), and each pod that is created waits for that."""

    probed_endpoints: int = 3
    """How many endpoints of one webhook are asked: schedulers have one to three replicas."""

    licences: tuple[LicenceSource, ...] = ()
    """Where licences say when they end."""

    outage_s: float = 600.0
    """How long the last answer is believed while the API server does not give another."""
