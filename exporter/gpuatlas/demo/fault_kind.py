"""What a fault is: a row with its effect on the state, and that row switched on somewhere.

A fault changes what the exporters and the API tell, never the readers of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gpuatlas.demo.patterns import DAY
from gpuatlas.demo.scenario import FaultSpec, NodeSpec, Sharing
from gpuatlas.demo.state import CardState, EndpointState, NodeState, PodState
from gpuatlas.demo.state_layer import HamiState, LicenceState

Option = str | int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault that is on, at an instant. Times are Unix seconds.

    `seconds` is how long it has lasted, `began` the moment that what it dates counts from: where
    nobody switched it on, that is the last midnight, so that it never looks months old.
    """

    kind: FaultKind
    spec: FaultSpec
    at: float
    seconds: float
    began: float

    def number(self, option: str) -> float:
        """The value of one option."""
        return float(self.spec.options.get(option, self.kind.options[option]))

    def text(self, option: str) -> str:
        """The same of an option that is a text."""
        return str(self.spec.options.get(option, self.kind.options[option]))


CardEffect = Callable[[CardState, Fault], CardState]
PodEffect = Callable[[PodState, Fault], PodState]
NodeEffect = Callable[[NodeState, Fault], NodeState]
EndpointEffect = Callable[[EndpointState, Fault], EndpointState]
InstallationEffect = Callable[[HamiState, Fault], HamiState]
LicenceEffect = Callable[[LicenceState, Fault], LicenceState]
# The pods that a fault brings along: of a node, and with the seed for their names.
Additions = Callable[[NodeSpec, Fault, int], Sequence[PodState]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultKind:
    """One row. Exactly one of the effects is set: it says what the fault is about.

    `options` are the settings that it takes, with their defaults. `on_pod` strikes the pod number
    `tenant` of a card, by namespace and name; `on_installation` the HAMi of the node that is named.
    `needs_card` belongs to `adds_pods`. `unfit` says why a node cannot have the fault, or "".
    """

    name: str
    description: str
    options: Mapping[str, Option] = field(default_factory=dict)
    sharing: frozenset[Sharing] = frozenset()  # only on nodes that are shared in one of these ways
    unfit: Callable[[NodeSpec], str] | None = None
    needs_card: bool = False
    on_card: CardEffect | None = None
    on_pod: PodEffect | None = None
    on_node: NodeEffect | None = None
    on_endpoint: EndpointEffect | None = None
    on_installation: InstallationEffect | None = None
    on_licence: LicenceEffect | None = None
    adds_pods: Additions | None = None

    @property
    def about_a_card(self) -> bool:
        """Whether a card has to be named."""
        return self.needs_card or self.on_card is not None or self.on_pod is not None

    @property
    def about_the_cluster(self) -> bool:
        """Whether no node is named."""
        return self.on_licence is not None


def switched_on(kind: FaultKind, spec: FaultSpec, *, at: float, oldest: float) -> Fault:
    """The fault at the instant `at`; `oldest` is when the cluster began."""
    midnight = max(oldest, at // DAY * DAY)
    return Fault(
        kind=kind,
        spec=spec,
        at=at,
        seconds=max(0.0, at - (oldest if spec.since is None else spec.since)),
        began=midnight if spec.since is None else spec.since,
    )


HAMI = frozenset({Sharing.HAMI})
SOFT = frozenset({Sharing.HAMI, Sharing.VOLCANO})  # layers whose library keeps limits
