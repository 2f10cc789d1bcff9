"""Takes the sharing layers' own objects of a running cluster, as the exporter asks for them.

The reader itself is listened to, so that a capture holds what it would have read and no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpuatlas.sources.capture.contents import RawObject
from gpuatlas.sources.kubernetes.pages import Lists
from gpuatlas.sources.layer.asks import ASKS, Ask
from gpuatlas.sources.layer.reader import LayerReader
from gpuatlas.sources.layer.settings import LayerSettings

# A handshake leaves nothing that a capture could hold.
_SETTINGS: Final = LayerSettings(probe=False)
_JSON: Final = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class RawLayer:
    """What was answered. Objects that turn out to be no layer's are among these.

    `listed` are the kinds ("services") of which a list came, `unread` says of the others why there
    is none.
    """

    objects: tuple[RawObject, ...]
    listed: frozenset[str]
    unread: Mapping[str, str]


def collect_layer(connection: Lists) -> RawLayer:
    """The raw objects. Raises nothing."""
    recorder = _Recorder(connection)
    said, _ = LayerReader(recorder, _SETTINGS).read(0.0)
    kinds = {ask.qualified for ask in ASKS}
    unread = {what: why for what, why in said.unread.items() if what in kinds}
    listed = {ask.qualified for ask, path, _ in recorder.answers if path == ask.path}
    return RawLayer(
        objects=tuple(recorder.objects()),
        listed=frozenset(listed - unread.keys()),
        unread=unread,
    )


class _Recorder:
    """Passes answers on and remembers them. See `Lists`."""

    def __init__(self, connection: Lists) -> None:
        self._connection = connection
        self.answers: list[tuple[Ask, str, dict[str, object]]] = []

    @property
    def address(self) -> str:
        """The server's."""
        return self._connection.address

    def get(
        self, path: str, query: Mapping[str, str] | None = None, *, accept: str = _JSON
    ) -> dict[str, object]:
        """As `Connection.get`."""
        answer = self._connection.get(path, query, accept=accept)
        ask = next((ask for ask in ASKS if _is_of(path, ask)), None)
        if ask is not None:
            self.answers.append((ask, path, answer))
        return answer

    def objects(self) -> Iterator[RawObject]:
        """Everything that was answered: the items of lists, and objects by name."""
        for ask, path, answer in self.answers:
            listed = answer.get("items") if path == ask.path else [answer]
            for item in listed if isinstance(listed, list) else ():
                if isinstance(item, dict):
                    yield _typed(item, ask)


def _is_of(path: str, ask: Ask) -> bool:
    """Whether a path is that of the list, or of one object by its name."""
    if path == ask.path:
        return True
    place = path.removeprefix(f"{ask.root}/namespaces/").split("/")
    return path.startswith(f"{ask.root}/namespaces/") and place[1:2] == [ask.resource]


def _typed(item: dict[str, Any], ask: Ask) -> RawObject:
    """The items of a list do not repeat what they are."""
    body = {**item, "apiVersion": ask.api_version, "kind": ask.kind}
    metadata = item.get("metadata")
    name = metadata.get("name", "") if isinstance(metadata, dict) else ""
    return RawObject(body=body, where=f"{ask.kind} {name}")
