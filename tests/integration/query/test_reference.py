"""The reference page of the graph: all labels, properties, tables and functions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import run_event
from support.reference.graph import stored

from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    import psycopg

PAGE = (Path(__file__).parents[3] / "docs/reference/graph.md").read_text()

# Functions called only by statements of the writer and by other functions.
INNER = {
    "archived_feeds_of", "may_be_archived_version", "reads_without_period", "reads_with_period",
    "reported_feeds",
    "access_properties", "adjoining_columns", "agtype_members", "asset_text", "link_label",
    "link_text", "node_tags",
    "write_links", "node_search_text", "entity_of_asset", "is_schema_node",
    "checks_of_datasets", "configured_overwrite_time", "configured_write_mode",
    "contributes_to_derives", "contributes_to_feeds", "datasets_declared",
    "is_unpaired", "unpaired_datasets",
    "accesses_of_jobs", "accesses_of_datasets", "job_closure_accesses",
    "declared_column_properties", "declared_properties",
    "delete_declared", "delete_fields", "delete_observed_edge", "delete_unused_derives",
    "delete_unused_feeds", "dependency_closure", "derives_properties",
    "distance_from_scale", "earlier_writes", "ends_at_archive", "enclosing_names", "event_json",
    "event_name_hashes", "adjacent_edges", "adjacent_edges_as_of", "datasets_with_column",
    "contributing_runs_as_of", "add_search_words", "entities_of_text",
    "match_entities", "possible_sources", "reads_of_archive", "replaces_dataset", "similar_texts",
    "similar_words",
    "edge_changes", "edge_runs_as_of", "edges_as_of", "runs_accessing", "entity_texts",
    "expected_range", "run_record_as_of",
    "facet_attributes", "facet_owners", "facet_tags", "facet_tags_json",
    "facets_of_write", "feeds_properties", "field_or_dataset_id", "field_properties",
    "find_token", "had_committed", "has_column_sources", "has_committed", "has_job_written",
    "hidden_writes", "has_adjacent_run", "hiding_execution", "inputs_of_run", "repeats_instance",
    "writes_of_siblings",
    "continues_execution", "current_designs", "execution_starts", "hiding_write_time", "is_append",
    "job_of_run",
    "is_appending_job", "is_check", "is_contributing", "is_field_mapped",
    "is_expected_writer", "is_overwrite", "is_overwriting_job", "is_partition_overwrite", "is_path",
    "is_same_execution", "is_same_instance", "is_stale", "unfinished_siblings",
    "is_stream", "is_streaming_job", "iso8601",
    "job_properties", "job_steps_upstream", "job_trace_datasets", "jobs_declaring_access",
    "label_base", "label_sequence", "last_expected_writers", "latest_state", "latest_writes",
    "listed_versions",
    "mappings_of_edge", "match_rank", "matches_filters", "may_have_sources", "median_and_spread",
    "merge_access_facets", "merge_facets", "merged_facets", "orphan_set",
    "name_hash", "newest_writes",
    "next_id", "nonnegative_count", "other_spellings", "overlapping_columns", "owner_counts",
    "property_map",
    "quote_field", "read_counts", "read_versions", "reads_by_name",
    "reported_owners", "reported_tag_names", "reported_tags",
    "reads_of_runs", "reads_of_writes", "reassign_names",
    "resolve", "resolve_canonical_id", "run_delay", "run_dependencies_direct", "run_duration",
    "nominal_time", "scheduled_time",
    "run_properties", "run_record", "run_state_rank", "schema_fields", "search_texts",
    "sees_overwrite_since", "sees_run", "tag_match_rank", "text_entity", "to_graphid",
    "tag_name", "trigram_schema",
    "unresolved_accesses", "version_key", "visibility_window",
    "visible_writes_at_both_times",
    "visible_writes_upstream", "word_rank", "worst_rank",
    "write_mode", "writers_of_reads", "writes_by_version",
    "writes_in_windows", "writes_rows", "writes_version", "writes_visible_to",
    "writes_visible_to_runs", "written_names",
    "defines_view", "definitions_seen", "dependencies_of_reads", "has_views", "is_definition",
    "may_be_view", "reads_at", "reads_behind_views", "sources_of_definition", "view_sources",
    "views_over",
}  # fmt: skip


def test_labels_properties_tables_and_functions_are_on_the_page(
    shop: psycopg.Connection[Any],
) -> None:
    everything = [
        run_event("all", "FAIL", 90, "all", errorMessage={"message": "x"},
                  jobType={"jobType": "QUERY"},
                  lineage_unresolved={"items": [{"operator": "x"}]})
    ]  # fmt: skip
    write_events(shop, everything)
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


def test_functions_have_the_parameters_of_the_page(conn: psycopg.Connection[Any]) -> None:
    """Parameters that are ids have their type as well: a dataset may be a name or an id."""
    parameters: dict[str, set[str]] = {}
    for name, arguments in conn.execute(
        "SELECT proname, pg_get_function_arguments(oid) FROM pg_proc"
        " WHERE pronamespace = 'lineage'::regnamespace"
    ):
        parameters.setdefault(name, set()).add(shorten_arguments(arguments))
    for name, listed in re.findall(r"`(\w+)\(([^`)]*)\)`", PAGE):
        if name in parameters:
            assert (name, listed) in {(name, each) for each in parameters[name]}


def shorten_arguments(arguments: str) -> str:
    """Return the names of the arguments, with the type of those that are ids."""
    words = [each.split() for each in arguments.split(", ") if not each.startswith("OUT ")]
    return ", ".join(
        " ".join(each[:2] if len(each) > 1 and each[1].startswith("bigint") else each[:1])
        for each in words
    )


def test_pages_name_parameters_that_functions_have(conn: psycopg.Connection[Any]) -> None:
    names = dict(
        conn.execute(
            "SELECT proname, array_agg(pg_get_function_arguments(oid)) FROM pg_proc"
            " WHERE pronamespace = 'lineage'::regnamespace GROUP BY proname"
        ).fetchall()
    )
    uses = [
        (function, name)
        for page in sorted((Path(__file__).parents[3] / "docs").rglob("*.md"))
        for function, listed in re.findall(r"lineage\.(\w+)\(([^)]*=>[^)]*)\)", page.read_text())
        for name in re.findall(r"(\w+)\s*=>", listed)
    ]
    assert uses
    for function, name in uses:
        assert any(re.search(rf"\b{name}\b", each) for each in names[function]), (function, name)


@pytest.mark.parametrize("role", ["lineage_writer", "lineage_reader", "lineage_cypher"])
def test_roles_are_there_and_on_the_page(conn: psycopg.Connection[Any], role: str) -> None:
    rows = conn.execute("SELECT rolcanlogin, rolsuper FROM pg_roles WHERE rolname = %s", (role,))
    assert rows.fetchall() == [(False, False)]
    assert f"`{role}`" in PAGE
