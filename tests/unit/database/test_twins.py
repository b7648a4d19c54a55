"""Repeated parts of SQL statements: their texts are equal."""

from __future__ import annotations

import pytest
from support.source.statement_files import ROOT, file_of, module_of

MARQUEZ = "http/marquez/statements"
# What turns a statement about the present into its twin about a time.
AS_OF = {
    "adjacent_edges(": "adjacent_edges_as_of(",
    "%(since)s::timestamptz, %(include_stale)s,": "%(time)s::timestamptz,",
}

# File, statement, its twin, and the replacements that turn the statement into its twin.
TWINS = [
    (
        MARQUEZ, "select_job_ids", "count_jobs",
        {"SELECT j.id": "SELECT count(*)",
         " ORDER BY j.last_seen DESC, j.namespace, j.name LIMIT %(limit)s OFFSET %(offset)s": ""},
    ),
    (MARQUEZ, "select_newest_events", "select_oldest_events", {"e.id DESC": "e.id"}),
    (
        MARQUEZ, "select_newest_events", "count_events",
        {"SELECT e.body": "SELECT count(*) FROM ( SELECT",
         " ORDER BY e.id DESC LIMIT %(limit)s OFFSET %(offset)s": " LIMIT 10000) AS e"},
    ),
    ("query/neighbours", "select_neighbours", "select_neighbours_as_of", AS_OF),
    ("query/neighbours", "select_edges_at", "select_edges_at_as_of", AS_OF),
    (
        "eventlog/listing", "select_events", "select_rejected",
        {" ORDER BY e.id DESC LIMIT": " AND EXISTS (SELECT FROM lineage.rejected_event r WHERE "
         "r.event = e.id) ORDER BY e.id DESC LIMIT"},
    ),
    (
        "projection/edges", "write_input_edges", "write_output_edges",
        {"INPUT_TO": "OUTPUTS",
         "lineage.to_graphid(vertex), lineage.to_graphid(run)":
         "lineage.to_graphid(run), lineage.to_graphid(vertex)",
         "false, min": "true, min", "NOT a.output": "a.output"},
    ),
    (
        "projection/declared", "merge_design_sources", "merge_design_accesses",
        {"design_source": "design_access", "(holder, source, target": "(holder, dataset, output",
         "%(sources)s::bigint[], %(targets)s::bigint[]":
         "%(datasets)s::bigint[], %(outputs)s::boolean[]"},
    ),
    (
        "projection/declared", "merge_design_sources", "merge_design_mappings",
        {"design_source": "design_mapping",
         "(holder, source, target, f": "(holder, target, mapping, f",
         "(holder, source, target)": "(holder, target, mapping)",
         "%(sources)s::bigint[], %(targets)s": "%(targets)s::bigint[], %(mappings)s",
         ", revision, confidence)": ", revision)",
         "%(revisions)s::text[], %(confidences)s::double precision[])": "%(revisions)s::text[])",
         "confidence = CASE WHEN d.revision < excluded.revision COLLATE \"C\" THEN "
         "excluded.confidence ELSE d.confidence END, ": ""},
    ),
    (
        "projection/accesses", "merge_accesses", "write_edges_of_accesses",
        {"merged AS ( INSERT INTO lineage.access AS a (run, job, dataset, output, first_seen, "
         "last_seen, facets) SELECT run, job, dataset, output, first_seen, last_seen, facets "
         "FROM input ON CONFLICT (run, job, dataset, output) DO UPDATE SET "
         "first_seen = least(a.first_seen, excluded.first_seen), "
         "last_seen = greatest(a.last_seen, excluded.last_seen), "
         "facets = lineage.merge_access_facets(a.facets, excluded.facets) ), ": ""},
    ),
]  # fmt: skip

# File, statements, and the beginning and end of their common part.
COMMON = [
    ("projection/entities", ["add_jobs", "merge_jobs"], "RETURNING j AS fact", "FROM merged"),
    ("projection/entities", ["add_jobs", "merge_jobs"], ", described AS", "SELECT (fact)"),
    (
        "projection/fields", ["add_columns", "add_schema_columns"],
        "RETURNING id, name", "SELECT id FROM added",
    ),
    ("projection/runs", ["add_runs", "merge_runs"], "RETURNING r AS fact", ", in_graph AS"),
    ("projection/runs", ["add_runs", "merge_runs"], ", in_graph AS", "streamed) AS contributing"),
    (
        "projection/declared", ["add_declared", "add_declared_columns"],
        "FROM unnest(%(holders)s", "lineage.current_designs(requested.holder) AS d",
    ),
    (
        "projection/derives", ["select_pairs", "select_pairs_of_groups"],
        "SELECT source, target, job, type, subtype, masking, runs", "SELECT job, mappings",
    ),
    (
        "projection/derives", ["select_pairs", "select_pairs_of_groups", "add_groups"],
        "SELECT source, target, job, type, subtype, masking, sum(runs)", "SELECT job, mappings",
    ),
    (
        "projection/derives", ["select_pairs", "select_pairs_of_groups", "add_groups"],
        ") AS counted) AS groups", "GROUP BY source, target, job, type, subtype, masking",
    ),
    ("projection/derives", ["add_pairs", "add_groups"], "WITH counted AS", "FROM ( SELECT"),
    ("projection/derives", ["add_pairs", "add_groups"], "AS delta ON CONFLICT", ") SELECT"),
    (
        "eventlog/log", ["append_events", "queue_events"],
        "INSERT INTO lineage.event", "ON CONFLICT DO NOTHING RETURNING",
    ),
    (
        "query/neighbours", ["select_graph_nodes", "select_graph_nodes_as_of"],
        "SELECT d.id, d.namespace, d.name", "AS downstream,",
    ),
    (
        "query/neighbours", ["select_graph_nodes", "select_graph_nodes_as_of"],
        "written.state, written.time", "LEFT JOIN LATERAL",
    ),
    (
        "query/subgraph", ["select_induced_column_edges", "select_induced_column_edges_as_of"],
        "SELECT count(*) OVER () AS total", "AS last_seen,",
    ),
    (
        "query/subgraph", ["select_induced_column_edges", "select_induced_column_edges_as_of"],
        "JOIN lineage.field s", "LIMIT",
    ),
]  # fmt: skip


def texts_of(name: str) -> dict[str, str]:
    """Return the statements of a file with single spaces."""
    file = file_of(module_of(ROOT / f"{name}.sql"))
    return {name: " ".join(text.split()) for name, (_, text) in file.parse_texts.items()}


@pytest.mark.parametrize(
    ("file", "name", "twin", "replaced"), TWINS, ids=lambda twin: str(twin)[:30]
)
def test_twins_differ_in_nothing_else(file: str, name: str, twin: str, replaced: dict[str, str]):
    texts = texts_of(file)
    expected = texts[name]
    for ours, theirs in replaced.items():
        expected = expected.replace(ours, theirs)
    assert texts[twin] == expected != texts[name]


@pytest.mark.parametrize(("file", "names", "start", "end"), COMMON)
def test_twins_have_a_part_in_common(file: str, names: list[str], start: str, end: str):
    texts = [texts_of(file)[name] for name in names]
    parts = [text[text.index(start) :].partition(end)[0] for text in texts]
    assert parts == [parts[0]] * len(names)
    assert len(parts[0]) > len(start)


def test_statements_for_vertices_of_jobs_and_runs_are_equal():
    job, run = texts_of("projection/entities")["add_jobs"], texts_of("projection/runs")["add_runs"]
    common = job[job.index(", in_graph AS") : job.index("), searchable AS")]
    assert common.replace("Job", "Run").replace("job_", "run_") in run


def test_degrees_at_a_time_are_counted_as_those_of_the_present():
    texts = texts_of("query/neighbours")
    counted, counted_as_of = (
        texts[name].partition(" SELECT d.id,")[0]
        for name in ("select_graph_nodes", "select_graph_nodes_as_of")
    )
    for ours, theirs in AS_OF.items():
        counted = counted.replace(ours, theirs)
    assert counted_as_of == counted


def test_statements_for_checks_of_runs_and_datasets_are_equal():
    texts = texts_of("query/quality")
    of_datasets, of_run = texts["select_checks_of_datasets"], texts["select_checks_of_run"]
    for start, end in ((" d.id AS dataset", " FROM "), ("LEFT JOIN lineage.dataset", " ORDER BY ")):
        common = of_run[of_run.index(start) : of_run.index(end)]
        assert len(common) > 150
        assert common in of_datasets


def test_runs_have_one_form_for_marquez():
    texts = texts_of(MARQUEZ)
    form = texts["select_run"].removeprefix("SELECT ").partition(" AS run")[0]
    assert form.endswith("j.namespace, j.name)")
    for name in ("select_jobs", "select_runs_of_job", "select_versions"):
        assert form in texts[name], name


def test_documents_have_the_same_columns():
    kept = texts_of("plan_documents/store")
    columns = kept["select_application_ends"].partition(" FROM ")[0]
    assert columns.startswith("SELECT d.sha256, ")
    assert columns.endswith(" d.namespaces")
    for text in (
        kept["select_documents_of_executions"],
        kept["select_ends_without_start"],
        texts_of("plan_documents/queue")["claim_documents"],
        texts_of("plan_documents/reconversion")["select_documents"],
    ):
        assert text.partition(" FROM ")[0] == columns
