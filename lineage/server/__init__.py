"""The private PostgreSQL server with Apache AGE."""
