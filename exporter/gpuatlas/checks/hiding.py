"""Takes namespaces that are not to be published out of what the checks say. Pure.

A finding about something in such a namespace goes. One about something else (a node, a card) stays,
since it is true of that too, and only its record is withheld where it names the namespace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from gpuatlas.model.checks import CheckResult, Finding, MissingInput, NodeLayer

WITHHELD: Final = "(withheld: it names a namespace that is not published)"

# "Kind/namespace/name"; what has no namespace is "Kind/name".
_NAMESPACED_PARTS: Final = 3

Names = Callable[[str], bool]


def mentions(hidden: frozenset[str]) -> Names:
    """Whether a text has one of these namespaces in it as a word of its own."""
    if not hidden:
        return lambda _: False
    words = "|".join(re.escape(name) for name in sorted(hidden))
    # Names of objects hold hyphens and dots: "team" is not in "team-b".
    pattern = re.compile(rf"(?<![\w.-])(?:{words})(?![\w.-])")
    return lambda text: pattern.search(text) is not None


def hide(result: CheckResult, hidden: frozenset[str], names: Names) -> CheckResult:
    """The result without these namespaces; `names` is `mentions(hidden)`."""
    return replace(
        result,
        findings=tuple(_findings(result, hidden, names)),
        missing=tuple(_withheld_reason(lack, names) for lack in result.missing),
    )


def hide_owner(node: NodeLayer, hidden: frozenset[str]) -> NodeLayer:
    """The facts of a node without the owner of its lock where that is in such a namespace."""
    hides = node.lock_owner.partition("/")[0] in hidden
    return replace(node, lock_owner="") if hides else node


def _findings(result: CheckResult, hidden: frozenset[str], names: Names) -> Iterator[Finding]:
    for finding in result.findings:
        if finding.namespace in hidden or _namespace(finding.object) in hidden:
            continue
        yield replace(finding, record=WITHHELD) if names(finding.record) else finding


def _namespace(name: str) -> str:
    parts = name.split("/")
    return parts[1] if len(parts) == _NAMESPACED_PARTS else ""


def _withheld_reason(lack: MissingInput, names: Names) -> MissingInput:
    return replace(lack, reason=WITHHELD) if names(lack.reason) else lack
