"""Merge of facets: the newest body of each is stored, in any order of arrival."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st
from psycopg.types.json import Jsonb
from support.properties import examples_in_one_database

if TYPE_CHECKING:
    import psycopg

Facets = dict[str, list[Any]]

MANY = examples_in_one_database(200)
FACETS = st.dictionaries(
    st.sampled_from("abc"), st.tuples(st.sampled_from("012"), st.sampled_from([{}, "x"])).map(list)
)


def newest(old: Facets, new: Facets) -> Facets:
    """Return the entry with the greater revision of each facet; the old one if they are equal."""
    return {
        name: max((side[name] for side in (old, new) if name in side), key=lambda entry: entry[0])
        for name in {*old, *new}
    }


def test_the_newest_body_of_each_facet_stays(conn: psycopg.Connection[Any]) -> None:
    @MANY
    @given(FACETS, FACETS)
    def check(old: Facets, new: Facets) -> None:
        said = conn.execute("SELECT lineage.merge_facets(%s, %s)", (Jsonb(old), Jsonb(new)))
        assert said.fetchall() == [(newest(old, new),)]

    check()
