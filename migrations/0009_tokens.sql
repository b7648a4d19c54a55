-- Who may use the collector. A token is 256 random bits, so its SHA-256 tells nothing about it.
CREATE TABLE lineage.token (
    name       text PRIMARY KEY,
    sha256     bytea NOT NULL UNIQUE CHECK (length(sha256) = 32),
    scope      text NOT NULL CHECK (scope IN ('read', 'write')),
    namespaces text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE lineage.token IS 'Bearer tokens of the collector, hashed';
COMMENT ON COLUMN lineage.token.namespaces IS 'Namespaces that it is good for, * for any text; none for all';

-- The collector looks tokens up; who makes them owns the schema. Readers have nothing to see here.
GRANT SELECT ON lineage.token TO lineage_writer;
