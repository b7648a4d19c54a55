"""The columnLineage facet in all its versions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lineage.openlineage import ColumnLineage, Derivation, column_lineage

A = {"namespace": "ns", "name": "a", "field": "x"}


def read(facet: object) -> ColumnLineage:
    return column_lineage(json.dumps(facet).encode())


def stated(field: dict[str, Any], **more: Any) -> set[tuple[str, str, str, bool]]:
    said = read({"fields": {"t": field}, **more})
    assert not said.unreadable
    return {(d.target_field, d.type, d.subtype, d.masking) for d in said.derivations}


CASES: dict[str, tuple[dict[str, Any], set[tuple[str, str, str, bool]]]] = {
    "1-0-0, identity of the field": (
        {"inputFields": [A], "transformationType": "IDENTITY", "transformationDescription": "x"},
        {("t", "DIRECT", "IDENTITY", False)},
    ),
    "1-0-0, masked": (
        {"inputFields": [A], "transformationType": "MASKED"},
        {("t", "DIRECT", "TRANSFORMATION", True)},
    ),
    "nothing said of the way": ({"inputFields": [A]}, {("t", "DIRECT", "", False)}),
    "1-1-0, several ways from one input": (
        {
            "inputFields": [
                {
                    **A,
                    "transformations": [
                        {"type": "DIRECT", "subtype": "AGGREGATION", "masking": True},
                        {"type": "INDIRECT", "subtype": "GROUP_BY", "description": "d"},
                        {"type": "INDIRECT"},
                    ],
                }
            ],
            "transformationType": "IDENTITY",
        },
        {
            ("t", "DIRECT", "AGGREGATION", True),
            ("t", "INDIRECT", "GROUP_BY", False),
            ("t", "INDIRECT", "", False),
        },
    ),
    "a literal has no inputs": ({"inputFields": []}, set()),
}


@pytest.mark.parametrize(("field", "expected"), CASES.values(), ids=CASES)
def test_each_version_of_a_field_is_read(
    field: dict[str, Any], expected: set[tuple[str, str, str, bool]]
) -> None:
    assert stated(field) == expected


def test_the_dataset_part_holds_for_all_fields() -> None:
    join = {**A, "transformations": [{"type": "INDIRECT", "subtype": "JOIN"}]}
    said = read({"fields": {}, "dataset": [join, A]})
    assert said.derivations == (
        Derivation(("ns", "a"), "x", "", "INDIRECT", "", masking=False),
        Derivation(("ns", "a"), "x", "", "INDIRECT", "JOIN", masking=False),
    )
    assert said.sources == (("ns", "a"),)


def test_a_deleted_facet_says_nothing() -> None:
    said = read({"_deleted": True, "fields": {"t": {"inputFields": [A]}}})
    assert (said.derivations, said.unreadable) == ((), ())


def test_the_order_of_fields_and_what_is_not_read_change_nothing() -> None:
    b = {**A, "field": "y"}
    one = read({"_producer": "p", "fields": {"t": {"inputFields": [A, b]}, "u": {}}})
    two = read({"fields": {"u": {}, "t": {"inputFields": [b, A, A]}}})
    assert one == two
