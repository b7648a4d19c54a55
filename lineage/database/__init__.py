"""The database: connections, errors, migrations."""
