-- name: create_schema() -> None
-- Create the schema of all tables and functions.
CREATE SCHEMA IF NOT EXISTS lineage

-- name: create_migration_table() -> None
-- Create the table of applied migrations.
CREATE TABLE IF NOT EXISTS lineage.migration (
    number int PRIMARY KEY,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)

-- name: create_function_set_table() -> None
-- Create the table with the checksum of the installed function files.
CREATE TABLE IF NOT EXISTS lineage.function_set (
    sha256 text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)
