-- Functions that were removed; functions/ has the others.
DROP FUNCTION IF EXISTS lineage.unix_microseconds(timestamptz);
