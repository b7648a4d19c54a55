"""Fill fact and label tables with a large graph, by set operations in minutes.

A domain is a pipeline of layers. A job reads two datasets of the previous layer and six raw
datasets, and overwrites four datasets; it runs once a day. Tables that only writers need are empty:
the log, and the column mappings of runs. ``events`` returns events for the same graph. A test
compares it with the projection of these events.
"""

from __future__ import annotations

import json
import random
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from hashlib import md5
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

NAMESPACE, JOBS = "s3://lake", "etl"
BEGIN = datetime(2026, 1, 1, tzinfo=timezone.utc)
READ_BEFORE, READ_RAW, WRITTEN = 2, 6, 4


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of the graph: domains, jobs per layer, runs per job, and columns per dataset."""

    wide: int = 2
    narrow: int = 32
    runs: int = 100
    columns: int = 10
    layers: int = 20
    wide_jobs: int = 125
    narrow_jobs: int = 8

    def domains(self) -> list[tuple[str, int]]:
        """Return the name of each domain and the number of jobs in each of its layers."""
        return [(f"wide{n}", self.wide_jobs) for n in range(self.wide)] + [
            (f"narrow{n}", self.narrow_jobs) for n in range(self.narrow)
        ]


@dataclass(frozen=True, slots=True)
class Job:
    """A job with its inputs and outputs.

    Columns derive from the first input of the previous layer and the first raw input.
    """

    name: str
    layer: int
    before: tuple[str, ...]
    raw: tuple[str, ...]
    written: tuple[str, ...]

    def derivations(self, columns: int) -> Iterator[tuple[str, str, str | None, str, str]]:
        """Yield source dataset, source column, target column (None for all), type and subtype."""
        for n in range(columns):
            if self.before:
                yield self.before[0], f"c{n}", f"c{n}", "DIRECT", "IDENTITY"
            yield self.raw[0], f"c{(n + 1) % columns}", f"c{n}", "DIRECT", "TRANSFORMATION"
        yield self.raw[1], "c0", None, "INDIRECT", "FILTER"


def jobs(shape: Shape) -> Iterator[Job]:
    """Yield the jobs of all domains, the same in each call."""
    chance = random.Random(1)
    for domain, width in shape.domains():
        before: list[str] = []
        for layer in range(shape.layers):
            written: list[str] = []
            for n in range(width):
                name = f"{domain}/l{layer:02}/j{n:03}"
                job = Job(
                    name,
                    layer,
                    tuple(chance.sample(before, READ_BEFORE)) if before else (),
                    tuple(f"raw/{name}/r{at}" for at in range(READ_RAW)),
                    tuple(f"{name}/t{at}" for at in range(WRITTEN)),
                )
                written.extend(job.written)
                yield job
            before = written


def run_id(job: str, day: int) -> str:
    """Return the id of the run of a job on a day."""
    return str(uuid.UUID(md5(f"{job} {day}".encode(), usedforsecurity=False).hexdigest()))


def events(shape: Shape) -> Iterator[str]:
    """Yield OpenLineage events for the graph: START has the inputs, COMPLETE also the outputs."""
    fields = [{"name": f"c{n}", "type": "bigint"} for n in range(shape.columns)]
    for job in jobs(shape):
        inputs = [_dataset(name, fields) for name in (*job.before, *job.raw)]
        outputs = [_output(name, fields, job, shape.columns) for name in job.written]
        for day in range(shape.runs):
            at = BEGIN + timedelta(days=day, hours=job.layer)
            event = {
                "run": {"runId": run_id(job.name, day), "facets": {}},
                "job": {"namespace": JOBS, "name": job.name, "facets": {}},
                "inputs": inputs,
            }
            yield json.dumps({"eventType": "START", "eventTime": _iso(at), "outputs": [], **event})
            end = _iso(at + timedelta(minutes=30))
            yield json.dumps(
                {"eventType": "COMPLETE", "eventTime": end, "outputs": outputs, **event}
            )


def _iso(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def _dataset(name: str, fields: list[Any]) -> dict[str, Any]:
    return {"namespace": NAMESPACE, "name": name, "facets": {"schema": {"fields": fields}}}


def _output(name: str, fields: list[Any], job: Job, columns: int) -> dict[str, Any]:
    lineage: dict[str, Any] = {"fields": {}, "dataset": []}
    for source, column, target, kind, subtype in job.derivations(columns):
        given = {"namespace": NAMESPACE, "name": source, "field": column}
        given["transformations"] = [{"type": kind, "subtype": subtype}]  # type: ignore[assignment]
        if target is None:
            lineage["dataset"].append(given)
        else:
            lineage["fields"].setdefault(target, {"inputFields": []})["inputFields"].append(given)
    said = _dataset(name, fields)
    said["facets"]["columnLineage"] = lineage
    said["outputFacets"] = {"lineage_write": {"mode": "overwrite"}}
    return said


_STRUCTURE = """
CREATE TEMP TABLE made (no bigint, name text, layer int, job bigint);
CREATE TEMP TABLE side (no bigint, name text, output boolean, dataset bigint);
CREATE TEMP TABLE derived (no bigint, source text, source_column text, target text,
                           target_column text, type text, subtype text)
"""

# Each facet has a revision; here all have the same.
_DATASETS = """
INSERT INTO lineage.dataset (id, namespace, name, canonical, first_seen, last_seen, facets)
SELECT id, %(namespace)s, name, id,
       %(begin)s::timestamptz + first, %(begin)s::timestamptz + last + %(days)s * interval '1 day',
       jsonb_build_object('schema', jsonb_build_array('2026', jsonb_build_object('fields', (
           SELECT jsonb_agg(jsonb_build_object('name', 'c' || n, 'type', 'bigint') ORDER BY n)
           FROM generate_series(0, %(columns)s - 1) AS n))))
FROM (SELECT lineage.next_id('Dataset') AS id, * FROM (
        SELECT s.name,
               min(m.layer * interval '1 hour' + CASE WHEN s.output THEN interval '30 min'
                                                 ELSE '0' END) AS first,
               max(m.layer * interval '1 hour' + interval '30 min') AS last
        FROM side s JOIN made m USING (no) GROUP BY s.name ORDER BY s.name) AS named) AS numbered;
"""
_DATASET_VERTICES = """
UPDATE side SET dataset = d.id FROM lineage.dataset d WHERE d.name = side.name;
UPDATE lineage.dataset SET schema = jsonb_hash_extended(facets #> '{schema,1,fields}', 0);
INSERT INTO provenance."Dataset" (id, properties)
SELECT lineage.to_graphid(id), lineage.property_map(jsonb_build_object(
    'namespace', namespace, 'name', name,
    'first_seen', lineage.iso8601(first_seen), 'last_seen', lineage.iso8601(last_seen)))
FROM lineage.dataset;
INSERT INTO lineage.field (id, dataset, name, type, nested)
SELECT lineage.next_id('Field'), d.id, f.name, f.type, f.nested
FROM lineage.dataset d CROSS JOIN LATERAL lineage.schema_fields(d.facets) AS f;
INSERT INTO provenance."Field" (id, properties)
SELECT lineage.to_graphid(f.id), lineage.field_properties(f, d.namespace, d.name)
FROM lineage.field f JOIN lineage.dataset d ON d.id = f.dataset;
INSERT INTO lineage.search_text (kind, field, id, text)
SELECT 'dataset', 'name', id, lineage.full_name(namespace, name) FROM lineage.dataset;
INSERT INTO lineage.search_text (kind, field, text)
SELECT DISTINCT 'column', 'name', name FROM lineage.field;
INSERT INTO provenance."HAS_FIELD" (start_id, end_id)
SELECT lineage.to_graphid(dataset), lineage.to_graphid(id) FROM lineage.field
"""
_JOBS = """
INSERT INTO lineage.job (id, namespace, name, first_seen, last_seen, facets)
SELECT lineage.next_id('Job'), %(jobs)s, name, %(begin)s::timestamptz + layer * interval '1 hour',
       %(begin)s::timestamptz + %(days)s * interval '1 day' + layer * interval '1 hour'
       + interval '30 min', '{}'
FROM made ORDER BY no;
"""
_RUNS_OF_JOBS = """
UPDATE made SET job = j.id FROM lineage.job j WHERE j.name = made.name;
INSERT INTO provenance."Job" (id, properties)
SELECT lineage.to_graphid(j.id), lineage.job_properties(j) FROM lineage.job j;
INSERT INTO lineage.search_text (kind, field, id, text)
SELECT 'job', 'name', id, namespace || '/' || name FROM lineage.job;
CREATE TEMP TABLE ran AS
SELECT lineage.next_id('Run') AS run, * FROM (
    SELECT m.no, m.job, md5(m.name || ' ' || day)::uuid::text AS run_id,
           begun, begun + interval '30 min' AS done
    FROM made m CROSS JOIN generate_series(0, {days}) AS day
    CROSS JOIN LATERAL (SELECT '{begin}'::timestamptz + day * interval '1 day'
                               + m.layer * interval '1 hour' AS begun) AS b
    ORDER BY day, m.no) AS r;
ANALYZE made; ANALYZE side; ANALYZE ran;
INSERT INTO lineage.run (id, run_id, state, first_seen, last_seen, started_at, ended_at,
contributing,
                         facets)
SELECT run, run_id, 'COMPLETE', begun, done, begun, done, true, '{{}}' FROM ran ORDER BY run;
INSERT INTO provenance."Run" (id, properties)
SELECT lineage.to_graphid(r.id), lineage.run_properties(r) FROM lineage.run r;
INSERT INTO lineage.execution (run, job, first_seen, last_seen)
SELECT run, job, begun, done FROM ran ORDER BY run;
INSERT INTO provenance."EXECUTES" (start_id, end_id)
SELECT lineage.to_graphid(job), lineage.to_graphid(run) FROM ran ORDER BY run;
INSERT INTO lineage.access (run, job, dataset, output, first_seen, last_seen, facets)
SELECT r.run, r.job, s.dataset, s.output, CASE WHEN s.output THEN done ELSE begun END, done,
       CASE WHEN s.output THEN '{{"lineage_write": ["2026", {{"mode": "overwrite"}}]}}'::jsonb
       ELSE '{{}}' END
FROM ran r JOIN side s USING (no) ORDER BY r.run;
INSERT INTO lineage.dataset_job (dataset, output, job)
SELECT DISTINCT s.dataset, s.output, m.job FROM made m JOIN side s USING (no);
INSERT INTO provenance."INPUT_TO" (start_id, end_id, properties)
SELECT lineage.to_graphid(dataset), lineage.to_graphid(run),
       lineage.access_properties(output, first_seen, last_seen, facets)
FROM lineage.access WHERE NOT output;
INSERT INTO provenance."OUTPUTS" (start_id, end_id, properties)
SELECT lineage.to_graphid(run), lineage.to_graphid(dataset),
       lineage.access_properties(output, first_seen, last_seen, facets)
FROM lineage.access WHERE output;
INSERT INTO lineage.feeds (source, target, job, runs, first_seen, last_seen, edge)
SELECT i.dataset, o.dataset, j.id, {days} + 1, j.first_seen, j.last_seen, lineage.next_id('FEEDS')
FROM side i JOIN side o USING (no) JOIN made m USING (no) JOIN lineage.job j ON j.id = m.job
WHERE o.output AND NOT i.output;
INSERT INTO provenance."FEEDS" (id, start_id, end_id, properties)
SELECT lineage.to_graphid(f.edge), lineage.to_graphid(f.source), lineage.to_graphid(f.target),
       lineage.feeds_properties(f, j.namespace, j.name)
FROM lineage.feeds f JOIN lineage.job j ON j.id = f.job;
INSERT INTO lineage.derives (source, target, job, type, subtype, masking, runs, first_seen,
                             last_seen, edge)
SELECT sf.id, coalesce(tf.id, t.id), j.id, d.type, d.subtype, false, {days} + 1,
       j.first_seen, j.last_seen, lineage.next_id('DERIVES')
FROM derived d
JOIN lineage.dataset s ON s.name = d.source
JOIN lineage.field sf ON sf.dataset = s.id AND sf.name = d.source_column
JOIN lineage.dataset t ON t.name = d.target
LEFT JOIN lineage.field tf ON tf.dataset = t.id AND tf.name = d.target_column
JOIN made m USING (no) JOIN lineage.job j ON j.id = m.job;
INSERT INTO provenance."DERIVES" (id, start_id, end_id, properties)
SELECT lineage.to_graphid(d.edge), lineage.to_graphid(d.source), lineage.to_graphid(d.target),
       lineage.derives_properties(d, j.namespace, j.name)
FROM lineage.derives d JOIN lineage.job j ON j.id = d.job;
DROP TABLE made, side, derived, ran
"""

_FILLED = """
SELECT c.oid::regclass::text FROM pg_class c
WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND c.relname NOT LIKE '\\_%%'
  AND (c.relnamespace = 'provenance'::regnamespace
       OR c.relnamespace = 'lineage'::regnamespace AND c.relname = ANY (%s))
"""
_FACTS = ["dataset", "job", "run", "execution", "access", "dataset_job", "feeds", "field",
          "derives", "search_text"]  # fmt: skip
# Indexes without a constraint, which are created after the rows.
_INDEXES = """
SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
FROM pg_index i WHERE i.indrelid = ANY (%s::regclass[])
  AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)
"""


def load(conn: psycopg.Connection[Any], shape: Shape) -> None:
    """Fill an empty database with the graph, over a connection in autocommit mode.

    The tables become unlogged.
    """
    tables = [name for (name,) in conn.execute(_FILLED, (_FACTS,))]
    for table in tables:
        conn.execute(f"ALTER TABLE {table} SET UNLOGGED")
    indexes = conn.execute(_INDEXES, (tables,)).fetchall()
    for name, _ in indexes:
        conn.execute(f"DROP INDEX {name}")
    conn.execute("SET work_mem = '256MB'; SET synchronous_commit = off; SET jit = off")
    _copy_structure(conn, shape)
    days = shape.runs - 1
    given = {"namespace": NAMESPACE, "jobs": JOBS, "begin": BEGIN, "days": days,
             "columns": shape.columns}  # fmt: skip
    conn.execute(_DATASETS, given)
    _each(conn, _DATASET_VERTICES)
    conn.execute(_JOBS, given)
    _each(conn, _RUNS_OF_JOBS.format(days=days, begin=BEGIN.isoformat()))
    for _, definition in indexes:
        conn.execute(definition)
    conn.execute("VACUUM ANALYZE")
    conn.execute("RESET work_mem")


def _each(conn: psycopg.Connection[Any], script: str) -> None:
    for statement in script.split(";"):
        conn.execute(statement)


def _copy_structure(conn: psycopg.Connection[Any], shape: Shape) -> None:
    _each(conn, _STRUCTURE)
    made = list(enumerate(jobs(shape)))
    with conn.cursor().copy("COPY made (no, name, layer) FROM STDIN") as copy:
        for no, job in made:
            copy.write_row((no, job.name, job.layer))
    with conn.cursor().copy("COPY side (no, name, output) FROM STDIN") as copy:
        for no, job in made:
            for output, names in ((False, (*job.before, *job.raw)), (True, job.written)):
                for name in names:
                    copy.write_row((no, name, output))
    with conn.cursor().copy("COPY derived FROM STDIN") as copy:
        for no, job in made:
            for target in job.written:
                for source, column, to, kind, subtype in job.derivations(shape.columns):
                    copy.write_row((no, source, column, target, to, kind, subtype))
    conn.execute("ANALYZE derived")
