"""The parameters of a capture, checked."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast, get_args

from lineage.errors import UsageError
from lineage.records.keys import salt_of_run, sampling_threshold
from lineage.records.recording import CaptureSettings, unmasked_row
from lineage.records.reports import Overflow

if TYPE_CHECKING:
    from collections.abc import Callable

_RANDOM_RATE = 0.01


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """See ``capture``. ``rate``: share of the items. ``is_random``: other items in each run."""

    pipeline: str | None
    run_id: str
    rate: float
    is_random: bool
    cap: int
    overflow: Overflow
    redact: bool | Callable[[Any], Any]
    snapshots: bool
    sinks: tuple[Any, ...]
    timeout: float
    operators: bool

    @classmethod
    def check_options(cls, **values: Any) -> CaptureOptions:
        """Return the options. Raises UsageError if one is invalid."""
        sample, cap, redact = values["sample"], values["cap"], values["redact"]
        is_random = sample == "random"
        if not is_random and (isinstance(sample, str) or values["rate"] is not None):
            raise UsageError(
                f"sample={sample!r} does not fit rate={values['rate']!r}.",
                'sample= is a number from 0 to 1, or "random" with rate=.',
            )
        rate = (
            (values["rate"] if values["rate"] is not None else _RANDOM_RATE)
            if is_random
            else sample
        )
        sampling_threshold(rate)
        if not isinstance(cap, int) or cap < 0:
            raise UsageError(f"cap={cap!r} is not a number of items.", "Give 0 or more.")
        if values["overflow"] not in get_args(Overflow):
            raise UsageError(
                f"overflow={values['overflow']!r} is unknown.",
                f"overflow= is one of {', '.join(get_args(Overflow))}.",
            )
        if not values["timeout"] >= 0:
            raise UsageError(f"timeout={values['timeout']!r} is not a time.", "Give seconds.")
        if not isinstance(redact, bool) and not callable(redact):
            raise UsageError(
                f"redact={redact!r} is invalid.", "Give True, False, or a function of a row."
            )
        if values["snapshots"] and redact is True:
            raise UsageError(
                "snapshots=True stores values of rows, and redact=True forbids it.",
                "Give redact=False, or as redact= a function that masks a row.",
            )
        return cls(
            values["pipeline"], _check_run_id(values["run_id"]), rate, is_random, cap,
            cast("Overflow", values["overflow"]), redact, values["snapshots"], values["sinks"],
            values["timeout"], values["operators"],
        )  # fmt: skip


def _check_run_id(run_id: str | uuid.UUID | None) -> str:
    if run_id is None:
        return str(uuid.uuid4())
    try:
        return str(uuid.UUID(str(run_id)))
    except ValueError:
        raise UsageError(
            f'The run id "{run_id}" is not a UUID.', "Leave it out for a new one."
        ) from None


def settings_of(options: CaptureOptions) -> CaptureSettings:
    """Return the options for the tasks of Spark."""
    mask: Callable[[Any], Any] | None = None
    if options.snapshots:
        mask = (
            unmasked_row
            if options.redact is False
            else cast("Callable[[Any], Any]", options.redact)
        )
    return CaptureSettings(
        run_id=options.run_id,
        threshold=sampling_threshold(options.rate),
        capacity=None if options.overflow == "materialize" else options.cap,
        salt=salt_of_run(options.run_id) if options.is_random else None,
        mask=mask,
        messages=options.redact is False,
    )
