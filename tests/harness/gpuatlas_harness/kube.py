"""A real kube-apiserver with its etcd.

There are no controllers and no kubelets: what a test applies is what the cluster holds, a pod runs
because its applied status says so, and nothing is ever garbage-collected.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from .etcd import Etcd
from .kube_accounts import service_account_token
from .kube_api import Object
from .kube_credentials import ClusterCredentials
from .kube_objects import KubeObjects
from .processes import LOOPBACK, Readiness, ServerProcess, free_ports


class KubeServer(KubeObjects):
    """A cluster's API: ``with KubeServer(...) as kube`` starts it and stops it.

    Attributes:
        url: ``https://127.0.0.1:PORT``, the same after a restart.
        kubeconfig: file of the administrator's configuration.
    """

    def __init__(
        self,
        *,
        apiserver: Path,
        etcd: Path,
        work_dir: Path,
        extra_arguments: Sequence[str] = (),
    ) -> None:
        self.work_dir = work_dir
        self._port = free_ports(1)[0]
        url = f"https://{LOOPBACK}:{self._port}"
        self._credentials = ClusterCredentials(work_dir, url)
        super().__init__(url, ca=self._credentials.ca, admin_token=self._credentials.admin_token)
        self.kubeconfig = self._credentials.token_kubeconfig("admin", self.admin_token)
        self.etcd = Etcd(etcd, work_dir)
        self.apiserver = ServerProcess(
            "kube-apiserver",
            [apiserver, *self._arguments(), *extra_arguments],
            # The root path of readiness covers the start-up hooks, such as the default roles.
            readiness=Readiness(
                f"{self.url}/readyz",
                ca=self.ca,
                headers={"Authorization": f"Bearer {self.admin_token}"},
                deadline_seconds=120.0,
            ),
            log_dir=work_dir,
        )

    def _arguments(self) -> list[str]:
        return [
            f"--etcd-servers={self.etcd.url}",
            # Only compact() makes history go away, so no test depends on how long it took.
            "--etcd-compaction-interval=0",
            f"--bind-address={LOOPBACK}",
            f"--secure-port={self._port}",
            *self._credentials.server_arguments(),
            "--authorization-mode=RBAC",
            "--service-cluster-ip-range=10.0.0.0/24",
            # A loopback address may not be an endpoint of the service `kubernetes`.
            f"--advertise-address={LOOPBACK}",
            "--endpoint-reconciler-type=none",
            # It waits for the `default` account that a controller would make.
            "--disable-admission-plugins=ServiceAccount",
            "--allow-privileged=true",
        ]

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start etcd and the API server, and wait until both are ready."""
        self.etcd.process.start()
        try:
            self.apiserver.start()
        except BaseException:
            self.etcd.process.stop()
            raise

    def stop(self) -> None:
        """Stop both; the data stay in ``work_dir``."""
        # Nothing is lost by a kill, and a polite end waits for every open watch.
        self.stop_apiserver()
        self.etcd.process.stop()

    def stop_apiserver(self) -> None:
        """Kill the API server as in a crash; etcd keeps running, ``start_apiserver`` ends it."""
        self.disconnect()
        self.apiserver.stop(grace_seconds=0)

    def start_apiserver(self) -> None:
        self.apiserver.start()

    def restart(self) -> None:
        """Kill the API server and start it on the same port with the same data."""
        self.stop_apiserver()
        self.start_apiserver()

    def compact(self, *, drop_watch_cache: bool = True) -> int:
        """Make every older resource version answer 410; returns the oldest one that does not.

        etcd forgets its history, but the API server's watch cache still has the events since the
        server's start and would serve old watches from them. So the server is restarted too, which
        ends running watches; without ``drop_watch_cache`` only etcd is compacted.
        """
        revision = self.etcd.compact()
        if drop_watch_cache:
            self.restart()
        return revision

    def service_account_kubeconfig(
        self, name: str, rules: Sequence[Object], *, namespace: str = "default"
    ) -> Path:
        """A kubeconfig file with the token of ``kube_accounts.service_account_token``."""
        token = service_account_token(self, name, rules, namespace=namespace)
        return self._credentials.token_kubeconfig(f"{namespace}.{name}", token)

    def client_certificate_kubeconfig(self, user: str, groups: Sequence[str]) -> Path:
        """A kubeconfig file of a user who shows a client certificate and no token."""
        return self._credentials.certificate_kubeconfig(user, groups)
