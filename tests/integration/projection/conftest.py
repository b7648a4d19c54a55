"""What tests of writing share."""

from __future__ import annotations

import pytest

from lineage.projection import copy


@pytest.fixture(params=[1, copy.MANY], ids=["copied", "stated"])
def many(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of tests are small: once as if they were large, once as they are."""
    monkeypatch.setattr(copy, "MANY", request.param)
