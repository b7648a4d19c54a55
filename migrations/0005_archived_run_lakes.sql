-- The command that moved a run; null for runs that were moved before this migration.
ALTER TABLE lineage.archived_run ADD COLUMN archived_at timestamptz;
COMMENT ON COLUMN lineage.archived_run.archived_at IS 'The command of lineage.run_archive that moved the run to a lake';
