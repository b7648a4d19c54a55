-- name: create_schema() -> None
-- The schema of all tables and functions.
CREATE SCHEMA IF NOT EXISTS lineage

-- name: create_migration_table() -> None
-- The table of applied migrations.
CREATE TABLE IF NOT EXISTS lineage.migration (
    number int PRIMARY KEY,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)

-- name: create_function_set_table() -> None
-- The checksum of the installed function files.
CREATE TABLE IF NOT EXISTS lineage.function_set (
    sha256 text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)
