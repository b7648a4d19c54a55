"""Traits of dialects."""

from __future__ import annotations

import pytest
from sqlglot.dialects.dialect import Dialect

from lineage.sql import dialects, servers
from lineage.sql.dialects import traits_of


@pytest.mark.parametrize("name", [*dialects._TRAITS, *servers._BY_JDBC_SCHEME.values()])
def test_sqlglot_has_each_dialect(name: str):
    assert Dialect.get_or_raise(name) is not None


@pytest.mark.parametrize("name", [None, "", "unknown"])
def test_other_dialects_have_no_traits(name: str | None):
    assert traits_of(name) == dialects.Traits()
