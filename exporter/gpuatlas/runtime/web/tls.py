"""The TLS context of a `TlsConfig`, and the check of a client certificate's names."""

from __future__ import annotations

import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpuatlas.runtime.web.config_section import WebConfigError
from gpuatlas.runtime.web.tls_names import CLIENT_AUTH, VERSIONS
from gpuatlas.runtime.web.web_config import TlsConfig


def build_context(config: TlsConfig) -> ssl.SSLContext:
    """A server context with the certificate loaded, so that a wrong one fails here and now.

    Raises:
        WebConfigError: a file cannot be read, is no PEM, or certificate and key do not match.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = VERSIONS[config.min_version]
    context.maximum_version = VERSIONS[config.max_version]
    context.verify_mode = CLIENT_AUTH[config.client_auth_type]
    context.set_alpn_protocols(["http/1.1"])
    if not config.prefer_server_ciphers:
        context.options &= ~ssl.OP_CIPHER_SERVER_PREFERENCE
    if config.ciphers:
        context.set_ciphers(config.ciphers)
    if config.curve:
        context.set_ecdh_curve(config.curve)
    _load_certificate(context, config)
    _load_client_authority(context, config)
    return context


def client_name_allowed(config: TlsConfig, connection: ssl.SSLSocket) -> bool:
    """Whether one of the client certificate's alternative names is in `client_allowed_sans`.

    DNS names, addresses, e-mail addresses and URIs count, compared as written. A client without a
    certificate passes where none is required: there is no name to hold against it.
    """
    certificate = connection.getpeercert()
    if not config.client_allowed_sans or not certificate:
        return True
    names = certificate.get("subjectAltName", ())
    return any(str(entry[-1]) in config.client_allowed_sans for entry in names)


def _load_certificate(context: ssl.SSLContext, config: TlsConfig) -> None:
    cert, key = _as_file(config.cert, config.cert_file), _as_file(config.key, config.key_file)
    try:
        with cert as cert_file, key as key_file:
            # An empty password keeps OpenSSL from asking for one on the terminal.
            context.load_cert_chain(cert_file, key_file, password="")
    except (OSError, ValueError) as error:
        names = f"{config.cert_file or 'cert'} and {config.key_file or 'key'}"
        raise WebConfigError([f"tls_server_config: {names}: {_explain(error)}"]) from error


def _load_client_authority(context: ssl.SSLContext, config: TlsConfig) -> None:
    if not config.client_ca and config.client_ca_file is None:
        return
    try:
        if config.client_ca_file is not None:
            context.load_verify_locations(cafile=config.client_ca_file)
        else:
            context.load_verify_locations(cadata=config.client_ca)
    except (OSError, ValueError) as error:
        name = config.client_ca_file or "client_ca"
        raise WebConfigError([f"tls_server_config: {name}: {_explain(error)}"]) from error


@contextmanager
def _as_file(text: str, path: Path | None) -> Iterator[Path]:
    """The path, or a private file with the inline PEM text for as long as OpenSSL reads it."""
    if path is not None:
        yield path
        return
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
        file.write(text)
        file.flush()
        yield Path(file.name)


def _explain(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        if error.reason == "KEY_VALUES_MISMATCH":
            return "certificate and key do not belong together"
        if "PEM lib" in str(error):
            return "one of them holds no PEM text of its kind"
        return (error.reason or str(error)).replace("_", " ").lower()
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or "cannot be loaded"
