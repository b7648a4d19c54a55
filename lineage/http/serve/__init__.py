"""The process of ``lineage serve``: one application with every surface."""
