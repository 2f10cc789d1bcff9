"""Whether the API server answers, and who we are to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpuatlas.doctor.results import Act, Area, Remedy, Result, State
from gpuatlas.model.doctor import Access

_LOOK: Final = Remedy(Act.RUN, "kubectl version")
_IN_POD: Final = Remedy(Act.SET, "automountServiceAccountToken: true, and egress to the API server")


def examine_access(access: Access) -> Iterator[Result]:
    """Reached or not; as whom."""
    if access.error:
        yield Result(
            area=Area.API_SERVER,
            word="reached",
            state=State.FAILED,
            text=access.error,
            remedy=_IN_POD if access.in_pod else _LOOK,
        )
        return
    yield Result(
        area=Area.API_SERVER, word="reached", state=State.OK, text=f"{access.address} answers"
    )
    how = "the service account of this pod" if access.in_pod else "by the kubeconfig"
    if access.user:
        text = f"you are {access.user}, {how}"
        yield Result(area=Area.API_SERVER, word="identity", state=State.OK, text=text)
    else:
        text = f"the server does not say who you are: {access.user_error}"
        yield Result(area=Area.API_SERVER, word="identity", state=State.UNKNOWN, text=text)
