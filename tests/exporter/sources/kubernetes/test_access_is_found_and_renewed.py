from __future__ import annotations

import json
import logging
import ssl
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from gpuatlas.sources.errors import SourceError, UnauthorizedError, UnreachableError
from gpuatlas.sources.kubernetes.connection import Connection
from gpuatlas.sources.kubernetes.errors import ConfigurationError
from gpuatlas.sources.kubernetes.settings import KubernetesSettings
from gpuatlas_harness import pki

if TYPE_CHECKING:
    from tests.exporter.sources.kubernetes.conftest import FakeApiServer

PODS = "/api/v1/pods"
Environ = dict[str, str]


def refusal(settings: KubernetesSettings, environ: Environ) -> str:
    with pytest.raises(ConfigurationError) as caught:
        Connection.open(settings, environ)
    return str(caught.value)


def token_of(api: FakeApiServer, settings: KubernetesSettings, environ: Environ) -> str:
    """What one request carries as credentials."""
    connection = Connection.open(settings, environ)
    with pytest.raises(SourceError):
        connection.get("/nothing")
    connection.close()
    return api.requests[-1].headers.get("Authorization", "")


@pytest.fixture
def authority() -> pki.Authority:
    return pki.Authority("a test authority")


@pytest.fixture
def secure_api(
    make_api: Callable[[ssl.SSLContext], FakeApiServer], authority: pki.Authority, tmp_path: Path
) -> Iterator[FakeApiServer]:
    pair = authority.server(["localhost"], ["127.0.0.1"])
    (tmp_path / "tls.pem").write_bytes(pair.certificate + pair.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "tls.pem")
    server = make_api(context)
    yield server
    server.stop()


@pytest.fixture
def service_account(authority: pki.Authority, tmp_path: Path) -> Path:
    folder = tmp_path / "serviceaccount"
    folder.mkdir()
    (folder / "token").write_text("first", encoding="utf-8")
    (folder / "ca.crt").write_bytes(authority.certificate)
    return folder


def in_pod(server: FakeApiServer) -> Environ:
    return {
        "HOME": "/nonexistent",
        "KUBERNETES_SERVICE_HOST": "127.0.0.1",
        "KUBERNETES_SERVICE_PORT": server.url.rsplit(":", 1)[1],
    }


def test_kubeconfigs_are_looked_for_in_the_order_of_kubectl(
    api: FakeApiServer, kubeconfig: Any, tmp_path: Path
) -> None:
    named = kubeconfig(api.url, user={"token": "named"})
    listed = kubeconfig(api.url, user={"token": "listed"})
    home = tmp_path / "home"
    (home / ".kube").mkdir(parents=True)
    kubeconfig(api.url, user={"token": "home"}).rename(home / ".kube" / "config")
    everything = {"HOME": str(home), "KUBECONFIG": f"/nonexistent:{listed}"}
    assert token_of(api, KubernetesSettings(kubeconfig=named), everything) == "Bearer named"
    assert token_of(api, KubernetesSettings(), everything) == "Bearer listed"
    assert token_of(api, KubernetesSettings(), {"HOME": str(home)}) == "Bearer home"


def test_without_any_configuration_it_says_where_it_looked() -> None:
    message = refusal(KubernetesSettings(), {"HOME": "/nonexistent"})
    assert "KUBECONFIG is not set" in message
    assert "/nonexistent/.kube/config does not exist" in message
    assert "KUBERNETES_SERVICE_HOST is not set" in message
    assert "Pass --kubeconfig FILE or set KUBECONFIG" in message


def test_a_kubeconfig_that_does_not_exist_is_named(tmp_path: Path) -> None:
    path = tmp_path / "missing"
    assert refusal(KubernetesSettings(kubeconfig=path), {}) == (
        f"the kubeconfig {path} does not exist"
    )
    assert "KUBECONFIG names /a:/b, but no such file exists" in refusal(
        KubernetesSettings(), {"KUBECONFIG": "/a:/b"}
    )


def test_a_context_that_does_not_exist_is_named_with_those_that_do(
    api: FakeApiServer, kubeconfig: Any
) -> None:
    path = kubeconfig(api.url)
    message = refusal(KubernetesSettings(kubeconfig=path, context="prod"), {})
    assert message == f"the kubeconfig {path} has no context prod; it has: test"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param("", "cannot be used", id="empty"),
        pytest.param("a: [1", "is not YAML", id="not YAML"),
        pytest.param("just text", "cannot be used", id="text"),
        pytest.param("[1, 2]", "cannot be used", id="list"),
        pytest.param("{}", "cannot be used", id="no context"),
        pytest.param("current-context: x\ncontexts: 5", "cannot be used", id="number as list"),
    ],
)
def test_a_file_that_is_no_kubeconfig_is_refused(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "config"
    path.write_text(content, encoding="utf-8")
    message = refusal(KubernetesSettings(kubeconfig=path), {})
    assert words in message
    assert str(path) in message


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_bytes(b"\xff\xfe\x00")
    assert str(path) in refusal(KubernetesSettings(kubeconfig=path), {})


def test_a_certificate_that_is_none_fails_when_it_is_needed(
    api: FakeApiServer, kubeconfig: Any
) -> None:
    path: Path = kubeconfig(api.url.replace("http:", "https:"))
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    config["clusters"][0]["cluster"]["certificate-authority-data"] = "bm8="
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    connection = Connection.open(KubernetesSettings(kubeconfig=path), {})
    with pytest.raises(UnreachableError, match=r"TLS failed .* check certificate-authority"):
        connection.get(PODS)
    connection.close()


def plugin(folder: Path, script: str) -> dict[str, object]:
    path = folder / "plugin"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    version = "client.authentication.k8s.io/v1"
    return {"exec": {"apiVersion": version, "command": str(path), "interactiveMode": "Never"}}


def test_a_credentials_plugin_gives_the_token(
    api: FakeApiServer, kubeconfig: Any, tmp_path: Path
) -> None:
    credential = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": "from-plugin"},
    }
    user = plugin(tmp_path, f"echo '{json.dumps(credential)}'")
    settings = KubernetesSettings(kubeconfig=kubeconfig(api.url, user=user))
    assert token_of(api, settings, {}) == "Bearer from-plugin"


def test_a_credentials_plugin_that_fails_is_an_error_and_not_an_anonymous_request(
    api: FakeApiServer, kubeconfig: Any, tmp_path: Path
) -> None:
    user = plugin(tmp_path, "echo 'please log in' >&2; exit 3")
    message = refusal(KubernetesSettings(kubeconfig=kubeconfig(api.url, user=user)), {})
    assert "the credentials plugin of the kubeconfig" in message
    assert "please log in" in message
    assert logging.getLogger().handlers == [
        h for h in logging.getLogger().handlers if not type(h).__module__.startswith("gpuatlas")
    ]


def test_new_credentials_are_used_after_a_401(
    api: FakeApiServer, kubeconfig: Any, reply: Any
) -> None:
    path: Path = kubeconfig(api.url, user={"token": "old"})
    connection = Connection.open(KubernetesSettings(kubeconfig=path), {})
    kubeconfig(api.url, user={"token": "new"}).rename(path)
    api.reply(PODS, reply(status=401), reply(body=b"{}"))
    assert connection.get(PODS) == {}
    assert [r.headers["Authorization"] for r in api.requests] == ["Bearer old", "Bearer new"]
    api.reply(PODS, reply(status=401), reply(status=401))
    with pytest.raises(UnauthorizedError, match="Log in again"):
        connection.get(PODS)
    assert len(api.requests) == 4
    connection.close()


def test_a_401_with_unusable_new_credentials_says_what_is_wrong_with_them(
    api: FakeApiServer, kubeconfig: Any, reply: Any
) -> None:
    path: Path = kubeconfig(api.url)
    connection = Connection.open(KubernetesSettings(kubeconfig=path), {})
    path.write_text("", encoding="utf-8")
    api.reply(PODS, reply(status=401))
    with pytest.raises(ConfigurationError, match="cannot be used"):
        connection.get(PODS)
    connection.close()


def test_a_page_behind_the_proxy_cannot_make_us_renew_our_credentials(
    api: FakeApiServer, connection: Connection, reply: Any
) -> None:
    api.reply(PODS, reply(status=401))
    with pytest.raises(UnauthorizedError):
        connection.get_bytes(PODS, 1000, 5.0)
    assert len(api.requests) == 1


def test_inside_a_pod_the_service_account_is_used_and_its_token_read_again_after_a_401(
    secure_api: FakeApiServer, service_account: Path, reply: Any
) -> None:
    settings = KubernetesSettings(service_account=service_account)
    connection = Connection.open(settings, in_pod(secure_api))
    secure_api.reply(PODS, reply(body=b"{}"), reply(status=401), reply(body=b"{}"))
    connection.get(PODS)
    (service_account / "token").write_text("second\n", encoding="utf-8")
    connection.get(PODS)
    assert [r.headers["Authorization"] for r in secure_api.requests] == [
        "bearer first",
        "bearer first",
        "bearer second",
    ]
    connection.close()


def test_a_watch_that_is_refused_with_401_opens_with_the_new_token(
    secure_api: FakeApiServer, service_account: Path, reply: Any
) -> None:
    settings = KubernetesSettings(service_account=service_account)
    connection = Connection.open(settings, in_pod(secure_api))
    (service_account / "token").write_text("second", encoding="utf-8")
    secure_api.reply(PODS, reply(status=401), reply(chunks=[b"line\n"]), watch=True)
    with connection.stream(PODS, {"watch": "true"}, read_timeout_s=5) as lines:
        assert list(lines) == [b"line"]
    assert secure_api.requests[-1].headers["Authorization"] == "bearer second"
    connection.close()


@pytest.mark.parametrize("missing", ["token", "ca.crt"])
def test_a_pod_without_a_service_account_says_what_to_set(
    service_account: Path, missing: str
) -> None:
    (service_account / missing).unlink()
    environ = {
        "HOME": "/nonexistent",
        "KUBERNETES_SERVICE_HOST": "192.0.2.1",
        "KUBERNETES_SERVICE_PORT": "443",
    }
    message = refusal(KubernetesSettings(service_account=service_account), environ)
    assert "automountServiceAccountToken: true" in message
    assert str(service_account) in message


def test_a_server_of_another_authority_is_not_trusted(
    secure_api: FakeApiServer, service_account: Path
) -> None:
    other = pki.Authority("another authority")
    (service_account / "ca.crt").write_bytes(other.certificate)
    settings = KubernetesSettings(service_account=service_account)
    connection = Connection.open(settings, in_pod(secure_api))
    with pytest.raises(UnreachableError) as caught:
        connection.get(PODS)
    assert str(caught.value).startswith(f"{secure_api.url}: TLS failed (")
    assert "check certificate-authority" in str(caught.value)
    connection.close()
