"""The pods that take part in the join: those that ask for cards, hold some, or serve pages."""

from __future__ import annotations

from collections.abc import Mapping

from gpuatlas.model.objects import Pod


class AskingPods:
    """Leaves out pods that were kept only because they could reach cards without asking.

    They are a matter of the checks: no tenant, no workload and no page is theirs. The result is the
    very same mapping as long as its input is: parts of a snapshot are told by identity.
    """

    def __init__(self) -> None:
        self._every: Mapping[str, Pod] = {}
        self._asking: Mapping[str, Pod] = {}

    def of(self, pods: Mapping[str, Pod]) -> Mapping[str, Pod]:
        """By uid."""
        if pods is not self._every:
            self._every = pods
            self._asking = (
                pods
                if all(pod.asks for pod in pods.values())
                else {uid: pod for uid, pod in pods.items() if pod.asks}
            )
        return self._asking
