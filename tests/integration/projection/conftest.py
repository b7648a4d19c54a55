"""What tests of writing share."""

from __future__ import annotations

import pytest

from lineage.database import binary_copy


@pytest.fixture(params=[1, binary_copy.MANY], ids=["copied", "stated"])
def many(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of tests are small: once as if they were large, once as they are."""
    monkeypatch.setattr(binary_copy, "MANY", request.param)
