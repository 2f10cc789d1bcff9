"""The keys, certificates and tokens of a cluster, as files that its server and its users read."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from . import pki
from .kube_api import Object
from .processes import LOOPBACK


class ClusterCredentials:
    """A folder with all that the server at ``url`` shows and trusts.

    Attributes:
        ca: file with the certificate of the authority that signed the server's.
        admin_token: bearer token of a member of ``system:masters``.
    """

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.url = url
        self.admin_token = secrets.token_hex(16)
        self.ca = folder / "ca.crt"
        self._authority = pki.Authority("gpuatlas-test-ca")
        self._write()

    def _write(self) -> None:
        self.ca.write_bytes(self._authority.certificate)
        serving = self._authority.server(["localhost", "kubernetes.default.svc"], [LOOPBACK])
        (self.folder / "apiserver.crt").write_bytes(serving.certificate)
        pki.write_private(self.folder / "apiserver.key", serving.key)
        signer = pki.new_key()
        pki.write_private(self.folder / "service-accounts.key", pki.private_pem(signer))
        (self.folder / "service-accounts.pub").write_bytes(pki.public_pem(signer))
        line = f"{self.admin_token},admin,admin,system:masters\n"
        pki.write_private(self.folder / "tokens.csv", line.encode())

    def server_arguments(self) -> list[str]:
        """What tells kube-apiserver of these files."""
        return [
            f"--cert-dir={self.folder}",
            f"--tls-cert-file={self.folder / 'apiserver.crt'}",
            f"--tls-private-key-file={self.folder / 'apiserver.key'}",
            f"--client-ca-file={self.ca}",
            f"--token-auth-file={self.folder / 'tokens.csv'}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={self.folder / 'service-accounts.pub'}",
            f"--service-account-signing-key-file={self.folder / 'service-accounts.key'}",
        ]

    def token_kubeconfig(self, name: str, token: str) -> Path:
        """The file ``NAME.kubeconfig`` of a user with a bearer token."""
        return self._write_kubeconfig(name, {"token": token})

    def certificate_kubeconfig(self, user: str, groups: Sequence[str]) -> Path:
        """A kubeconfig file of a user who shows a client certificate and no token."""
        pair = self._authority.client(user, groups)
        credentials = {
            "client-certificate-data": base64.b64encode(pair.certificate).decode(),
            "client-key-data": base64.b64encode(pair.key).decode(),
        }
        return self._write_kubeconfig(f"certificate.{user}", credentials)

    def _write_kubeconfig(self, name: str, credentials: Mapping[str, str]) -> Path:
        certificate = base64.b64encode(self._authority.certificate).decode()
        cluster = {"server": self.url, "certificate-authority-data": certificate}
        config: Object = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": name, "user": dict(credentials)}],
            "contexts": [{"name": name, "context": {"cluster": "test", "user": name}}],
            "current-context": name,
        }
        # JSON is YAML.
        content = json.dumps(config, indent=2).encode()
        return pki.write_private(self.folder / f"{name}.kubeconfig", content)
