"""Datasets that an event lists several times."""

from __future__ import annotations

from typing import Any, ClassVar

from lineage.events.repeated_entries import unite_entries


class Key(tuple[Any, ...]):
    """The key of an access, whose comparisons are counted."""

    __slots__ = ()
    comparisons: ClassVar[int] = 0
    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        Key.comparisons += 1
        return tuple.__eq__(self, other)


def test_a_wide_event_with_a_repeated_dataset_takes_linear_time() -> None:
    inputs: list[Any] = [
        (Key((("lake", f"t{n % 500}"), False)), {"place": n}, None) for n in range(1_000)
    ]
    united = unite_entries(inputs)
    assert [facets["place"] for _, facets, _ in united] == list(range(1_000))
    assert Key.comparisons < 10 * len(inputs)
