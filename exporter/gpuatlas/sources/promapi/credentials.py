"""Who we are to a Prometheus: the header `Authorization`, from files that are read for each query.

Files and not values, so that neither a command line nor a pod's specification shows a secret, and
so that a token or a password may change. No message quotes what is in them.
"""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

from gpuatlas.sources.errors import UnauthorizedError
from gpuatlas.sources.promapi.settings import PrometheusSettings

_COLON = ":"


def authorization(settings: PrometheusSettings) -> str:
    """The header's value, "" where the settings name no file.

    Raises:
        UnauthorizedError: a file cannot be read, or holds nothing that can be sent.
    """
    if settings.bearer_token_file is not None:
        return f"Bearer {_token(settings.bearer_token_file)}"
    if settings.username_file is not None and settings.password_file is not None:
        return f"Basic {_basic(settings.username_file, settings.password_file)}"
    return ""


def _token(path: Path) -> str:
    token = _read(path, "bearer token").strip()
    if not (token and token.isascii() and token.isprintable()):
        message = f"the bearer token file {path} holds no token: it must be one line of ASCII"
        raise UnauthorizedError(message)
    return token


def _basic(username_file: Path, password_file: Path) -> str:
    username = _line(username_file, "user name")
    password = _line(password_file, "password")
    if _COLON in username:
        message = f"the user name file {username_file} has a colon, which no user name may have"
        raise UnauthorizedError(message)
    return b64encode(f"{username}{_COLON}{password}".encode()).decode("ascii")


def _line(path: Path, what: str) -> str:
    # Blanks may be part of a password; the end of the line is what an editor puts there.
    line = _read(path, what).rstrip("\r\n")
    if not line or not line.isprintable():
        message = f"the {what} file {path} holds no {what}: it must be one line of text"
        raise UnauthorizedError(message)
    return line


def _read(path: Path, what: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        message = f"cannot read the {what} file {path}: {error.strerror}"
    except UnicodeDecodeError:
        message = f"cannot read the {what} file {path}: it is no UTF-8"
    raise UnauthorizedError(message)
