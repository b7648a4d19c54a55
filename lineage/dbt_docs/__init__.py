"""The graph in the documentation site of dbt: a copy of its files with the datasets around them."""
