"""The web configuration file of Prometheus' exporters (`--web.config.file`): text → `WebConfig`.

The format is exporter-toolkit's (docs/web-configuration.md of v0.16): `tls_server_config`,
`http_server_config`, `basic_auth_users`, `rate_limit`. Relative paths start at the file's folder. A
key that is not part of the format is an error, since a misspelt one would leave a door open. What
OpenSSL's Python binding cannot do is refused by name rather than ignored:

- `client_auth_type` values that ask for a certificate without verifying it,
- more than one `curve_preferences` entry.

`http2` is accepted either way: this server speaks HTTP/1.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import yaml

from gpuatlas.runtime.web.config_section import Problems, Section, WebConfigError
from gpuatlas.runtime.web.tls_names import CLIENT_AUTH, CURVES, UNVERIFIED_CLIENT_AUTH, VERSIONS
from gpuatlas.runtime.web.tls_names import openssl_ciphers as _openssl_ciphers

MAX_FILE_BYTES: Final = 1024 * 1024

# The only response headers that the format lets people set, with the values it takes.
HEADERS: Final[Mapping[str, tuple[str, ...]]] = {
    "Content-Security-Policy": (),
    "Strict-Transport-Security": (),
    "X-Content-Type-Options": ("nosniff",),
    "X-Frame-Options": ("deny", "sameorigin"),
    "X-XSS-Protection": (),
}

_BCRYPT: Final = re.compile(r"\$2[abxy]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}")
_DURATION_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)")
_SECONDS: Final[Mapping[str, float]] = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsConfig:
    """How the server proves who it is, and what it asks of clients. PEM texts stand for files."""

    cert_file: Path | None = None
    key_file: Path | None = None
    cert: str = ""
    key: str = field(default="", repr=False)
    client_auth_type: str = "NoClientCert"
    client_ca_file: Path | None = None
    client_ca: str = ""
    client_allowed_sans: tuple[str, ...] = ()
    min_version: str = "TLS12"
    max_version: str = "TLS13"
    ciphers: str = ""
    prefer_server_ciphers: bool = True
    curve: str = ""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files whose change makes a new certificate or authority."""
        named = (self.cert_file, self.key_file, self.client_ca_file)
        return tuple(path for path in named if path is not None)


@dataclass(frozen=True, slots=True)
class RateLimit:
    """One request each `interval_seconds`, with `burst` at once."""

    interval_seconds: float
    burst: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WebConfig:
    """A whole file. Without one: plain HTTP, open to everybody who can reach the port."""

    tls: TlsConfig | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    users: Mapping[str, str] = field(default_factory=dict, repr=False)
    rate_limit: RateLimit | None = None


def read_web_config(path: Path) -> WebConfig:
    """Read and check the file.

    Raises:
        WebConfigError: it cannot be read, is no YAML, or says something that is not in the format.
    """
    try:
        with path.open("rb") as file:
            body = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise WebConfigError([f"{path}: cannot be read: {error.strerror}"]) from error
    if len(body) > MAX_FILE_BYTES:
        raise WebConfigError([f"{path}: is larger than {MAX_FILE_BYTES} bytes"])
    try:
        document = yaml.safe_load(body)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise WebConfigError([f"{path}: is no YAML: {_first_line(error)}"]) from error
    return parse_web_config(document, folder=path.parent, name=str(path))


def parse_web_config(document: object, *, folder: Path, name: str) -> WebConfig:
    """Check a decoded document; `name` is how messages call the file.

    Raises:
        WebConfigError: with one line for each problem.
    """
    top = Section(document, name, Problems())
    tls = _parse_tls(top.section("tls_server_config"), folder)
    http = top.section("http_server_config")
    http.boolean("http2", default=True)
    config = WebConfig(
        tls=tls,
        headers=_parse_headers(http.section("headers")),
        users=_parse_users(top.section("basic_auth_users")),
        rate_limit=_parse_rate_limit(top.section("rate_limit")),
    )
    http.refuse_unknown()
    top.refuse_unknown()
    top.problems.raise_any()
    return config


def _parse_tls(section: Section, folder: Path) -> TlsConfig | None:
    def path(key: str) -> Path | None:
        text = section.text(key)
        return folder / text if text else None

    config = TlsConfig(
        cert_file=path("cert_file"),
        key_file=path("key_file"),
        cert=section.text("cert"),
        key=section.text("key"),
        client_auth_type=_client_auth(section),
        client_ca_file=path("client_ca_file"),
        client_ca=section.text("client_ca"),
        client_allowed_sans=section.texts("client_allowed_sans"),
        min_version=section.choice("min_version", "TLS12", VERSIONS),
        max_version=section.choice("max_version", "TLS13", VERSIONS),
        ciphers=_listed(section, "cipher_suites", _openssl_ciphers),
        prefer_server_ciphers=section.boolean("prefer_server_cipher_suites", default=True),
        curve=_listed(section, "curve_preferences", _one_curve),
    )
    section.refuse_unknown()
    if not section:
        return None
    _check_pairs(section, config)
    return config


def _check_pairs(section: Section, config: TlsConfig) -> None:
    """What only two keys together can get wrong."""
    for key, text, file in (
        ("cert", config.cert, config.cert_file),
        ("key", config.key, config.key_file),
    ):
        if not text and file is None:
            section.wrong(f"{key}_file", f"is missing (or {key}, with the PEM text itself)")
        if text and file is not None:
            section.wrong(f"{key}_file", f"give {key}_file or {key}, not both")
    has_authority = bool(config.client_ca or config.client_ca_file)
    asks = config.client_auth_type != "NoClientCert"
    if has_authority and not asks:
        section.wrong(
            "client_auth_type", "is missing: a client CA alone asks no client for a certificate"
        )
    if asks and not has_authority:
        section.wrong("client_ca_file", "is missing: client certificates are verified against it")
    if config.client_allowed_sans and not asks:
        section.wrong("client_allowed_sans", "needs client_auth_type: RequireAndVerifyClientCert")
    if VERSIONS[config.min_version] > VERSIONS[config.max_version]:
        section.wrong("min_version", "is above max_version")


def _client_auth(section: Section) -> str:
    value = section.text("client_auth_type", "NoClientCert")
    if value in UNVERIFIED_CLIENT_AUTH:
        section.wrong(
            "client_auth_type",
            f"{value} verifies nothing and is not supported; use RequireAndVerifyClientCert",
        )
        return "NoClientCert"
    return section.choice("client_auth_type", "NoClientCert", CLIENT_AUTH)


def _listed(section: Section, key: str, convert: Callable[[tuple[str, ...]], str]) -> str:
    try:
        return convert(section.texts(key))
    except ValueError as error:
        section.wrong(key, str(error))
        return ""


def _one_curve(names: tuple[str, ...]) -> str:
    if len(names) > 1:
        msg = "one curve at most is supported; leave the key out for OpenSSL's own order"
        raise ValueError(msg)
    for name in names:
        if name not in CURVES:
            msg = f"{name!r} is not known; it can be {', '.join(sorted(CURVES))}"
            raise ValueError(msg)
        return CURVES[name]
    return ""


def _parse_headers(section: Section) -> dict[str, str]:
    headers = {}
    for name, allowed in HEADERS.items():
        value = section.text(name)
        if value and allowed and value not in allowed:
            section.wrong(name, f"must be {' or '.join(allowed)}")
        if any(ord(character) < ord(" ") for character in value):
            section.wrong(name, "must be a single line")
        if name in section.values:
            headers[name] = value
    section.refuse_unknown()
    return headers


def _parse_users(section: Section) -> dict[str, str]:
    users = {}
    for name in section.values:
        hashed = section.text(name)
        if not _BCRYPT.fullmatch(hashed):
            section.wrong(name, "is no bcrypt hash; make one with `htpasswd -nBC 10 NAME`")
        if ":" in name:
            section.wrong(name, "a user name cannot contain a colon")
        users[name] = hashed
    return users


def _parse_rate_limit(section: Section) -> RateLimit | None:
    interval = section.values.get("interval", 0)
    section.known.add("interval")
    burst = section.number("burst", 0)
    section.refuse_unknown()
    seconds = _duration(interval)
    if seconds is None:
        section.wrong("interval", f'{interval!r} is no duration: write "1s" or "250ms"')
        return None
    if not seconds:
        return None
    if burst < 1:
        section.wrong("burst", "must be at least 1, or no request is ever answered")
        return None
    return RateLimit(seconds, burst)


def _duration(value: object) -> float | None:
    """Seconds of a Go duration ("1m30s"), or None; the bare number 0 needs no unit."""
    if isinstance(value, int) and not isinstance(value, bool) and value == 0:
        return 0.0
    text = value if isinstance(value, str) else ""
    parts = _DURATION_PART.findall(text)
    if text == "0":
        return 0.0
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in parts)


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
