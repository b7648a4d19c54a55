"""Readers of the files of dbt: manifest, results, catalog and profiles."""
