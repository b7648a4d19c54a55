-- Which job first used a run id, as far as a token for some namespaces had to know it.
CREATE TABLE lineage.run_owner (
    run_id     text COLLATE "C" PRIMARY KEY,
    namespace  text NOT NULL,
    job        text,
    claimed_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE lineage.run_owner IS 'Which job first used a run id: tokens for other namespaces may not write to that run';
COMMENT ON COLUMN lineage.run_owner.job IS 'Null for the run of a Spark application that is known by its plan documents only';

-- What the token that brought a plan document is good for: its events may say no more.
ALTER TABLE lineage.document ADD COLUMN namespaces text[];
COMMENT ON COLUMN lineage.document.namespaces IS 'Namespaces of the token that it came with; null for all';

GRANT SELECT ON lineage.run_owner TO lineage_reader;
GRANT SELECT, INSERT ON lineage.run_owner TO lineage_writer;
