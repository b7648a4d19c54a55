-- name: create_schema() -> None
-- Where all tables and functions are.
CREATE SCHEMA IF NOT EXISTS lineage

-- name: create_migration_table() -> None
-- The migrations that the database has.
CREATE TABLE IF NOT EXISTS lineage.migration (
    number int PRIMARY KEY,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)

-- name: create_function_set_table() -> None
-- The function files that the database has, as one checksum.
CREATE TABLE IF NOT EXISTS lineage.function_set (
    sha256 text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)
