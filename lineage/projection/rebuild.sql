-- name: clear() -> None
-- Empty the tables of facts and of the graph.
TRUNCATE lineage.dataset, lineage.alias, lineage.search_text, lineage.search_word, lineage.job, lineage.run, lineage.execution,
         lineage.access, lineage.dataset_job, lineage.feeds, lineage.field, lineage.column_mapping,
         lineage.column_mapping_entry,
         lineage.run_column_mapping, lineage.derives, lineage.deferred_feeds, lineage.deferred_derives,
         lineage.archived_feeds, lineage.archived_derives,
         lineage.explicit_source,
         lineage.design, lineage.design_access, lineage.design_source, lineage.design_mapping, lineage.declared,
         lineage.declared_column, lineage.job_dependency,
         lineage.node, lineage.link, provenance."Asset", provenance."IS", provenance."PRODUCES",
         provenance."CONSUMES", provenance."TRANSFORMS", provenance."MATERIALIZES", provenance."HAS_SCHEMA",
         provenance."MEMBER_OF", provenance."DECLARED",
         provenance."Dataset", provenance."Job",
         provenance."Run", provenance."Field", provenance."INPUT_TO", provenance."OUTPUTS",
         provenance."EXECUTES", provenance."PARENT", provenance."HAS_FIELD", provenance."DERIVES",
         provenance."FEEDS"
