"""How the API server is reached and how often it is asked. No I/O here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class KubernetesSettings:
    """Settings of the Kubernetes source. Durations are seconds."""

    kubeconfig: Path | None = None
    """File to use. None: $KUBECONFIG, then ~/.kube/config, then the pod's own service account."""

    context: str | None = None
    """Context of the kubeconfig. None: its current context. Of no meaning inside a cluster."""

    service_account: Path = Path("/var/run/secrets/kubernetes.io/serviceaccount")
    """Folder with `token` and `ca.crt`; the default is where every kubelet mounts it."""

    page_size: int = 500
    """Objects in one page of a list: the chunk that kubectl and client-go ask for."""

    page_limit_bytes: int = 512 * 1024 * 1024
    """Largest page that is read (uncompressed). Beyond it a smaller page is asked for."""

    connect_timeout_s: float = 10.0
    """Longest wait for a connection."""

    read_timeout_s: float = 65.0
    """Longest silence while a page is read: a little over the API server's own 60 s limit."""

    watch_min_s: int = 240
    watch_max_s: int = 480
    """A watch asks the server to end it after a random time in this range (facts/k8s.md 6.4), so
    that many exporters do not reconnect at once and a silent half-open connection is noticed."""

    watch_margin_s: float = 30.0
    """How much longer than the asked end we wait for the server to end a watch."""

    backoff_start_s: float = 1.0
    backoff_cap_s: float = 60.0
    """First and longest pause after a failure; doubled each time, halved at random."""

    refused_pause_s: float = 60.0
    """Pause after 401, 403 and 404: a person has to act first, so asking often helps nobody."""

    discovery_interval_s: float = 300.0
    """How often the server is asked which kinds it serves: controllers are installed rarely, and a
    kind that vanishes is noticed by its own 404."""

    optional_wait_s: float = 30.0
    """Longest wait, after the required kinds are known, for the first lists of the optional ones:
    a picture without the claims that pods hold would show their cards as free."""

    pool_size: int = 64
    """Connections kept open: one watch for each kind and one for each page read by pod proxy."""
