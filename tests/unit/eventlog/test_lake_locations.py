"""The location of a lake: one name for one directory, however it is written."""

from __future__ import annotations

import os

import pytest

from lineage.errors import UsageError
from lineage.eventlog.lake_files import absolute_location


@pytest.mark.parametrize(
    ("location", "absolute"),
    [
        ("/lake/", "/lake"),
        ("lake/../other", os.path.abspath("other")),
        ("file:/lake", "/lake"),
        ("file:///a/../lake%20x", "/lake x"),
        ("file://localhost/lake", "/lake"),
        ("s3://bucket/lake/", "s3://bucket/lake"),
    ],
)
def test_a_directory_has_one_location(location: str, absolute: str) -> None:
    assert absolute_location(location) == absolute


@pytest.mark.parametrize("location", ["file://host/lake", "file://localhost"])
def test_a_file_of_another_machine_is_rejected(location: str) -> None:
    with pytest.raises(UsageError, match="not a file of this machine"):
        absolute_location(location)
