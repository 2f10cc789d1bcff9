"""Listen addresses as exporters take them: ":9836", "127.0.0.1:0", "[::1]:9836", "host:9836"."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from typing import Final

_MAX_PORT: Final = 65535
_FORM: Final = re.compile(
    r"(?:\[(?P<v6>[\w:.%]+)\]|(?P<host>[^:\[\]\s]*)):(?P<port>\d{1,5})", re.ASCII
)


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """A host ("" for every interface, IPv4 and IPv6) and a port (0 for any free one)."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{bracketed(self.host)}:{self.port}"

    def bind_host(self) -> str:
        """What the socket is bound to: for every interface one dual-stack socket, if it can be."""
        if self.host:
            return self.host
        return "::" if socket.has_dualstack_ipv6() else "0.0.0.0"  # noqa: S104 - asked for by ":port"


def bracketed(host: str) -> str:
    """A host as it stands in a URL: IPv6 addresses in brackets."""
    return f"[{host}]" if ":" in host else host


def parse_listen_address(text: str) -> ListenAddress:
    """Read a listen address.

    Raises:
        ValueError: it has no port, the port is over 65535, or an IPv6 address lacks its brackets.
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        msg = f'{text!r} is no listen address: write ":9836", "127.0.0.1:9836" or "[::1]:9836"'
        raise ValueError(msg)
    port = int(match["port"])
    if port > _MAX_PORT:
        msg = f"{text!r} is no listen address: the largest port is {_MAX_PORT}"
        raise ValueError(msg)
    return ListenAddress(match["v6"] or match["host"] or "", port)
