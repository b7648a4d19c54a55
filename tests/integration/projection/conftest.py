"""Fixtures of the tests of the projection."""

from __future__ import annotations

import pytest

from lineage.database import binary_copy


@pytest.fixture(params=[1, binary_copy.MANY], ids=["copied", "stated"])
def many(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the test twice: with COPY, as for large batches, and without."""
    monkeypatch.setattr(binary_copy, "MANY", request.param)
