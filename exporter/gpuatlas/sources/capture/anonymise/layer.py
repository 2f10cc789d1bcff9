"""The sharing layers' own objects with names replaced: the same finds them, and says as much.

Options of command lines, configuration texts and webhooks hold names between words that our readers
go by, so each has a rule of its own. Numbers and times stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from gpuatlas.sources.capture.anonymise.certificates import stand_in
from gpuatlas.sources.capture.anonymise.configs import rewrite_config
from gpuatlas.sources.capture.anonymise.names import Names
from gpuatlas.sources.capture.anonymise.objects import ObjectWriter
from gpuatlas.sources.capture.anonymise.texts import Texts
from gpuatlas.sources.capture.anonymise.vocabulary import is_container
from gpuatlas.sources.kubernetes.kept import NODE_LABELS
from gpuatlas.sources.layer.asks import LEASES, SERVICE_NAME
from gpuatlas.sources.layer.controllers import FLAGS
from gpuatlas.sources.layer.webhooks import HAMI_WEBHOOK

# Words of the API in these fields; another one could be somebody's own.
_API_WORDS: Final = frozenset(
    {
        *("", "*", "*/*", "v1", "pods", "CREATE", "UPDATE", "DELETE", "CONNECT"),
        *("Namespaced", "Cluster", "Ignore", "Fail", "IPv4", "IPv6", "FQDN"),
    }
)
_API_FIELDS: Final = frozenset(
    {
        "operations",
        "apiGroups",
        "apiVersions",
        "resources",
        "scope",
        "failurePolicy",
        "addressType",
    }
)
_TIMES: Final = frozenset({"time", "renewTime"})
# Options that name a scheduler, as pods do, or its Lease, which often is its namesake; and those
# that name a namespace. The values of all others are numbers and switches.
_OF_SCHEDULERS: Final = ("scheduler-name", "leader-elect-resource-name")
_OF_NAMESPACES: Final = "-namespace"
# Where HAMi's webhook answers (facts/hami.md 6.2).
_WEBHOOK_PATH: Final = "/webhook"
_HTTPS: Final = "https://"


class LayerWriter(ObjectWriter):
    """Rewrites objects of `sources.layer.asks`."""

    def __init__(self, names: Names, texts: Texts) -> None:
        super().__init__(names, texts)
        more: Mapping[str, Callable[[str], str]] = {
            **dict.fromkeys(_API_FIELDS, self._api_word),
            **dict.fromkeys(_TIMES, lambda text: text),
            "args": self._option,
            "caBundle": stand_in,
            "path": lambda text: text if text == _WEBHOOK_PATH else self._texts.plain(text),
            "url": self._url,
        }
        self._fields = {**self._fields, **more}
        self._items = {
            **self._items,
            "containers": self._container,
            "webhooks": self._webhook,
        }

    def rewrite_object(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """A whole object."""
        rewritten = self.rewrite(body)
        metadata = body.get("metadata")
        if body.get("kind") == LEASES.kind and isinstance(metadata, Mapping):
            name = self._scheduler(str(metadata.get("name", "")))
            return {**rewritten, "metadata": {**rewritten["metadata"], "name": name}}
        return rewritten

    def _field(self, field: str, value: Any) -> Any:
        if field == "nodeSelector" and isinstance(value, Mapping):
            return {self._selected(key): self._label(key, c) for key, c in value.items()}
        if field == "data" and isinstance(value, Mapping):
            return {key: self._config(key, text) for key, text in value.items()}
        return super()._field(field, value)

    def _label(self, key: str, value: Any) -> Any:
        if key == SERVICE_NAME and isinstance(value, str):
            return self._name(value)
        return super()._label(key, value)

    def _selected(self, key: str) -> str:
        """A label of nodes; one that is not read of nodes is an administrator's own."""
        return key if NODE_LABELS.keeps(key) else self._texts.plain(key)

    def _container(self, item: Any) -> Any:
        """Containers by whose names the layer's own image is told keep these."""
        return self._keeping(item, is_container)

    def _webhook(self, item: Any) -> Any:
        """HAMi's webhook is told by its name."""
        return self._keeping(item, lambda name: name == HAMI_WEBHOOK)

    def _keeping(self, item: Any, is_kept: Callable[[str], bool]) -> Any:
        if not isinstance(item, Mapping):
            return item
        name = item.get("name")
        kept = {"name": name} if isinstance(name, str) and is_kept(name) else {}
        return {**self.rewrite(item), **kept}

    def _option(self, text: str) -> str:
        """One option as `trim` writes them: "--name=value"."""
        option, equals, value = text.removeprefix("--").partition("=")
        if not equals or option not in FLAGS:
            return self._texts.plain(text)
        if option in _OF_SCHEDULERS:
            return f"--{option}={self._scheduler(value)}"
        named = option.endswith(_OF_NAMESPACES)
        return f"--{option}={self._name(value) if named else self._texts.plain(value)}"

    def _api_word(self, text: str) -> str:
        return text if text in _API_WORDS else self._texts.plain(text)

    def _url(self, text: str) -> str:
        start = _HTTPS if text.startswith(_HTTPS) else ""
        return f"{start}{self._texts.plain(text.removeprefix(start))}"

    def _config(self, key: str, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return rewrite_config(key, value, name=self._name, word=self._texts.plain)
