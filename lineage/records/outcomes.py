"""Outcomes of rows at a node, and numbers of outputs. Loads no other distribution."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Literal, TypeAlias

SampleOutcome: TypeAlias = Literal["dead_lettered", "error", "filtered_out", "success"]


class Outcome(IntFlag):
    """The outcome of a row at a node. The flags combine: a row may be retried and then emitted.

    Nothing sets ``JOINED``: a step or a tap sees single rows, and not the rows that Spark joined.
    """

    EMITTED = 1
    FILTERED_OUT = 2
    JOINED = 4
    AGGREGATED = 8
    RETRIED = 16
    ERROR = 32
    DEAD_LETTERED = 64

    @property
    def flag_names(self) -> tuple[str, ...]:
        """The names of the flags in lower case, by bit: ``("emitted", "retried")``."""
        return tuple(str(flag.name).lower() for flag in Outcome if flag in self)


class Cardinality(IntEnum):
    """The number of outputs of a node for one item, as far as it matters."""

    UNKNOWN = 0
    ZERO = 1
    ONE = 2
    MANY = 3

    @classmethod
    def of_count(cls, outputs: int | None) -> Cardinality:
        """Return the cardinality of a number of outputs; None is unknown."""
        if outputs is None:
            return cls.UNKNOWN
        return (cls.ZERO, cls.ONE, cls.MANY)[min(outputs, 2)]


def sample_outcome_of(outcome: Outcome) -> SampleOutcome:
    """Return the gravest of the combined outcomes of an item."""
    if outcome & Outcome.DEAD_LETTERED:
        return "dead_lettered"
    if outcome & Outcome.ERROR:
        return "error"
    return "filtered_out" if outcome & Outcome.FILTERED_OUT else "success"
