"""One round of questions to the API server, and what is remembered between rounds.

A question that fails is answered from memory for a while, so that an API server that restarts does
not make a sharing layer vanish.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from gpuatlas.sources.errors import BadAnswerError, NotFoundError, SourceError
from gpuatlas.sources.kubernetes.pages import Lists
from gpuatlas.sources.kubernetes.shape import fields, text
from gpuatlas.sources.layer.asks import Ask

Raw = Mapping[str, object]
_Question = tuple[str, str]  # path, label selector

_PAGE_SIZE: Final = "500"  # objects, as kubectl asks for


@dataclass(slots=True)
class Memory:
    """The last good answer to each question, and when it came (Unix seconds)."""

    answers: dict[_Question, tuple[tuple[Raw, ...], float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Named:
    """One object by its name: there, or not there, or (with `error`) not known."""

    raw: Raw | None = None
    error: str = ""


@dataclass(slots=True)
class Outcome:
    """How the questions of one kind fared in a round."""

    objects: list[Raw] = field(default_factory=list)
    error: str = ""  # of the first question that failed
    unread: str = ""  # the same, where no earlier answer is left to go by
    seconds: float = 0.0


class Round:
    """One round. Not thread-safe.

    `outcomes` holds the kinds that were asked for, in that order.
    """

    def __init__(self, connection: Lists, memory: Memory, *, now: float, outage_s: float) -> None:
        self._connection = connection
        self._memory = memory
        self._asked: set[_Question] = set()
        self._now = now
        self._outage_s = outage_s
        self.outcomes: dict[Ask, Outcome] = {}

    def read_list(self, ask: Ask, selectors: tuple[str, ...] | None = None) -> Outcome:
        """All objects of a kind that match one of the selectors."""
        outcome = self.outcomes.setdefault(ask, Outcome())
        for selector in ask.selectors if selectors is None else selectors:
            self._answer(outcome, ask, (ask.path, selector))
        return outcome

    def read_named(self, ask: Ask, namespace: str, name: str) -> Named:
        """One object."""
        outcome = self.outcomes.setdefault(ask, Outcome())
        question = (ask.path_of(namespace, name), "")
        try:
            objects, error = self._answer(outcome, ask, question, named=True)
        except NotFoundError:
            self._memory.answers.pop(question, None)
            return Named()
        return Named(objects[0]) if objects else Named(error=error)

    def finish(self) -> None:
        """Forget the answers to questions that this round did not ask."""
        answers = self._memory.answers
        self._memory.answers = {q: a for q, a in answers.items() if q in self._asked}

    def _answer(
        self, outcome: Outcome, ask: Ask, question: _Question, *, named: bool = False
    ) -> tuple[tuple[Raw, ...], str]:
        """The answer, or the remembered one, and why there is neither.

        Raises:
            NotFoundError: there is no object of that name.
        """
        self._asked.add(question)
        started = time.monotonic()
        unread = ""
        try:
            objects = tuple(self._ask(ask, question, named=named))
            self._memory.answers[question] = (objects, self._now)
        except SourceError as error:
            if named and isinstance(error, NotFoundError):
                raise
            outcome.error = outcome.error or str(error)
            objects, unread = self._remembered(ask, question, str(error))
            outcome.unread = outcome.unread or unread
        finally:
            outcome.seconds += time.monotonic() - started
        outcome.objects += objects
        return objects, unread

    def _ask(self, ask: Ask, question: _Question, *, named: bool) -> Iterator[Raw]:
        path, selector = question
        # The items of a list do not repeat what they are.
        head = {"apiVersion": ask.api_version, "kind": ask.kind}
        if named:
            yield {**self._connection.get(path), **head}
            return
        query = {"limit": _PAGE_SIZE, **({"labelSelector": selector} if selector else {})}
        while True:
            answer = self._connection.get(path, query)
            items = answer.get("items")
            if items is None:
                items = []  # Go writes an empty list that was never filled as null
            if not isinstance(items, list):
                message = f"{self._connection.address}{path}: the answer is not a list"
                raise BadAnswerError(message)
            yield from ({**fields(item), **head} for item in items)
            token = text(fields(answer.get("metadata")).get("continue"))
            if not token:
                return
            query = {**query, "continue": token}

    def _remembered(self, ask: Ask, question: _Question, error: str) -> tuple[tuple[Raw, ...], str]:
        answer = None if ask.perishable else self._memory.answers.get(question)
        # A clock that was set back makes answers of the future; they are too old as well.
        if answer is None or abs(self._now - answer[1]) > self._outage_s:
            return (), error
        return answer[0], ""
