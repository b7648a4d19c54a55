-- Functions whose arguments or result changed; functions/ has the others.
DROP FUNCTION IF EXISTS lineage.runs_needed_after(timestamptz);
