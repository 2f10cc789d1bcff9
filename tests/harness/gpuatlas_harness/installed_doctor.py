"""What the doctor says to a pod of the chart."""

from __future__ import annotations

import json

from .exporting import run_gpuatlas
from .helm import Object, Rendered
from .installed import Account


def doctor(rendered: Rendered, account: Account) -> Object:
    """What the pod of `helm test` says, with the account's token, and its exit code."""
    command, *options = rendered.one("Pod")["spec"]["containers"][0]["args"]
    answer = run_gpuatlas(
        *(command, "--direct", "--kubeconfig", account.kubeconfig, "-o", "json"), *options
    )
    assert answer.stderr == ""
    document: Object = json.loads(answer.stdout)
    assert document["exit_code"] == answer.returncode
    return document


def told(document: Object, area: str, state: str) -> list[tuple[str, str]]:
    """Texts and remedies of an area's results in that state."""
    return [
        (result["text"], result["remedy"])
        for result in document["results"]
        if (result["area"], result["state"]) == (area, state)
    ]
