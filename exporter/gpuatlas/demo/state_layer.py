"""The sharing layer's own installation at one instant, as plain data. Times are Unix seconds."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpuatlas.demo.installed import HamiRelease, LicenceSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateState:
    """What the webhook serves, and what its configuration trusts.

    `ends_at` and `authority_ends_at` are None as long as the certificates are the chart's, which
    last a hundred years. `trusted` is "own", "other" (an authority that signed nothing here) or
    "none" (an empty caBundle).
    """

    ends_at: float | None = None
    authority_ends_at: float | None = None
    trusted: str = "own"


@dataclass(frozen=True, slots=True, kw_only=True)
class HamiState:
    """One installation of HAMi.

    `leads`: the scheduler's pod is behind the Service. `rivals` are further pods that claim to
    lead. `lease_renewed_at` is None as long as the leader renews it. `configured`: the webhook's
    configuration is there, and it `admits` where its rules cover the creation of pods. `answers`:
    the webhook takes connections. `config_edited_at` is the last write of the nodes' configuration,
    None for the installation itself; `config_nodes` are nodes that it names and that do not exist.
    """

    release: HamiRelease
    scheduler_version: str
    leads: bool = True
    rivals: int = 0
    lease_renewed_at: float | None = None
    configured: bool = True
    admits: bool = True
    answers: bool = True
    certificate: CertificateState = field(default_factory=CertificateState)
    config_readable: bool = True
    config_edited_at: float | None = None
    config_nodes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LicenceState:
    """The licence's ConfigMap. `text` is what stands under its key, in place of `ends_at`."""

    spec: LicenceSpec
    ends_at: float
    present: bool = True
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeConfig:
    """What HAMi's configuration says of a node, where that is not what runs on it."""

    split_count: int | None = None
    memory_scaling: float | None = None
    mode: str = ""
