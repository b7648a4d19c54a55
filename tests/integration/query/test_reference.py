"""The page on the graph names all there is in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import run_event
from support.reference.graph import stored

from lineage.ingest.writer import write

if TYPE_CHECKING:
    import psycopg

PAGE = (Path(__file__).parents[3] / "docs/reference/graph.md").read_text()

# Functions that only the writer's statements and other functions call.
INNER = {
    "delete_declared", "delete_fields", "delete_observed", "delete_unused_derives",
    "delete_unused_feeds", "find_token", "move_names",
    "declared_accessing", "declared_by", "declared_column_properties", "declared_properties",
    "adds", "backquoted", "has_committed", "hides_before", "is_adding", "is_replacing", "is_writer",
    "replaced_by_setting", "set_mode",
    "newest_writes", "owners_of", "tags_of",
    "hidden_from", "reads_seeing", "steps_behind", "writers_of", "writes_before",
    "access_properties", "canonical", "count_of", "counts", "counts_mapped", "dataset_attributes",
    "dataset_tags", "derives_properties", "feeds_properties", "field_properties", "field_vertex",
    "event_json", "first_id", "fit",
    "graphid", "had_written", "id_sequence", "delay", "distance_of",
    "delays_before", "durations_before", "exact_writes", "is_stream", "last_to_write", "middle",
    "reads_of", "rows_before", "rows_lately", "saw", "saw_replaced", "seen_between", "seen_by",
    "owner_counts", "run_record",
    "writes_behind", "writes_between", "is_mapped", "is_version", "mappings_of",
    "enclosing_names", "is_path", "overlapping_columns",
    "schema_fields", "is_feeding", "iso", "job_properties", "later_state", "leaves_rows",
    "job_start", "links_behind", "links_from", "links_of", "merge_facets", "merged_facets",
    "name_key", "named", "new_id", "passed_on", "properties", "reads_since", "replaces",
    "run_properties", "state_rank", "tag_fit", "unresolved_of", "write_facets", "write_mode",
}  # fmt: skip


def test_labels_properties_tables_and_functions_are_on_the_page(
    shop: psycopg.Connection[Any],
) -> None:
    everything = [
        run_event("all", "FAIL", 90, "all", errorMessage={"message": "x"},
                  jobType={"jobType": "QUERY"},
                  lineage_unresolved={"items": [{"operator": "x"}]})
    ]  # fmt: skip
    write(shop, everything)
    labels = [
        name for (name,) in shop.execute("SELECT name FROM ag_catalog.ag_label WHERE name !~ '^_'")
    ]
    properties = {name for map in stored(shop).values() for name in map}
    tables = [
        name for (name,) in shop.execute("SELECT relname FROM pg_class"
        " WHERE relkind IN ('r', 'p') AND NOT relispartition"
        " AND relnamespace = 'lineage'::regnamespace"
        " AND relname NOT IN ('function_set', 'migration')")
    ]  # fmt: skip
    missing = [name for name in (*labels, *properties, *tables) if f"`{name}`" not in PAGE]
    assert not missing


def test_functions_are_on_the_page(conn: psycopg.Connection[Any]) -> None:
    functions = {
        name
        for (name,) in conn.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'lineage'::regnamespace"
        )
    }
    assert not [name for name in functions - INNER if f"`{name}(" not in PAGE]
    assert functions >= INNER


@pytest.mark.parametrize("role", ["lineage_writer", "lineage_reader", "lineage_cypher"])
def test_roles_are_there_and_on_the_page(conn: psycopg.Connection[Any], role: str) -> None:
    rows = conn.execute("SELECT rolcanlogin, rolsuper FROM pg_roles WHERE rolname = %s", (role,))
    assert rows.fetchall() == [(False, False)]
    assert f"`{role}`" in PAGE
