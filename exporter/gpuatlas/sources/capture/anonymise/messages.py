"""What systems say to people, with names replaced and the words kept that our readers look for."""

from __future__ import annotations

import re
from typing import Final

from gpuatlas.sources.capture.anonymise.names import Names
from gpuatlas.sources.capture.anonymise.texts import Texts
from gpuatlas.sources.kubernetes.resources import is_accelerator
from gpuatlas.sources.placement.messages import UNSCHEDULABLE, read_cause

# What kube-scheduler, Kueue, Volcano and KAI say around the names (facts/k8s.md 3.2, 3.3 and 5.1),
# and what kubelets and device plugins say of a pod that they refuse (facts/hami.md 6.5).
_WORDS: Final = frozenset(
    """
    a all Allocate and annotation any are Available available allocate allocated an assign
    assigned at because binding but by can cannot claims cluster ClusterQueue code couldn desc
    device devices didn does doesn due empty enough error existing failed filtered find first
    fit fits flavor flavors for found from gang group had has have helpful id in incoming
    Insufficient insufficient is it its LocalQueue many match matched matching minAvailable
    minimum minMember more needed no No node nodes affinity/selector not number of on or over
    Pod pod PodGroup pods Preemption preemption provided queue quota request Requested requested
    reserved resource resources rpc s scheduled scheduling set still t taint task tasks than
    that the this to Too unavailable unbound unexpected Unknown unknown unschedulable
    Unschedulable untolerated unused up uuid victims waiting was were when which will with
    workload Workload
    """.split()  # noqa: SIM905 (a column of words reads better than a list of texts)
)
_TOKEN: Final = re.compile(r"""[^\s,;:(){}\[\]"'=]+""")
_COUNT: Final = re.compile(r"[0-9]{1,9}(/[0-9]{1,9})?")
_TOP_OWNER_KEPT: Final = frozenset({"kind", "group", "version"})
_PLAIN: Final = re.compile(r"[A-Za-z0-9.-]{0,63}")


class MessageWriter:
    """Rewrites messages; `read_cause` says the same of the result."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def rewrite(self, text: str) -> str:
        """The message."""
        return _TOKEN.sub(lambda match: self._token(match[0]), text)

    def _token(self, token: str) -> str:
        word = token.rstrip(".")
        if word in _WORDS or _COUNT.fullmatch(word) or is_accelerator(word) or _is_code(word):
            return token
        return self._texts.plain(word) + token[len(word) :]


def _is_code(word: str) -> bool:
    """A sharing layer's own word for why a node does not fit."""
    return word.isalpha() and read_cause(word)[0] not in {"", UNSCHEDULABLE}


def rewrite_top_owner(written: str, names: Names, texts: Texts) -> str:
    """KAI's annotation about the top owner: "key: value" lines (sources.placement.kai)."""
    lines: list[str] = []
    for line in written.splitlines():
        key, colon, value = line.partition(": ")
        bare = value.strip().strip("\"'")
        if not colon or not _PLAIN.fullmatch(key):
            continue
        if key == "name":
            bare = names.known(bare) or texts.plain(bare)
        elif key == "uid":
            bare = names.scrambled(bare)
        elif key not in _TOP_OWNER_KEPT or not _PLAIN.fullmatch(bare):
            continue
        lines.append(f"{key}: {bare}")
    return "\n".join(lines)
