-- The aliases of a dataset, without its canonical name.
CREATE INDEX dataset_aliases ON lineage.dataset (canonical) WHERE canonical <> id;

-- Functions that were removed; functions/ has the others.
DROP FUNCTION IF EXISTS lineage.unix_microseconds(timestamptz);
