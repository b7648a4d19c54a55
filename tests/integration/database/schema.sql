AGGREGATE lineage.merged_facets(jsonb) OWNER OWNER lineage.merge_facets jsonb
COLUMN lineage.access.dataset 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.access.facets 7 jsonb - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.access.first_seen 5 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.access.job 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.access.last_seen 6 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.access.output 4 boolean - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.access.run 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.alias.alias 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.alias.claimed 3 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.alias.owner 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.archived_derives.first_seen 4 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.archived_derives.job 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.archived_derives.last_seen 5 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.archived_derives.mappings 2 bigint[] - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.archived_derives.runs 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.archived_feeds.first_seen 5 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.archived_feeds.job 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.archived_feeds.last_seen 6 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.archived_feeds.runs 4 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.archived_feeds.sources 2 bigint[] - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.archived_feeds.targets 3 bigint[] - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.archived_file.archived_at 5 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.archived_file.catalog_table 7 text "default" DEFAULT - STORAGE x 
COLUMN lineage.archived_file.digest_sum 4 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.archived_file.events 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.archived_file.location 1 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.archived_file.month 2 date - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.archived_file.projected_at 6 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.archived_run.archived_at 4 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.archived_run.in_graph 2 boolean - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.archived_run.job 3 bigint - DEFAULT - STORAGE p 
COLUMN lineage.archived_run.run_id 1 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.column_mapping.digest 2 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.column_mapping.id 1 bigint - NOT NULL DEFAULT - STORAGE p a
COLUMN lineage.column_mapping.target 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.column_mapping.unreadable 4 jsonb - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.column_mapping_entry.mapping 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.column_mapping_entry.masking 7 boolean - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.column_mapping_entry.source 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.column_mapping_entry.source_field 3 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.column_mapping_entry.subtype 6 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.column_mapping_entry.target_field 4 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.column_mapping_entry.type 5 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.compared_write.dataset 2 bigint - DEFAULT - STORAGE p 
COLUMN lineage.compared_write.exact 6 boolean - DEFAULT - STORAGE p 
COLUMN lineage.compared_write.job 4 bigint - DEFAULT - STORAGE p 
COLUMN lineage.compared_write.run 3 bigint - DEFAULT - STORAGE p 
COLUMN lineage.compared_write.times 1 integer - DEFAULT - STORAGE p 
COLUMN lineage.compared_write.written 5 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.dataset.alias_of 5 bigint - DEFAULT - STORAGE p 
COLUMN lineage.dataset.canonical 4 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.dataset.facets 8 jsonb - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.dataset.first_seen 6 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.dataset.id 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.dataset.last_seen 7 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.dataset.name 3 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.dataset.namespace 2 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.dataset.schema 9 bigint - DEFAULT - STORAGE p 
COLUMN lineage.dataset_job.dataset 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.dataset_job.job 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.dataset_job.output 2 boolean - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.dataset_read.as_of 8 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.dataset_read.barrier 9 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.dataset_read.by_version 7 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.dataset_read.dataset 3 bigint - DEFAULT - STORAGE p 
COLUMN lineage.dataset_read.read_at 5 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.dataset_read.read_until 6 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.dataset_read.reader 1 bigint - DEFAULT - STORAGE p 
COLUMN lineage.dataset_read.reader_job 2 bigint - DEFAULT - STORAGE p 
COLUMN lineage.dataset_read.version 4 text "default" DEFAULT - STORAGE x 
COLUMN lineage.declared.confidence 8 double precision - NOT NULL DEFAULT 1 STORAGE p 
COLUMN lineage.declared.edge 9 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.declared.first_seen 5 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.declared.holder 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.declared.job 4 bigint - DEFAULT - STORAGE p 
COLUMN lineage.declared.last_seen 6 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.declared.observed 7 boolean - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.declared.source 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.declared.target 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.declared_column.edge 10 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.declared_column.first_seen 8 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.declared_column.holder 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.declared_column.job 7 bigint - DEFAULT - STORAGE p 
COLUMN lineage.declared_column.last_seen 9 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.declared_column.masking 6 boolean - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.declared_column.source 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.declared_column.subtype 5 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.declared_column.target 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.declared_column.type 4 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.deferred_derives.first_seen 4 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.deferred_derives.job 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.deferred_derives.last_seen 5 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.deferred_derives.mappings 2 bigint[] - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.deferred_derives.runs 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.deferred_feeds.first_seen 5 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.deferred_feeds.job 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.deferred_feeds.last_seen 6 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.deferred_feeds.runs 4 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.deferred_feeds.source 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.deferred_feeds.target 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.derives.edge 10 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.derives.first_seen 8 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.derives.job 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.derives.last_seen 9 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.derives.masking 6 boolean - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.derives.runs 7 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.derives.source 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.derives.subtype 5 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.derives.target 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.derives.type 4 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.design.holder 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.design.job 2 bigint - DEFAULT - STORAGE p 
COLUMN lineage.design.revision 3 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.design_access.confidence 7 double precision - NOT NULL DEFAULT 1 STORAGE p 
COLUMN lineage.design_access.dataset 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.design_access.first_seen 4 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.design_access.holder 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.design_access.last_seen 5 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.design_access.output 3 boolean - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.design_access.revision 6 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.design_mapping.first_seen 4 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.design_mapping.holder 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.design_mapping.last_seen 5 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.design_mapping.mapping 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.design_mapping.revision 6 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.design_mapping.target 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.design_source.confidence 7 double precision - NOT NULL DEFAULT 1 STORAGE p 
COLUMN lineage.design_source.first_seen 4 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.design_source.holder 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.design_source.last_seen 5 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.design_source.revision 6 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.design_source.source 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.design_source.target 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.event.body 6 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.event.document 7 bytea - DEFAULT - STORAGE x 
COLUMN lineage.event.event_time 3 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.event.id 1 bigint - NOT NULL DEFAULT nextval('lineage.event_id_seq'::regclass) STORAGE p 
COLUMN lineage.event.received_at 4 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.event.run_id 5 text "default" DEFAULT - STORAGE x 
COLUMN lineage.event.sha256 2 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.event_MONTH.body 6 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.event_MONTH.document 7 bytea - DEFAULT - STORAGE x 
COLUMN lineage.event_MONTH.event_time 3 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.event_MONTH.id 1 bigint - NOT NULL DEFAULT nextval('lineage.event_id_seq'::regclass) STORAGE p 
COLUMN lineage.event_MONTH.received_at 4 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.event_MONTH.run_id 5 text "default" DEFAULT - STORAGE x 
COLUMN lineage.event_MONTH.sha256 2 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.event_before.body 6 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.event_before.document 7 bytea - DEFAULT - STORAGE x 
COLUMN lineage.event_before.event_time 3 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.event_before.id 1 bigint - NOT NULL DEFAULT nextval('lineage.event_id_seq'::regclass) STORAGE p 
COLUMN lineage.event_before.received_at 4 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.event_before.run_id 5 text "default" DEFAULT - STORAGE x 
COLUMN lineage.event_before.sha256 2 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.event_other.body 6 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.event_other.document 7 bytea - DEFAULT - STORAGE x 
COLUMN lineage.event_other.event_time 3 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.event_other.id 1 bigint - NOT NULL DEFAULT nextval('lineage.event_id_seq'::regclass) STORAGE p 
COLUMN lineage.event_other.received_at 4 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.event_other.run_id 5 text "default" DEFAULT - STORAGE x 
COLUMN lineage.event_other.sha256 2 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.execution.first_seen 3 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.execution.job 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.execution.last_seen 4 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.execution.run 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.explicit_source.dataset 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.explicit_source.run 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.feeds.declared 8 boolean - NOT NULL DEFAULT false STORAGE p 
COLUMN lineage.feeds.edge 7 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.feeds.first_seen 5 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.feeds.job 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.feeds.last_seen 6 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.feeds.runs 4 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.feeds.source 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.feeds.target 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.field.dataset 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.field.id 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.field.name 3 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.field.nested 5 boolean - NOT NULL DEFAULT false STORAGE p 
COLUMN lineage.field.spelling_of 6 bigint - DEFAULT - STORAGE p 
COLUMN lineage.field.type 4 text "default" DEFAULT - STORAGE x 
COLUMN lineage.forward.error 6 text "default" DEFAULT - STORAGE x 
COLUMN lineage.forward.failing_since 5 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.forward.position 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.forward.sent 3 bigint - NOT NULL DEFAULT 0 STORAGE p 
COLUMN lineage.forward.sent_at 4 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.forward.target 1 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.function_set.applied_at 2 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.function_set.sha256 1 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.imported_object.body 5 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.imported_object.kind 2 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.imported_object.name 3 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.imported_object.server 1 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.imported_object.time 4 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.imported_part.first_time 3 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.imported_part.is_open 5 boolean - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.imported_part.is_stale 6 boolean - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.imported_part.last_time 4 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.imported_part.server 1 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.imported_part.unit 2 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.imported_row.body 5 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.imported_row.detail 7 smallint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.imported_row.server 1 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.imported_row.sha256 4 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.imported_row.statement 6 bytea - DEFAULT - STORAGE x 
COLUMN lineage.imported_row.text 8 text "default" DEFAULT - STORAGE x 
COLUMN lineage.imported_row.time 3 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.imported_row.unit 2 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.imported_statement.body 2 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.imported_statement.sha256 1 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.job.facets 6 jsonb - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.job.first_seen 4 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.job.id 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.job.last_seen 5 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.job.name 3 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.job.namespace 2 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.job_dependency.downstream 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.job_dependency.first_seen 3 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.job_dependency.last_seen 4 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.job_dependency.upstream 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.late_run.events 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.late_run.last_event 3 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.late_run.run_id 1 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.link.attributes 8 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.link.confidence 7 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.link.edge 9 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.link.first_seen 5 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.link.last_seen 6 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.link.revision 4 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.link.source 1 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.link.target 2 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.link.type 3 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.migration.applied_at 4 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.migration.name 2 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.migration.number 1 integer - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.migration.sha256 3 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.node.attributes 9 jsonb - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.node.entity 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.node.first_seen 6 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.node.is_edge 11 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.node.last_seen 7 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.node.node_id 1 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.node.of_job 4 boolean - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.node.revision 5 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.node.tags 10 jsonb - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.node.texts 8 jsonb - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.node.vertex 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.plan_document.application 4 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document.body 7 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document.execution 6 bigint - DEFAULT - STORAGE p 
COLUMN lineage.plan_document.kind 5 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document.namespaces 8 text[] "default" DEFAULT - STORAGE x 
COLUMN lineage.plan_document.received_at 3 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.plan_document.sha256 1 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document.time 2 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.plan_document_MONTH.application 4 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document_MONTH.body 7 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document_MONTH.execution 6 bigint - DEFAULT - STORAGE p 
COLUMN lineage.plan_document_MONTH.kind 5 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document_MONTH.namespaces 8 text[] "default" DEFAULT - STORAGE x 
COLUMN lineage.plan_document_MONTH.received_at 3 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.plan_document_MONTH.sha256 1 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document_MONTH.time 2 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.plan_document_before.application 4 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document_before.body 7 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document_before.execution 6 bigint - DEFAULT - STORAGE p 
COLUMN lineage.plan_document_before.kind 5 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document_before.namespaces 8 text[] "default" DEFAULT - STORAGE x 
COLUMN lineage.plan_document_before.received_at 3 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.plan_document_before.sha256 1 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document_before.time 2 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.plan_document_other.application 4 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document_other.body 7 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document_other.execution 6 bigint - DEFAULT - STORAGE p 
COLUMN lineage.plan_document_other.kind 5 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document_other.namespaces 8 text[] "default" DEFAULT - STORAGE x 
COLUMN lineage.plan_document_other.received_at 3 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.plan_document_other.sha256 1 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document_other.time 2 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.plan_document_queue.reason 3 text "default" DEFAULT - STORAGE x 
COLUMN lineage.plan_document_queue.sha256 1 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.plan_document_queue.time 2 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.projection_queue.event 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.projection_queue.event_time 2 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.record_item.contributors 5 bytea - DEFAULT - STORAGE x 
COLUMN lineage.record_item.error 6 text "default" DEFAULT - STORAGE x 
COLUMN lineage.record_item.hops 4 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.record_item.id 2 uuid - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.record_item.outcome 3 smallint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.record_item.run 1 uuid - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.record_node.aggregated 13 bigint - DEFAULT - STORAGE p 
COLUMN lineage.record_node.dead_lettered 16 bigint - DEFAULT - STORAGE p 
COLUMN lineage.record_node.emitted 10 bigint - DEFAULT - STORAGE p 
COLUMN lineage.record_node.error 15 bigint - DEFAULT - STORAGE p 
COLUMN lineage.record_node.filtered_out 11 bigint - DEFAULT - STORAGE p 
COLUMN lineage.record_node.joined 12 bigint - DEFAULT - STORAGE p 
COLUMN lineage.record_node.node 3 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.record_node.operator 4 text "default" DEFAULT - STORAGE x 
COLUMN lineage.record_node.ordinal 2 integer - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.record_node.pipeline 6 text "default" DEFAULT - STORAGE x 
COLUMN lineage.record_node.pipeline_id 5 uuid - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.record_node.recorded_at 17 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.record_node.retried 14 bigint - DEFAULT - STORAGE p 
COLUMN lineage.record_node.rows_in 8 bigint - DEFAULT - STORAGE p 
COLUMN lineage.record_node.rows_out 9 bigint - DEFAULT - STORAGE p 
COLUMN lineage.record_node.run 1 uuid - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.record_node.sample 7 double precision - DEFAULT - STORAGE p 
COLUMN lineage.record_trace.columns 4 text[] "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.record_trace.condition 6 text "default" DEFAULT - STORAGE x 
COLUMN lineage.record_trace.condition_hash 5 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.record_trace.counts 11 jsonb - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.record_trace.dataset 2 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.record_trace.fidelity 8 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.record_trace.id 1 uuid - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.record_trace.reasons 9 text[] "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.record_trace.reproduced 12 boolean - DEFAULT - STORAGE p 
COLUMN lineage.record_trace.row_values 13 jsonb - DEFAULT - STORAGE x 
COLUMN lineage.record_trace.rows 10 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.record_trace.run 3 text "default" DEFAULT - STORAGE x 
COLUMN lineage.record_trace.saved_at 14 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.record_trace.way 7 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.record_witness.file 6 text "default" DEFAULT - STORAGE x 
COLUMN lineage.record_witness.hop 3 integer - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.record_witness.key 8 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.record_witness.ordinal 2 integer - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.record_witness.row_index 7 bigint - DEFAULT - STORAGE p 
COLUMN lineage.record_witness.row_values 9 jsonb - DEFAULT - STORAGE x 
COLUMN lineage.record_witness.source 5 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.record_witness.target 4 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.record_witness.trace 1 uuid - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.rejected_event.event 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.rejected_event.reason 2 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.rejected_event.rejected_at 3 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.rejected_forward.event 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.rejected_forward.reason 3 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.rejected_forward.rejected_at 4 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.rejected_forward.target 1 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.retention.documents 4 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.retention.dropped_at 1 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.retention.events 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.retention.is_archived 5 boolean - NOT NULL DEFAULT false STORAGE p 
COLUMN lineage.retention.retained_from 2 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.run.contributing 8 boolean - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.run.ended_at 7 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.run.facets 9 jsonb - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.run.first_seen 4 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.run.id 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.run.last_seen 5 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.run.run_id 2 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.run.started_at 6 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.run.state 3 text "default" DEFAULT - STORAGE x 
COLUMN lineage.run.streamed 10 smallint - NOT NULL DEFAULT 0 STORAGE p 
COLUMN lineage.run_archive.archived_at 1 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.run_archive.archived_before 2 timestamp with time zone - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.run_archive.lake 3 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.run_archive.runs 4 bigint - NOT NULL DEFAULT 0 STORAGE p 
COLUMN lineage.run_column_mapping.dataset 3 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.run_column_mapping.job 2 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.run_column_mapping.mapping 5 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.run_column_mapping.revision 4 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.run_column_mapping.run 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.run_dependency.dataset 3 bigint - DEFAULT - STORAGE p 
COLUMN lineage.run_dependency.exact 8 boolean - DEFAULT - STORAGE p 
COLUMN lineage.run_dependency.reader 1 bigint - DEFAULT - STORAGE p 
COLUMN lineage.run_dependency.reader_job 2 bigint - DEFAULT - STORAGE p 
COLUMN lineage.run_dependency.version 4 text "default" DEFAULT - STORAGE x 
COLUMN lineage.run_dependency.writer 5 bigint - DEFAULT - STORAGE p 
COLUMN lineage.run_dependency.writer_job 6 bigint - DEFAULT - STORAGE p 
COLUMN lineage.run_dependency.written 7 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.run_lineage_step.dataset 3 bigint - DEFAULT - STORAGE p 
COLUMN lineage.run_lineage_step.distance 1 integer - DEFAULT - STORAGE p 
COLUMN lineage.run_lineage_step.exact 9 bigint - DEFAULT - STORAGE p 
COLUMN lineage.run_lineage_step.first 7 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.run_lineage_step.last 8 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.run_lineage_step.perhaps 10 bigint - DEFAULT - STORAGE p 
COLUMN lineage.run_lineage_step.reader_job 2 bigint - DEFAULT - STORAGE p 
COLUMN lineage.run_lineage_step.run 6 bigint - DEFAULT - STORAGE p 
COLUMN lineage.run_lineage_step.runs 5 bigint - DEFAULT - STORAGE p 
COLUMN lineage.run_lineage_step.since 11 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.run_lineage_step.writer_job 4 bigint - DEFAULT - STORAGE p 
COLUMN lineage.run_owner.claimed_at 4 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.run_owner.job 3 text "default" DEFAULT - STORAGE x 
COLUMN lineage.run_owner.namespace 2 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.run_owner.run_id 1 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.run_reader.dataset 4 bigint - DEFAULT - STORAGE p 
COLUMN lineage.run_reader.distance 1 integer - DEFAULT - STORAGE p 
COLUMN lineage.run_reader.exact 7 boolean - DEFAULT - STORAGE p 
COLUMN lineage.run_reader.job 5 bigint - DEFAULT - STORAGE p 
COLUMN lineage.run_reader.perhaps 8 boolean - DEFAULT - STORAGE p 
COLUMN lineage.run_reader.read_at 6 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN lineage.run_reader.reader 2 bigint - DEFAULT - STORAGE p 
COLUMN lineage.run_reader.reader_job 3 bigint - DEFAULT - STORAGE p 
COLUMN lineage.search_text.field 2 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.search_text.id 3 bigint - DEFAULT - STORAGE p 
COLUMN lineage.search_text.kind 1 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.search_text.last_part 6 text "C" NOT NULL DEFAULT regexp_replace(lower((text COLLATE "default")), '^.*[/.:]'::text, ''::text) STORAGE x s
COLUMN lineage.search_text.lowered 5 text "default" NOT NULL DEFAULT lower((text COLLATE "default")) STORAGE x s
COLUMN lineage.search_text.text 4 text "C" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.search_text.words 7 text "default" NOT NULL DEFAULT ((' '::text || regexp_replace(lower((text COLLATE "default")), '[^[:alnum:]]+'::text, ' '::text, 'g'::text)) || ' '::text) STORAGE x s
COLUMN lineage.search_word.word 1 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.superseded_event.event 1 bigint - NOT NULL DEFAULT - STORAGE p 
COLUMN lineage.superseded_event.superseded_at 2 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.token.created_at 5 timestamp with time zone - NOT NULL DEFAULT now() STORAGE p 
COLUMN lineage.token.name 1 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.token.namespaces 4 text[] "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.token.scope 3 text "default" NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.token.sha256 2 bytea - NOT NULL DEFAULT - STORAGE x 
COLUMN lineage.visible_write.dataset 2 bigint - DEFAULT - STORAGE p 
COLUMN lineage.visible_write.exact 6 boolean - DEFAULT - STORAGE p 
COLUMN lineage.visible_write.job 4 bigint - DEFAULT - STORAGE p 
COLUMN lineage.visible_write.reader_job 1 bigint - DEFAULT - STORAGE p 
COLUMN lineage.visible_write.run 3 bigint - DEFAULT - STORAGE p 
COLUMN lineage.visible_write.written 5 timestamp with time zone - DEFAULT - STORAGE p 
COLUMN provenance."Asset".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'Asset'::name))::integer, nextval('provenance."Asset_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."Asset".properties 2 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."CONSUMES".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."CONSUMES".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'CONSUMES'::name))::integer, nextval('provenance."CONSUMES_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."CONSUMES".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."CONSUMES".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."DECLARED".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."DECLARED".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'DECLARED'::name))::integer, nextval('provenance."DECLARED_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."DECLARED".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."DECLARED".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."DERIVES".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."DERIVES".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'DERIVES'::name))::integer, nextval('provenance."DERIVES_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."DERIVES".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."DERIVES".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."Dataset".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'Dataset'::name))::integer, nextval('provenance."Dataset_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."Dataset".properties 2 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."EXECUTES".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."EXECUTES".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'EXECUTES'::name))::integer, nextval('provenance."EXECUTES_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."EXECUTES".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."EXECUTES".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."FEEDS".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."FEEDS".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'FEEDS'::name))::integer, nextval('provenance."FEEDS_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."FEEDS".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."FEEDS".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."Field".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'Field'::name))::integer, nextval('provenance."Field_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."Field".properties 2 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."HAS_FIELD".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."HAS_FIELD".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'HAS_FIELD'::name))::integer, nextval('provenance."HAS_FIELD_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."HAS_FIELD".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."HAS_FIELD".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."HAS_SCHEMA".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."HAS_SCHEMA".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'HAS_SCHEMA'::name))::integer, nextval('provenance."HAS_SCHEMA_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."HAS_SCHEMA".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."HAS_SCHEMA".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."INPUT_TO".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."INPUT_TO".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'INPUT_TO'::name))::integer, nextval('provenance."INPUT_TO_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."INPUT_TO".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."INPUT_TO".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."IS".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."IS".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'IS'::name))::integer, nextval('provenance."IS_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."IS".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."IS".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."Job".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'Job'::name))::integer, nextval('provenance."Job_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."Job".properties 2 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."MATERIALIZES".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."MATERIALIZES".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'MATERIALIZES'::name))::integer, nextval('provenance."MATERIALIZES_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."MATERIALIZES".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."MATERIALIZES".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."MEMBER_OF".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."MEMBER_OF".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'MEMBER_OF'::name))::integer, nextval('provenance."MEMBER_OF_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."MEMBER_OF".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."MEMBER_OF".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."OUTPUTS".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."OUTPUTS".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'OUTPUTS'::name))::integer, nextval('provenance."OUTPUTS_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."OUTPUTS".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."OUTPUTS".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."PARENT".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."PARENT".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'PARENT'::name))::integer, nextval('provenance."PARENT_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."PARENT".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."PARENT".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."PRODUCES".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."PRODUCES".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'PRODUCES'::name))::integer, nextval('provenance."PRODUCES_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."PRODUCES".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."PRODUCES".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."Record".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'Record'::name))::integer, nextval('provenance."Record_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."Record".properties 2 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."Run".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'Run'::name))::integer, nextval('provenance."Run_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."Run".properties 2 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."TRANSFORMS".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."TRANSFORMS".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'TRANSFORMS'::name))::integer, nextval('provenance."TRANSFORMS_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."TRANSFORMS".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."TRANSFORMS".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."WITNESS".end_id 3 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COLUMN provenance."WITNESS".id 1 ag_catalog.graphid - NOT NULL DEFAULT ag_catalog._graphid((ag_catalog._label_id('provenance'::name, 'WITNESS'::name))::integer, nextval('provenance."WITNESS_id_seq"'::regclass)) STORAGE p 
COLUMN provenance."WITNESS".properties 4 ag_catalog.agtype - NOT NULL DEFAULT ag_catalog.agtype_build_map() STORAGE x 
COLUMN provenance."WITNESS".start_id 2 ag_catalog.graphid - NOT NULL DEFAULT - STORAGE p 
COMMENT ON column application of table lineage.plan_document: UUID of the run of the Spark application
COMMENT ON column application of table lineage.plan_document_MONTH: UUID of the run of the Spark application
COMMENT ON column archived_at of table lineage.archived_run: The command of lineage.run_archive that moved the run to a lake
COMMENT ON column body of table lineage.event: The JSON text, verbatim without surrounding white space
COMMENT ON column body of table lineage.event_MONTH: The JSON text, verbatim without surrounding white space
COMMENT ON column body of table lineage.imported_object: Columns, or statements without literals, as JSON
COMMENT ON column body of table lineage.imported_row: The fields of the row without its text, as JSON
COMMENT ON column catalog_table of table lineage.archived_file: Table of a catalog of Spark that the file belongs to; null if the lake is a directory
COMMENT ON column condition_hash of table lineage.record_trace: HMAC of the condition, with the key of the user
COMMENT ON column confidence of table lineage.declared: 0 to 1; below 1 the design was inferred
COMMENT ON column contributing of table lineage.run: Whether the accesses of the run contribute to lineage.feeds
COMMENT ON column detail of table lineage.imported_row: How much of the text is kept: 0 nothing, 1 its shape, 2 all
COMMENT ON column digest_sum of table lineage.archived_file: Sum of the first 60 bits of all digests, modulo two to the 60
COMMENT ON column document of table lineage.event: SHA-256 of the plan document, or of the unit of imported rows, that it was made from
COMMENT ON column document of table lineage.event_MONTH: SHA-256 of the plan document, or of the unit of imported rows, that it was made from
COMMENT ON column entity of table lineage.node: The dataset, under its reported name, or the job that the node is
COMMENT ON column error of table lineage.forward: Why forwarding fails; null if it does not
COMMENT ON column error of table lineage.record_item: Type of the last error; with its message if values are not redacted
COMMENT ON column event_time of table lineage.event: eventTime of the event
COMMENT ON column event_time of table lineage.event_MONTH: eventTime of the event
COMMENT ON column execution of table lineage.plan_document: Id of the root execution, if it is about one
COMMENT ON column execution of table lineage.plan_document_MONTH: Id of the root execution, if it is about one
COMMENT ON column id of table lineage.search_text: The vertex of the dataset or job; null for a column
COMMENT ON column in_graph of table lineage.archived_run: Whether the run is in the graph: it is the last before the archived time that accessed a dataset, or is not moved yet
COMMENT ON column is_archived of table lineage.retention: Whether the events are in the files of lineage.archived_file
COMMENT ON column is_open of table lineage.imported_part: Whether its end is not known yet
COMMENT ON column is_stale of table lineage.imported_part: Whether its events are still to be written
COMMENT ON column job of table lineage.archived_run: The first job of a run that is not in the graph; it owns the run id
COMMENT ON column job of table lineage.run_owner: Null for a run that plan documents or its children name, and that has no event of its own
COMMENT ON column last_part of table lineage.search_text: The part after the last of / . : in lower case
COMMENT ON column location of table lineage.archived_file: Absolute path or URI of a Parquet file
COMMENT ON column name of table lineage.imported_object: The parts of the name, as a JSON array
COMMENT ON column namespaces of table lineage.plan_document: Namespaces of the token it was sent with; null for all
COMMENT ON column namespaces of table lineage.plan_document_MONTH: Namespaces of the token it was sent with; null for all
COMMENT ON column namespaces of table lineage.token: Namespaces the token is valid for, * matches any text; empty for all
COMMENT ON column nested of table lineage.field: Whether the name is the path of a nested field: by the newest schema, else by its form
COMMENT ON column position of table lineage.forward: All events up to this id are sent or rejected
COMMENT ON column projected_at of table lineage.archived_file: When all its events were in the graph; null while they are folded
COMMENT ON column reason of table lineage.plan_document_queue: Why it cannot be converted; null while it is pending
COMMENT ON column run_id of table lineage.event: run.runId; null for a JobEvent or a DatasetEvent
COMMENT ON column run_id of table lineage.event_MONTH: run.runId; null for a JobEvent or a DatasetEvent
COMMENT ON column schema of table lineage.dataset: Digest of the schema whose columns are in the graph
COMMENT ON column sent of table lineage.forward: Number of acknowledged events; an event that is sent again counts again
COMMENT ON column sha256 of table lineage.event: SHA-256 of body in UTF-8
COMMENT ON column sha256 of table lineage.event_MONTH: SHA-256 of body in UTF-8
COMMENT ON column sha256 of table lineage.imported_row: SHA-256 of the fields of the row and the shape of its text
COMMENT ON column sha256 of table lineage.plan_document: SHA-256 of body in UTF-8
COMMENT ON column sha256 of table lineage.plan_document_MONTH: SHA-256 of body in UTF-8
COMMENT ON column spelling_of of table lineage.field: The column of the newest schema that this name means in another case; null for all other names
COMMENT ON column streamed of table lineage.run: Bits that events of the run set: 1 if its job is streaming, 2 if it is running
COMMENT ON column text of table lineage.imported_row: The text, if detail is 2
COMMENT ON column unreadable of table lineage.column_mapping: Paths in the facet that could not be parsed
COMMENT ON column words of table lineage.search_text: The words in lower case, each between spaces
COMMENT ON function lineage.accesses_of_datasets(bigint[],boolean,boolean,double precision): The jobs that wrote or read datasets, in runs or by their designs
COMMENT ON function lineage.accesses_of_jobs(bigint[],boolean,text,boolean,double precision): The datasets to which a trace of jobs leads
COMMENT ON function lineage.adjacent_edges(bigint[],text,boolean,text[],text[],bigint[],text[],timestamp with time zone,boolean,double precision): The edges at datasets that match filters
COMMENT ON function lineage.adjoining_columns(bigint[]): The columns whose edges a trace of columns also follows
COMMENT ON function lineage.all_path_edges(bigint,bigint,boolean,double precision): The edges on any path between two datasets
COMMENT ON function lineage.check_cypher(text): The first part of a query that raw Cypher may not contain
COMMENT ON function lineage.checks_of_run(bigint): The reports of checks of the datasets that a run read or wrote
COMMENT ON function lineage.column_closure(bigint,text,integer,boolean,boolean): The columns of a trace with their distance
COMMENT ON function lineage.column_closure_edges(bigint[],text,integer,boolean,boolean): The edges that a trace of columns follows
COMMENT ON function lineage.column_id(text,text): The column of that name; raises an error if there is none
COMMENT ON function lineage.compare_visible_writes(bigint,timestamp with time zone,timestamp with time zone,integer): The writes visible in a dataset at two times
COMMENT ON function lineage.configured_overwrite_time(bigint,timestamp with time zone,timestamp with time zone,text,bigint): The last write before a read by a job that is configured to overwrite
COMMENT ON function lineage.configured_write_mode(bigint,bigint): The write mode that a user set for a job and a dataset
COMMENT ON function lineage.create_partitions(): Create the partitions of this month and the next
COMMENT ON function lineage.current_designs(bigint): The newest designs of a job or a dataset, which replace older ones
COMMENT ON function lineage.cypher_tokens(text): The tokens of a Cypher query, with spaces and comments
COMMENT ON function lineage.dataset_closure(bigint[],text,integer,boolean,double precision): The datasets of a trace from several roots, with their distance
COMMENT ON function lineage.dataset_closure_edges(bigint[],text,integer,boolean,double precision): The edges that a trace follows
COMMENT ON function lineage.dataset_closure_levels(bigint[],text,integer,boolean,double precision): The datasets of a trace, an array for each distance
COMMENT ON function lineage.dataset_closure_steps(bigint[],text,integer,boolean,double precision): The datasets and edges of a trace, arrays for each distance
COMMENT ON function lineage.dataset_diff(text,timestamp with time zone,timestamp with time zone,integer): The visible writes that a dataset gained or lost between two times
COMMENT ON function lineage.dataset_id(text): The dataset that a name matches; raises an error if none or several match
COMMENT ON function lineage.dataset_lineage(text,text,integer,text[],text[],text[],text[],timestamp with time zone,integer,boolean,double precision): The datasets of a trace that match filters, the nearest first
COMMENT ON function lineage.dataset_lineage_edges(text,text,integer,boolean,double precision): The edges of a trace by name, and whether they are stale
COMMENT ON function lineage.dataset_usage(bigint[],timestamp with time zone): The last write and read of datasets, and the number of runs
COMMENT ON function lineage.datasets_declared(bigint[],text,double precision): The datasets that jobs read or write by their designs
COMMENT ON function lineage.defines_view(lineage.access): Whether a write of a dataset left a definition and no rows
COMMENT ON function lineage.definitions_seen(bigint,timestamp with time zone,timestamp with time zone,text,bigint): The definition of a view that a read saw
COMMENT ON function lineage.delete_declared(bigint[]): Delete the declared pairs of designs, before they are computed again
COMMENT ON function lineage.delete_fields(bigint[]): Delete columns that no mapping names
COMMENT ON function lineage.delete_unused_derives(bigint[]): Delete DERIVES rows and edges that no run contributes to
COMMENT ON function lineage.delete_unused_feeds(bigint[]): Delete FEEDS rows and edges that no run contributes to
COMMENT ON function lineage.dependencies_of_reads(lineage.dataset_read[],boolean): Reads, with the writes that each of them saw
COMMENT ON function lineage.diff_schemas(jsonb,jsonb): Columns that differ between two schema facets
COMMENT ON function lineage.downstream(text,integer,boolean,double precision): The datasets downstream of a dataset
COMMENT ON function lineage.downstream_columns(text,text,integer,boolean,boolean): The columns downstream of a column
COMMENT ON function lineage.downstream_runs(text,integer,boolean): The runs downstream of a run, by its id
COMMENT ON function lineage.drop_events(timestamp with time zone): Drop the events from before a month
COMMENT ON function lineage.drop_months(text,text,timestamp with time zone): Drop the rows of a table of the log from before a month
COMMENT ON function lineage.earlier_writes(bigint[],bigint[],timestamp with time zone[],timestamp with time zone[]): Writes of datasets by jobs before a time
COMMENT ON function lineage.edge_changes(bigint[],boolean): The times at which edges between datasets were added or removed
COMMENT ON function lineage.edge_runs_as_of(bigint[],bigint[],bigint[],timestamp with time zone): The number of runs that had shown edges at a time, and the last of them
COMMENT ON function lineage.edges_as_of(bigint[],text,boolean,timestamp with time zone,double precision): The edges at datasets that existed at a time
COMMENT ON function lineage.edges_from(bigint[],boolean,double precision): The edges from datasets, and whether designs declare them
COMMENT ON function lineage.edges_to(bigint[],boolean,double precision): The edges to datasets, and whether designs declare them
COMMENT ON function lineage.enclosing_names(text): The names of the columns that enclose a nested field
COMMENT ON function lineage.ends_at_archive(bigint[],bigint[]): Whether archived runs may have written what runs read
COMMENT ON function lineage.event_json(text): An event of the log as JSON; NaN and Infinity are null
COMMENT ON function lineage.events_mentioning(bigint,timestamp with time zone,integer,integer): The newest events up to a time that may mention a dataset
COMMENT ON function lineage.execution_start(bigint,bigint): The beginning of the execution of a job that a run is part of
COMMENT ON function lineage.execution_starts(bigint,timestamp with time zone): The first run of each of the last executions of a job
COMMENT ON function lineage.facets_of_write(bigint,bigint,bigint): The facets that a run reported for a dataset it wrote
COMMENT ON function lineage.failed_checks(bigint,integer): Failed checks of the datasets of a run and of the runs upstream of it
COMMENT ON function lineage.failed_checks_of_runs(bigint[],bigint[],integer[]): Failed checks of the datasets of runs
COMMENT ON function lineage.find_token(bytea): The token of the collector with a digest
COMMENT ON function lineage.graph_fingerprint(): Equal for equal graphs
COMMENT ON function lineage.has_adjacent_run(bigint,bigint): Whether a run may be part of an execution of several runs
COMMENT ON function lineage.has_committed(lineage.run,bigint): Whether a run has written its reported outputs
COMMENT ON function lineage.has_job_written(bigint,bigint): Whether a run of a job that did not fail wrote a dataset
COMMENT ON function lineage.has_views(): Whether the graph has the definition of a view
COMMENT ON function lineage.hidden_writes(lineage.dataset_read[]): Writes that may also have been visible to reads
COMMENT ON function lineage.hiding_execution(bigint,bigint,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,bigint): The newest execution of a job that hides its earlier writes
COMMENT ON function lineage.hiding_write_time(bigint,bigint,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,bigint): The time of the newest write of a job that hides its earlier writes
COMMENT ON function lineage.id_of_run(text): The run with that run id; raises an error if there is none
COMMENT ON function lineage.impact(text,integer,integer,boolean,double precision): The datasets downstream of a dataset, with owners and usage
COMMENT ON function lineage.impact_jobs(text,integer,integer,boolean,double precision): The jobs that read a dataset or one downstream of it
COMMENT ON function lineage.input_manifests(text): What the inputs of the runs were that completed writing a dataset since it was overwritten
COMMENT ON function lineage.inputs_of_run(bigint,bigint): The datasets that a run read
COMMENT ON function lineage.install_int_array_functions(): Create the set functions of traces, with the extension intarray if it is available
COMMENT ON function lineage.install_search_indexes(): Create the indexes of search if pg_trgm is available
COMMENT ON function lineage.int_array_difference(integer[],integer[]): The integers of the first set that are not in the second
COMMENT ON function lineage.int_array_union(integer[],integer[]): The union of two sets of integers
COMMENT ON function lineage.is_append(jsonb): Whether a write reports a mode that retains the previous data
COMMENT ON function lineage.is_appending_job(bigint,bigint): Whether writes of a job without a mode are known to retain the previous data
COMMENT ON function lineage.is_contributing(text,jsonb,smallint): Whether a run contributes to the summaries
COMMENT ON function lineage.is_definition(bigint,bigint,bigint): Whether a run only defined a dataset as a view
COMMENT ON function lineage.is_overwriting_job(bigint,bigint): Whether writes of a job without a mode are configured to overwrite
COMMENT ON function lineage.is_partition_overwrite(bigint,bigint,jsonb): Whether a write that reports an overwrite is configured to replace some partitions only
COMMENT ON function lineage.is_path(text): Whether a name has the form of the path of a nested field
COMMENT ON function lineage.is_same_execution(bigint,bigint): Whether two runs of a job share a parent run
COMMENT ON function lineage.is_same_instance(lineage.run,lineage.run,bigint): Whether a later run of the same execution is another attempt of a run
COMMENT ON function lineage.is_unpaired(lineage.design_access,bigint): Whether an input or output of the newest design of a job is in no pair
COMMENT ON function lineage.job_closure_accesses(bigint,text,integer,boolean,double precision): The jobs of a trace, and the accesses that lead from one to the next
COMMENT ON function lineage.job_closure_edges(bigint,text,integer,boolean,double precision): The steps from job to job that a trace follows
COMMENT ON function lineage.job_id(text): The job that a name matches; raises an error if none or several match
COMMENT ON function lineage.job_lineage(text,text,integer,boolean,double precision): The steps from job to job by name, and whether they are stale or declared
COMMENT ON function lineage.job_of_run(bigint): The job of a run; of several, the first by name that reported itself
COMMENT ON function lineage.job_steps_at(bigint,timestamp with time zone,integer,boolean): The steps from job to job upstream of a dataset at a time
COMMENT ON function lineage.job_steps_downstream(bigint,integer,boolean): The steps from job to job downstream of a run
COMMENT ON function lineage.job_steps_upstream(lineage.dataset_read[],integer,boolean): The steps from job to job upstream of reads
COMMENT ON function lineage.jobs_accessing(bigint[],boolean): The jobs that wrote or read datasets in runs that did not fail
COMMENT ON function lineage.jobs_declaring_access(bigint[],boolean,double precision): The jobs that write or read datasets by their designs
COMMENT ON function lineage.label_counts(): The number of vertices or edges of each label
COMMENT ON function lineage.last_access_time(bigint,bigint,boolean): When a job last wrote or read a dataset in a run that did not fail
COMMENT ON function lineage.last_reads(bigint[],bigint[]): The last read of datasets by jobs, and whether it is stale
COMMENT ON function lineage.last_rewrites(bigint[],bigint[]): When jobs had last written all that they made from datasets
COMMENT ON function lineage.last_successful_access(bigint): The time of the last event of the last successful run of a job, also if it only reads
COMMENT ON function lineage.last_successful_write(bigint,bigint,timestamp with time zone): The time of the last successful write of a dataset by a job
COMMENT ON function lineage.latest_checks(bigint[],timestamp with time zone): The newest reports of checks of datasets, one per job
COMMENT ON function lineage.latest_event_time(): The time of the newest event in the graph, or the present time if that is more than a day in the future
COMMENT ON function lineage.latest_metrics(bigint): The newest metrics of a dataset
COMMENT ON function lineage.latest_runs(bigint[]): The newest run of each of these jobs
COMMENT ON function lineage.latest_writes(bigint[],bigint[],timestamp with time zone[],timestamp with time zone[],timestamp with time zone[],text[],bigint[]): Writes of jobs that are visible to reads, without hidden ones
COMMENT ON function lineage.listed_versions(jsonb): The versions in the lineage_versions facet of a read
COMMENT ON function lineage.log_complete_from(): The time from which the log has all events; null if it has all
COMMENT ON function lineage.match_datasets(text): The datasets that a name matches
COMMENT ON function lineage.match_jobs(text): The jobs that a name matches
COMMENT ON function lineage.may_be_view(bigint): Whether some run defined a dataset as a view
COMMENT ON function lineage.newest_writes(bigint[],timestamp with time zone[],bigint[]): The newest writes of datasets before reads
COMMENT ON function lineage.node_types(bigint[]): The types of the nodes that datasets or jobs are in graph models
COMMENT ON function lineage.orphan_set(): Datasets that no run reads or writes, and jobs that never wrote, in no order
COMMENT ON function lineage.orphans(): Datasets that no run reads or writes, and jobs that never wrote
COMMENT ON function lineage.other_spellings(bigint[]): The names of the same columns in another case
COMMENT ON function lineage.outcome_names(integer): The names of the outcomes of an item
COMMENT ON function lineage.overlapping_columns(bigint[]): The columns that enclose columns, and the fields nested in them
COMMENT ON function lineage.paths(text,text,boolean,boolean,double precision): The paths from one dataset to another
COMMENT ON function lineage.possible_sources(bigint[]): What jobs ever made datasets from, transitively, and these jobs
COMMENT ON function lineage.prune(timestamp with time zone): Drop events and plan documents of the months before a time
COMMENT ON function lineage.quality(text,boolean,boolean,integer): The last checks of a dataset, or also of all datasets upstream of it
COMMENT ON function lineage.read_counts(bigint[],timestamp with time zone): The number of runs that read each of these datasets since a time
COMMENT ON function lineage.read_counts_of_jobs(bigint[],bigint[],timestamp with time zone): The number of runs of each job that read one of its datasets since a time
COMMENT ON function lineage.read_cypher(text,ag_catalog.agtype,text[]): Run a Cypher query with the rights of lineage_cypher
COMMENT ON function lineage.read_versions(jsonb): The versions that a read of a dataset reports
COMMENT ON function lineage.reader_jobs(bigint[]): The jobs that read each of these datasets
COMMENT ON function lineage.reads_at(bigint,timestamp with time zone): A read of a dataset at a time, and the reads behind a view
COMMENT ON function lineage.reads_behind_views(lineage.dataset_read[]): Reads of what the views among several reads are made from
COMMENT ON function lineage.reads_by_name(bigint[],bigint[],integer[]): The reads of runs, by the reported name of the dataset
COMMENT ON function lineage.reads_of_archive(bigint[],bigint[]): The datasets of which archived runs may have written what runs read
COMMENT ON function lineage.reads_of_runs(bigint[],bigint[],bigint[]): The reads of runs, and the period in which they see writes
COMMENT ON function lineage.reads_of_writes(bigint[],bigint[]): The reads that saw writes of several runs
COMMENT ON function lineage.reassign_names(bigint[],bigint[]): Reassign names to the vertices that their aliases resolve to
COMMENT ON function lineage.record_history(uuid): The hops of a sampled item
COMMENT ON function lineage.record_hops(bytea): The hops of an item of record_item, in order
COMMENT ON function lineage.record_items(uuid): The sampled items of a run, and the nodes that they passed
COMMENT ON function lineage.repeats_instance(jsonb,bigint[],jsonb,bigint[]): Whether a later run is another attempt of the same instance
COMMENT ON function lineage.replaces_dataset(lineage.access,bigint): Whether a write replaced all previous data of a dataset
COMMENT ON function lineage.root_cause(text,integer): Possible causes by the id of a run
COMMENT ON function lineage.root_cause_candidates(bigint,integer): Possible causes of a run that failed, was late or gave a bad result
COMMENT ON function lineage.root_causes_of_runs(bigint[],bigint[],integer[],integer,integer[]): Possible causes of a bad result, among the runs that lead to it
COMMENT ON function lineage.row_count_samples(bigint[],bigint[]): Rows that runs wrote, with those of the previous runs of the job
COMMENT ON function lineage.run_cypher(text,ag_catalog.agtype): Run a statement of cypher_statement() with the rights of lineage_cypher
COMMENT ON function lineage.run_cypher_expansion(text,text,ag_catalog.agtype,text): Run a statement over the rows of another, with the rights of lineage_cypher
COMMENT ON function lineage.run_delay_samples(bigint[],bigint[]): Delays of runs, with those of the previous runs of the job
COMMENT ON function lineage.run_dependents(bigint,integer,boolean): The runs downstream of a run
COMMENT ON function lineage.run_job_steps(bigint,integer,boolean): The steps from job to job upstream of a run
COMMENT ON function lineage.run_lineage_by_job(text,text,integer,boolean): Steps from job to job upstream or downstream of a run, by its id
COMMENT ON function lineage.run_quality(text,boolean): The checks of a run, and the last checks of its inputs
COMMENT ON function lineage.run_time_samples(bigint[],bigint[]): Durations and delays of runs, with those of the previous runs of the job
COMMENT ON function lineage.run_tree(bigint): A run and all its child runs, recursively
COMMENT ON function lineage.runs_archived_before(): The time before which runs are archived
COMMENT ON function lineage.runs_needed_after(timestamp with time zone,integer): Ended runs that answers about times after a given time need
COMMENT ON function lineage.scheduled_starts(bigint,timestamp with time zone): The last runs of a job that follow its schedule
COMMENT ON function lineage.schedules_at(timestamp with time zone): The last runs of each job that follow its schedule
COMMENT ON function lineage.schema_fields(jsonb): The columns of a schema facet, nested ones by their paths
COMMENT ON function lineage.search(text,text[],integer): Search datasets, jobs and columns by words of names, tags and descriptions
COMMENT ON function lineage.shortest_path_edges(bigint,bigint,boolean,double precision): The edges of the shortest paths between two datasets
COMMENT ON function lineage.sources_of_definition(bigint,bigint,bigint): The sources of a view that a run defined
COMMENT ON function lineage.stale_inputs(bigint,integer): Inputs that a failed or late run should have refreshed
COMMENT ON function lineage.stale_inputs_of_runs(bigint[],bigint[],integer[],integer): Inputs of runs that a failed or late run should have refreshed
COMMENT ON function lineage.start_delay_limit(bigint,timestamp with time zone): Seconds from its nominal time after which the start of a run shows a backfill
COMMENT ON function lineage.storage_sizes(): Storage sizes in bytes
COMMENT ON function lineage.trace_datasets(bigint,text,integer,boolean,double precision): The datasets of a trace with their distance
COMMENT ON function lineage.unfinished_siblings(bigint,bigint,bigint,timestamp with time zone,bigint): Runs of the same execution that should have written a dataset and had not
COMMENT ON function lineage.union_statement(text[],text[]): The SQL statement that returns the rows of several Cypher queries
COMMENT ON function lineage.unpaired_datasets(bigint[],text,double precision): The inputs or outputs of designs of jobs that are in no pair
COMMENT ON function lineage.unresolved_accesses(jsonb): Unresolved accesses of a run, as a list of texts
COMMENT ON function lineage.unusual_values(bigint[],bigint[]): Durations, delays and row counts of runs that previous runs do not explain
COMMENT ON function lineage.upstream(text,integer,boolean,double precision): The datasets upstream of a dataset
COMMENT ON function lineage.upstream_columns(text,text,integer,boolean,boolean): The columns upstream of a column
COMMENT ON function lineage.upstream_run_set(bigint,integer): The runs upstream of a run and of its child runs, with their distance
COMMENT ON function lineage.view_sources(bigint,timestamp with time zone,timestamp with time zone,text,bigint): The datasets that a view was made from when it was read
COMMENT ON function lineage.views_over(bigint[]): The views that were made from datasets, over views too
COMMENT ON function lineage.visibility_window(bigint,timestamp with time zone,timestamp with time zone,text,bigint): The period in which a read of a dataset sees writes
COMMENT ON function lineage.visible_writes_at_both_times(bigint,timestamp with time zone,timestamp with time zone,integer): The writes visible in a dataset at two times, and transitively in the inputs of their runs
COMMENT ON function lineage.visible_writes_of_dataset(bigint,timestamp with time zone,integer): The writes visible in a dataset at a time, and transitively in the inputs of their runs
COMMENT ON function lineage.visible_writes_upstream(lineage.dataset_read[],integer,boolean): The writes visible to reads, and those upstream, back to the sources
COMMENT ON function lineage.write_links(text[]): Write the edges of graph models at these nodes
COMMENT ON function lineage.writers_of_reads(lineage.dataset_read[],boolean): The jobs that wrote the datasets of reads, and whether they append
COMMENT ON function lineage.writes_by_version(lineage.dataset_read[]): Writes whose version reads report
COMMENT ON function lineage.writes_in_windows(bigint[],bigint[],timestamp with time zone[],timestamp with time zone[]): Writes of datasets by jobs between two times
COMMENT ON function lineage.writes_of_siblings(bigint,bigint,timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,bigint): The other runs of the execution of a write whose earlier writes it does not hide
COMMENT ON function lineage.writes_visible_to(lineage.dataset_read[],boolean): The writes visible to at least one of several reads
COMMENT ON function lineage.writes_visible_to_runs(bigint[],bigint[],integer[]): The writes visible to reads of runs
COMMENT ON function lineage.written_names(bigint[]): Names under which datasets were written
COMMENT ON schema lineage: Event log, fact tables and query functions
COMMENT ON table lineage.access: Datasets that runs read and wrote
COMMENT ON table lineage.alias: Claims of datasets on aliases, with the time of the last claim
COMMENT ON table lineage.archived_derives: What archived runs contribute to lineage.derives
COMMENT ON table lineage.archived_feeds: What archived runs contribute to lineage.feeds
COMMENT ON table lineage.archived_file: Files of event lakes whose events are in the graph and not in the log
COMMENT ON table lineage.archived_run: Runs that no event changes until the next rebuild
COMMENT ON table lineage.column_mapping: Distinct column mappings of datasets
COMMENT ON table lineage.column_mapping_entry: Source and target columns of each column mapping
COMMENT ON table lineage.dataset: Names that events report for datasets, with the canonical name of each
COMMENT ON table lineage.dataset_job: The jobs that ever read or wrote each dataset
COMMENT ON table lineage.declared: Datasets that feed others by the newest designs
COMMENT ON table lineage.declared_column: Columns that derive from others by the newest designs
COMMENT ON table lineage.deferred_derives: Contributions to lineage.derives that are not added yet
COMMENT ON table lineage.deferred_feeds: Contributions to lineage.feeds that are not added yet
COMMENT ON table lineage.derives: Columns that derive from others, by job; the edges DERIVES
COMMENT ON table lineage.design: Jobs and datasets with a design, and its newest revision
COMMENT ON table lineage.design_access: Inputs and outputs of jobs by their designs, under the reported names
COMMENT ON table lineage.design_mapping: The column mappings that a design reports for a dataset
COMMENT ON table lineage.design_source: Datasets that feed others by a design, under the reported names
COMMENT ON table lineage.event: Every received OpenLineage event, verbatim, once
COMMENT ON table lineage.execution: The job of each run
COMMENT ON table lineage.explicit_source: Datasets that the lineage facets of a run name
COMMENT ON table lineage.feeds: Datasets that feed others, by job; the edges FEEDS
COMMENT ON table lineage.field: Columns of datasets; the vertices Field
COMMENT ON table lineage.forward: Backends that events are forwarded to
COMMENT ON table lineage.imported_object: Columns of tables and statements of routines, by imported catalogs
COMMENT ON table lineage.imported_part: Periods of imported rows, whose events are written together
COMMENT ON table lineage.imported_row: Rows of imported query logs, each once
COMMENT ON table lineage.imported_statement: Statements of imported query logs, without literals, each once
COMMENT ON table lineage.job: Jobs
COMMENT ON table lineage.job_dependency: Order of jobs, as reported by runs
COMMENT ON table lineage.late_run: Archived runs with later events, which are not in the graph until the next rebuild
COMMENT ON table lineage.link: Edges of graph models, by the ids of their nodes
COMMENT ON table lineage.node: Nodes of graph models; the vertices Asset
COMMENT ON table lineage.plan_document: Every received plan document, verbatim, once
COMMENT ON table lineage.plan_document_queue: Plan documents that are not converted yet, or were rejected
COMMENT ON table lineage.projection_queue: Events of the log that are not in the graph yet
COMMENT ON table lineage.record_item: Sampled items of runs, and their hops through the nodes of record_node
COMMENT ON table lineage.record_node: Nodes of the runs whose items are recorded, with counts of their rows
COMMENT ON table lineage.record_trace: Saved traces: conditions on rows of a dataset, and how exact the answers are
COMMENT ON table lineage.record_witness: Contributing rows of saved traces; the edges WITNESS
COMMENT ON table lineage.rejected_event: Events of the log that cannot be projected, and the reason
COMMENT ON table lineage.rejected_forward: Events that a backend rejected, and its response
COMMENT ON table lineage.retention: The time from which on the log is retained; without a row it is complete
COMMENT ON table lineage.run: Runs, with state and times merged from their events
COMMENT ON table lineage.run_archive: The commands that archived runs, and their numbers of runs
COMMENT ON table lineage.run_column_mapping: The column mapping that a run reported for an output
COMMENT ON table lineage.run_owner: The job that first used a run id, or is named as the job of a parent run; tokens for other namespaces may not write to that run
COMMENT ON table lineage.search_text: Names, tags and descriptions, for search
COMMENT ON table lineage.search_word: Words of names, for search
COMMENT ON table lineage.superseded_event: Events of the log that a later conversion of the document or an import superseded
COMMENT ON table lineage.token: Bearer tokens of the collector, hashed
COMMENT ON type lineage.compared_write: A run whose write of a dataset is visible at one or both of two times; run is null if none is known to have written it
COMMENT ON type lineage.run_lineage_step: Runs of a job read a dataset that runs of another job had written
COMMENT ON type lineage.run_reader: A run that read a dataset which one of several runs had written
COMMENT ON type lineage.visible_write: A run whose write of a dataset runs of a job read; run is null if no run is known to have written it
CONSTRAINT access_pkey ON lineage.access PRIMARY KEY (run, job, dataset, output)
CONSTRAINT alias_pkey ON lineage.alias PRIMARY KEY (alias, owner)
CONSTRAINT archived_file_pkey ON lineage.archived_file PRIMARY KEY (location)
CONSTRAINT archived_run_pkey ON lineage.archived_run PRIMARY KEY (run_id)
CONSTRAINT column_mapping_digest_key ON lineage.column_mapping UNIQUE (digest)
CONSTRAINT column_mapping_entry_type_check ON lineage.column_mapping_entry CHECK ((type = ANY (ARRAY['DIRECT'::text, 'INDIRECT'::text])))
CONSTRAINT column_mapping_pkey ON lineage.column_mapping PRIMARY KEY (id)
CONSTRAINT dataset_job_pkey ON lineage.dataset_job PRIMARY KEY (dataset, output, job)
CONSTRAINT dataset_namespace_name_key ON lineage.dataset UNIQUE (namespace, name)
CONSTRAINT dataset_pkey ON lineage.dataset PRIMARY KEY (id)
CONSTRAINT declared_column_pkey ON lineage.declared_column PRIMARY KEY (source, target, holder, type, subtype, masking)
CONSTRAINT declared_pkey ON lineage.declared PRIMARY KEY (source, target, holder)
CONSTRAINT derives_pkey ON lineage.derives PRIMARY KEY (source, target, job, type, subtype, masking)
CONSTRAINT design_access_pkey ON lineage.design_access PRIMARY KEY (holder, dataset, output)
CONSTRAINT design_mapping_pkey ON lineage.design_mapping PRIMARY KEY (holder, target, mapping)
CONSTRAINT design_pkey ON lineage.design PRIMARY KEY (holder)
CONSTRAINT design_source_pkey ON lineage.design_source PRIMARY KEY (holder, source, target)
CONSTRAINT event_sha256_check ON lineage.event CHECK ((length(sha256) = 32))
CONSTRAINT event_sha256_check ON lineage.event_MONTH CHECK ((length(sha256) = 32))
CONSTRAINT event_sha256_check ON lineage.event_before CHECK ((length(sha256) = 32))
CONSTRAINT event_sha256_check ON lineage.event_other CHECK ((length(sha256) = 32))
CONSTRAINT execution_pkey ON lineage.execution PRIMARY KEY (run, job)
CONSTRAINT explicit_source_pkey ON lineage.explicit_source PRIMARY KEY (dataset, run)
CONSTRAINT feeds_pkey ON lineage.feeds PRIMARY KEY (source, target, job)
CONSTRAINT field_dataset_name_key ON lineage.field UNIQUE (dataset, name)
CONSTRAINT field_pkey ON lineage.field PRIMARY KEY (id)
CONSTRAINT forward_check ON lineage.forward CHECK (((failing_since IS NULL) = (error IS NULL)))
CONSTRAINT forward_pkey ON lineage.forward PRIMARY KEY (target)
CONSTRAINT imported_object_kind_check ON lineage.imported_object CHECK ((kind = ANY (ARRAY['table'::text, 'routine'::text])))
CONSTRAINT imported_object_pkey ON lineage.imported_object PRIMARY KEY (server, kind, name)
CONSTRAINT imported_part_pkey ON lineage.imported_part PRIMARY KEY (server, unit, first_time)
CONSTRAINT imported_row_pkey ON lineage.imported_row PRIMARY KEY (server, unit, "time", sha256)
CONSTRAINT imported_row_sha256_check ON lineage.imported_row CHECK ((length(sha256) = 32))
CONSTRAINT imported_statement_pkey ON lineage.imported_statement PRIMARY KEY (sha256)
CONSTRAINT imported_statement_sha256_check ON lineage.imported_statement CHECK ((length(sha256) = 32))
CONSTRAINT job_dependency_pkey ON lineage.job_dependency PRIMARY KEY (upstream, downstream)
CONSTRAINT job_namespace_name_key ON lineage.job UNIQUE (namespace, name)
CONSTRAINT job_pkey ON lineage.job PRIMARY KEY (id)
CONSTRAINT late_run_pkey ON lineage.late_run PRIMARY KEY (run_id)
CONSTRAINT link_pkey ON lineage.link PRIMARY KEY (source, target, type)
CONSTRAINT link_type_check ON lineage.link CHECK ((type = ANY (ARRAY['produces'::text, 'consumes'::text, 'transforms'::text, 'materializes'::text, 'has_schema'::text, 'member_of'::text])))
CONSTRAINT migration_pkey ON lineage.migration PRIMARY KEY (number)
CONSTRAINT node_pkey ON lineage.node PRIMARY KEY (node_id)
CONSTRAINT node_vertex_key ON lineage.node UNIQUE (vertex)
CONSTRAINT plan_document_queue_pkey ON lineage.plan_document_queue PRIMARY KEY (sha256, "time")
CONSTRAINT plan_document_sha256_check ON lineage.plan_document CHECK ((length(sha256) = 32))
CONSTRAINT plan_document_sha256_check ON lineage.plan_document_MONTH CHECK ((length(sha256) = 32))
CONSTRAINT plan_document_sha256_check ON lineage.plan_document_before CHECK ((length(sha256) = 32))
CONSTRAINT plan_document_sha256_check ON lineage.plan_document_other CHECK ((length(sha256) = 32))
CONSTRAINT projection_queue_pkey ON lineage.projection_queue PRIMARY KEY (event)
CONSTRAINT record_item_pkey ON lineage.record_item PRIMARY KEY (id, run)
CONSTRAINT record_node_pkey ON lineage.record_node PRIMARY KEY (run, ordinal)
CONSTRAINT record_trace_condition_hash_check ON lineage.record_trace CHECK ((length(condition_hash) = 16))
CONSTRAINT record_trace_fidelity_check ON lineage.record_trace CHECK ((fidelity = ANY (ARRAY['exact'::text, 'superset'::text, 'sampled'::text, 'unverified'::text, 'stale'::text, 'unknown'::text])))
CONSTRAINT record_trace_pkey ON lineage.record_trace PRIMARY KEY (id)
CONSTRAINT record_trace_way_check ON lineage.record_trace CHECK ((way = ANY (ARRAY['live'::text, 'dry run'::text])))
CONSTRAINT record_witness_check ON lineage.record_witness CHECK (((file IS NULL) = (row_index IS NULL)))
CONSTRAINT record_witness_hop_check ON lineage.record_witness CHECK ((hop > 0))
CONSTRAINT record_witness_key_check ON lineage.record_witness CHECK ((length(key) = 16))
CONSTRAINT record_witness_ordinal_check ON lineage.record_witness CHECK (((ordinal >= 1) AND (ordinal <= 1000)))
CONSTRAINT record_witness_pkey ON lineage.record_witness PRIMARY KEY (trace, ordinal)
CONSTRAINT record_witness_trace_fkey ON lineage.record_witness FOREIGN KEY (trace) REFERENCES lineage.record_trace(id) ON DELETE CASCADE
CONSTRAINT rejected_event_pkey ON lineage.rejected_event PRIMARY KEY (event)
CONSTRAINT rejected_forward_pkey ON lineage.rejected_forward PRIMARY KEY (target, event)
CONSTRAINT rejected_forward_target_fkey ON lineage.rejected_forward FOREIGN KEY (target) REFERENCES lineage.forward(target) ON DELETE CASCADE
CONSTRAINT retention_pkey ON lineage.retention PRIMARY KEY (dropped_at)
CONSTRAINT run_archive_pkey ON lineage.run_archive PRIMARY KEY (archived_at)
CONSTRAINT run_column_mapping_pkey ON lineage.run_column_mapping PRIMARY KEY (run, job, dataset)
CONSTRAINT run_owner_pkey ON lineage.run_owner PRIMARY KEY (run_id)
CONSTRAINT run_pkey ON lineage.run PRIMARY KEY (id)
CONSTRAINT run_run_id_key ON lineage.run UNIQUE (run_id)
CONSTRAINT run_state_check ON lineage.run CHECK ((state = ANY (ARRAY['OTHER'::text, 'START'::text, 'RUNNING'::text, 'COMPLETE'::text, 'ABORT'::text, 'FAIL'::text])))
CONSTRAINT search_text_field_check ON lineage.search_text CHECK ((field = ANY (ARRAY['name'::text, 'tag'::text, 'description'::text])))
CONSTRAINT search_text_kind_check ON lineage.search_text CHECK ((kind = ANY (ARRAY['dataset'::text, 'job'::text, 'column'::text])))
CONSTRAINT superseded_event_pkey ON lineage.superseded_event PRIMARY KEY (event)
CONSTRAINT token_pkey ON lineage.token PRIMARY KEY (name)
CONSTRAINT token_scope_check ON lineage.token CHECK ((scope = ANY (ARRAY['read'::text, 'write'::text])))
CONSTRAINT token_sha256_check ON lineage.token CHECK ((length(sha256) = 32))
CONSTRAINT token_sha256_key ON lineage.token UNIQUE (sha256)
GRANT DELETE ON lineage.deferred_derives TO lineage_writer
GRANT DELETE ON lineage.deferred_feeds TO lineage_writer
GRANT DELETE ON lineage.forward TO lineage_writer
GRANT DELETE ON lineage.imported_part TO lineage_writer
GRANT DELETE ON lineage.plan_document_queue TO lineage_writer
GRANT DELETE ON lineage.projection_queue TO lineage_writer
GRANT DELETE ON lineage.rejected_forward TO lineage_writer
GRANT EXECUTE ON lineage.access_properties(boolean,timestamp with time zone,timestamp with time zone,jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.accesses_of_datasets(bigint[],boolean,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.accesses_of_jobs(bigint[],boolean,text,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.adjacent_edges(bigint[],text,boolean,text[],text[],bigint[],text[],timestamp with time zone,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.adjacent_edges_as_of(bigint[],text,boolean,text[],text[],bigint[],text[],timestamp with time zone,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.adjoining_columns(bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.agtype_members(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.all_path_edges(bigint,bigint,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.archived_feeds_of(bigint,bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.asset_text(lineage.node) TO PUBLIC
GRANT EXECUTE ON lineage.check_cypher(text) TO PUBLIC
GRANT EXECUTE ON lineage.check_results(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.checks_of_datasets(bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.checks_of_run(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.column_closure(bigint,text,integer,boolean,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.column_closure_edges(bigint[],text,integer,boolean,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.column_id(text,text) TO PUBLIC
GRANT EXECUTE ON lineage.compare_visible_writes(bigint,timestamp with time zone,timestamp with time zone,integer) TO PUBLIC
GRANT EXECUTE ON lineage.configured_overwrite_time(bigint,timestamp with time zone,timestamp with time zone,text,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.configured_write_mode(bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.continues_execution(timestamp with time zone,timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.contributes_to_derives(bigint,bigint,bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.contributes_to_feeds(bigint,bigint,bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.contributing_runs_as_of(bigint[],timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.create_partitions() TO lineage_writer
GRANT EXECUTE ON lineage.current_designs(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.cypher_statement(text,text[]) TO PUBLIC
GRANT EXECUTE ON lineage.cypher_tokens(text) TO PUBLIC
GRANT EXECUTE ON lineage.dataset_closure(bigint[],text,integer,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.dataset_closure_edges(bigint[],text,integer,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.dataset_closure_levels(bigint[],text,integer,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.dataset_closure_steps(bigint[],text,integer,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.dataset_diff(text,timestamp with time zone,timestamp with time zone,integer) TO PUBLIC
GRANT EXECUTE ON lineage.dataset_id(text) TO PUBLIC
GRANT EXECUTE ON lineage.dataset_lineage(text,text,integer,text[],text[],text[],text[],timestamp with time zone,integer,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.dataset_lineage_at(text,timestamp with time zone,integer,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.dataset_lineage_edges(text,text,integer,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.dataset_usage(bigint[],timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.datasets_accessed(bigint,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.datasets_declared(bigint[],text,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.datasets_with_column(text,integer) TO PUBLIC
GRANT EXECUTE ON lineage.declared_column_properties(lineage.declared_column,text,text) TO PUBLIC
GRANT EXECUTE ON lineage.declared_properties(lineage.declared,text,text) TO PUBLIC
GRANT EXECUTE ON lineage.defines_view(lineage.access) TO PUBLIC
GRANT EXECUTE ON lineage.definitions_seen(bigint,timestamp with time zone,timestamp with time zone,text,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.delete_declared(bigint[]) TO lineage_writer
GRANT EXECUTE ON lineage.delete_fields(bigint[]) TO lineage_writer
GRANT EXECUTE ON lineage.delete_unused_derives(bigint[]) TO lineage_writer
GRANT EXECUTE ON lineage.delete_unused_feeds(bigint[]) TO lineage_writer
GRANT EXECUTE ON lineage.dependencies_at(bigint,timestamp with time zone,integer,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.dependencies_of_reads(lineage.dataset_read[],boolean) TO PUBLIC
GRANT EXECUTE ON lineage.dependency_closure(lineage.run_dependency[],integer,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.derives_properties(lineage.derives,text,text) TO PUBLIC
GRANT EXECUTE ON lineage.diff_schemas(jsonb,jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.distance_from_scale(numeric,integer) TO PUBLIC
GRANT EXECUTE ON lineage.downstream(text,integer,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.downstream_columns(text,text,integer,boolean,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.downstream_runs(text,integer,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.earlier_writes(bigint[],bigint[],timestamp with time zone[],timestamp with time zone[]) TO PUBLIC
GRANT EXECUTE ON lineage.edge_changes(bigint[],boolean) TO PUBLIC
GRANT EXECUTE ON lineage.edge_runs_as_of(bigint[],bigint[],bigint[],timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.edges_as_of(bigint[],text,boolean,timestamp with time zone,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.edges_from(bigint[],boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.edges_to(bigint[],boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.enclosing_names(text) TO PUBLIC
GRANT EXECUTE ON lineage.ends_at_archive(bigint[],bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.entities_of_text(text,bigint,text,integer) TO PUBLIC
GRANT EXECUTE ON lineage.entity_of_asset(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.entity_texts(bigint,jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.event_json(text) TO PUBLIC
GRANT EXECUTE ON lineage.event_name_hashes(text) TO PUBLIC
GRANT EXECUTE ON lineage.events_mentioning(bigint,timestamp with time zone,integer,integer) TO PUBLIC
GRANT EXECUTE ON lineage.execution_start(bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.execution_starts(bigint,timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.expected_range(double precision[],double precision) TO PUBLIC
GRANT EXECUTE ON lineage.facet_attributes(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.facet_bodies(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.facet_owners(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.facet_tags(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.facet_tags_json(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.facet_time(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.facets_of_access(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.facets_of_write(bigint,bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.failed_checks(bigint,integer) TO PUBLIC
GRANT EXECUTE ON lineage.failed_checks_of_runs(bigint[],bigint[],integer[]) TO PUBLIC
GRANT EXECUTE ON lineage.feeds_properties(lineage.feeds,text,text) TO PUBLIC
GRANT EXECUTE ON lineage.field_or_dataset_id(bigint,text) TO PUBLIC
GRANT EXECUTE ON lineage.field_properties(lineage.field,text,text) TO PUBLIC
GRANT EXECUTE ON lineage.find_token(bytea) TO lineage_writer
GRANT EXECUTE ON lineage.full_name(text,text) TO PUBLIC
GRANT EXECUTE ON lineage.graph_fingerprint() TO PUBLIC
GRANT EXECUTE ON lineage.had_committed(lineage.run,timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.has_adjacent_run(bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.has_column_sources(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.has_committed(lineage.run,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.has_job_written(bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.has_views() TO PUBLIC
GRANT EXECUTE ON lineage.hidden_writes(lineage.dataset_read[]) TO PUBLIC
GRANT EXECUTE ON lineage.hiding_execution(bigint,bigint,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.hiding_write_time(bigint,bigint,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.id_of_run(text) TO PUBLIC
GRANT EXECUTE ON lineage.impact(text,integer,integer,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.impact_jobs(text,integer,integer,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.input_manifests(text) TO PUBLIC
GRANT EXECUTE ON lineage.inputs_of_run(bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.install_int_array_functions() TO PUBLIC
GRANT EXECUTE ON lineage.int_array_difference(integer[],integer[]) TO PUBLIC
GRANT EXECUTE ON lineage.int_array_union(integer[],integer[]) TO PUBLIC
GRANT EXECUTE ON lineage.is_append(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.is_appending_job(bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.is_check(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.is_contributing(text,jsonb,smallint) TO PUBLIC
GRANT EXECUTE ON lineage.is_declared(bigint,bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.is_definition(bigint,bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.is_expected_writer(bigint,bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.is_field_mapped(bigint,text) TO PUBLIC
GRANT EXECUTE ON lineage.is_observed(bigint,bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.is_overwrite(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.is_overwriting_job(bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.is_partition_overwrite(bigint,bigint,jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.is_path(text) TO PUBLIC
GRANT EXECUTE ON lineage.is_read(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.is_same_execution(bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.is_same_instance(lineage.run,lineage.run,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.is_schema_node(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.is_stale(timestamp with time zone,timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.is_stream(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.is_streaming_job(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.is_unpaired(lineage.design_access,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.is_used(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.is_written(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.iso8601(timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.job_closure_accesses(bigint,text,integer,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.job_closure_edges(bigint,text,integer,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.job_has_written(bigint,integer) TO PUBLIC
GRANT EXECUTE ON lineage.job_id(text) TO PUBLIC
GRANT EXECUTE ON lineage.job_lineage(text,text,integer,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.job_of_run(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.job_or_dataset_id(text) TO PUBLIC
GRANT EXECUTE ON lineage.job_properties(lineage.job) TO PUBLIC
GRANT EXECUTE ON lineage.job_steps_at(bigint,timestamp with time zone,integer,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.job_steps_downstream(bigint,integer,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.job_steps_upstream(lineage.dataset_read[],integer,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.job_trace_datasets(bigint,text) TO PUBLIC
GRANT EXECUTE ON lineage.jobs_accessing(bigint[],boolean) TO PUBLIC
GRANT EXECUTE ON lineage.jobs_accessing_dataset(bigint,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.jobs_declaring_access(bigint[],boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.label_base(name) TO PUBLIC
GRANT EXECUTE ON lineage.label_counts() TO PUBLIC
GRANT EXECUTE ON lineage.label_sequence(name) TO PUBLIC
GRANT EXECUTE ON lineage.last_access_time(bigint,bigint,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.last_expected_writers(bigint[],bigint[],timestamp with time zone[],bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.last_reads(bigint[],bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.last_rewrites(bigint[],bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.last_successful_access(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.last_successful_write(bigint,bigint,timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.latest_checks(bigint[],timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.latest_event_time() TO PUBLIC
GRANT EXECUTE ON lineage.latest_metrics(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.latest_runs(bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.latest_state(text,timestamp with time zone,text,timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.latest_writes(bigint[],bigint[],timestamp with time zone[],timestamp with time zone[],timestamp with time zone[],text[],bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.link_label(text) TO PUBLIC
GRANT EXECUTE ON lineage.link_text(lineage.link) TO PUBLIC
GRANT EXECUTE ON lineage.listed_versions(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.log_complete_from() TO PUBLIC
GRANT EXECUTE ON lineage.mappings_of_edge(lineage.derives) TO PUBLIC
GRANT EXECUTE ON lineage.match_datasets(text) TO PUBLIC
GRANT EXECUTE ON lineage.match_entities(text[],text[],integer) TO PUBLIC
GRANT EXECUTE ON lineage.match_jobs(text) TO PUBLIC
GRANT EXECUTE ON lineage.match_jobs_and_datasets(text) TO PUBLIC
GRANT EXECUTE ON lineage.match_rank(lineage.search_text,text[]) TO PUBLIC
GRANT EXECUTE ON lineage.matches_filters(text[],text[],text[],text,text[],text) TO PUBLIC
GRANT EXECUTE ON lineage.may_be_archived_version(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.may_be_view(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.may_have_sources(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.median_and_spread(double precision[]) TO PUBLIC
GRANT EXECUTE ON lineage.merge_access_facets(jsonb,jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.merge_facets(jsonb,jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.merged_facets(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.name_hash(text,text) TO PUBLIC
GRANT EXECUTE ON lineage.newest_writes(bigint[],timestamp with time zone[],bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.next_id(name) TO PUBLIC
GRANT EXECUTE ON lineage.node_search_text(lineage.node) TO PUBLIC
GRANT EXECUTE ON lineage.node_tags(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.node_types(bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.nominal_time(lineage.run) TO PUBLIC
GRANT EXECUTE ON lineage.nonnegative_count(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.orphan_set() TO PUBLIC
GRANT EXECUTE ON lineage.orphans() TO PUBLIC
GRANT EXECUTE ON lineage.other_spellings(bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.outcome_names(integer) TO PUBLIC
GRANT EXECUTE ON lineage.overlapping_columns(bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.owner_counts(jsonb[],bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.paths(text,text,boolean,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.possible_sources(bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.property_map(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.quality(text,boolean,boolean,integer) TO PUBLIC
GRANT EXECUTE ON lineage.quote_field(text) TO PUBLIC
GRANT EXECUTE ON lineage.read_counts(bigint[],timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.read_counts_of_jobs(bigint[],bigint[],timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.read_cypher(text,ag_catalog.agtype,text[]) TO lineage_reader
GRANT EXECUTE ON lineage.read_cypher(text,ag_catalog.agtype,text[]) TO lineage_writer
GRANT EXECUTE ON lineage.read_versions(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.reader_jobs(bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.reads_at(bigint,timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.reads_behind_views(lineage.dataset_read[]) TO PUBLIC
GRANT EXECUTE ON lineage.reads_by_name(bigint[],bigint[],integer[]) TO PUBLIC
GRANT EXECUTE ON lineage.reads_of_archive(bigint[],bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.reads_of_runs(bigint[],bigint[],bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.reads_of_writes(bigint[],bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.reads_with_period(lineage.dataset_read[]) TO PUBLIC
GRANT EXECUTE ON lineage.reads_without_period(bigint[],bigint[],bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.reassign_names(bigint[],bigint[]) TO lineage_writer
GRANT EXECUTE ON lineage.record_history(uuid) TO PUBLIC
GRANT EXECUTE ON lineage.record_hops(bytea) TO PUBLIC
GRANT EXECUTE ON lineage.record_items(uuid) TO PUBLIC
GRANT EXECUTE ON lineage.repeats_instance(jsonb,bigint[],jsonb,bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.replaces_dataset(lineage.access,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.reported_feeds(bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.reported_inputs(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.reported_owners(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.reported_sources(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.reported_tag_names(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.reported_tags(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.resolve(text,text) TO PUBLIC
GRANT EXECUTE ON lineage.resolve_canonical_id(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.root_cause(text,integer) TO PUBLIC
GRANT EXECUTE ON lineage.root_cause_candidates(bigint,integer) TO PUBLIC
GRANT EXECUTE ON lineage.root_causes_of_runs(bigint[],bigint[],integer[],integer,integer[]) TO PUBLIC
GRANT EXECUTE ON lineage.row_count_samples(bigint[],bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.run_cypher(text,ag_catalog.agtype) TO lineage_reader
GRANT EXECUTE ON lineage.run_cypher(text,ag_catalog.agtype) TO lineage_writer
GRANT EXECUTE ON lineage.run_cypher_expansion(text,text,ag_catalog.agtype,text) TO PUBLIC
GRANT EXECUTE ON lineage.run_delay(lineage.run) TO PUBLIC
GRANT EXECUTE ON lineage.run_delay_samples(bigint[],bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.run_dependencies(bigint,integer,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.run_dependencies_direct(bigint,bigint,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.run_dependents(bigint,integer,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.run_duration(lineage.run) TO PUBLIC
GRANT EXECUTE ON lineage.run_job_steps(bigint,integer,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.run_lineage_by_job(text,text,integer,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.run_properties(lineage.run) TO PUBLIC
GRANT EXECUTE ON lineage.run_quality(text,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.run_record(lineage.run) TO PUBLIC
GRANT EXECUTE ON lineage.run_record_as_of(lineage.run,timestamp with time zone,timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.run_state_rank(text) TO PUBLIC
GRANT EXECUTE ON lineage.run_time_samples(bigint[],bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.run_tree(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.runs_accessing(bigint[],bigint[],boolean) TO PUBLIC
GRANT EXECUTE ON lineage.runs_archived_before() TO PUBLIC
GRANT EXECUTE ON lineage.runs_needed_after(timestamp with time zone,integer) TO PUBLIC
GRANT EXECUTE ON lineage.scheduled_starts(bigint,timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.scheduled_time(lineage.run,timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.schedules_at(timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.schema_fields(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.search(text,text[],integer) TO PUBLIC
GRANT EXECUTE ON lineage.search_texts(text[],text[],integer) TO PUBLIC
GRANT EXECUTE ON lineage.sees_overwrite_since(lineage.dataset_read,timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.sees_run(lineage.dataset_read,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.shortest_path_edges(bigint,bigint,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.similar_texts(text[],text[],integer) TO PUBLIC
GRANT EXECUTE ON lineage.similar_words(text[]) TO PUBLIC
GRANT EXECUTE ON lineage.sources_of_definition(bigint,bigint,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.stale_inputs(bigint,integer) TO PUBLIC
GRANT EXECUTE ON lineage.stale_inputs_of_runs(bigint[],bigint[],integer[],integer) TO PUBLIC
GRANT EXECUTE ON lineage.start_delay_limit(bigint,timestamp with time zone) TO PUBLIC
GRANT EXECUTE ON lineage.storage_sizes() TO PUBLIC
GRANT EXECUTE ON lineage.tag_match_rank(text,text[]) TO PUBLIC
GRANT EXECUTE ON lineage.tag_name(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.text_entity(bigint,text) TO PUBLIC
GRANT EXECUTE ON lineage.to_graphid(bigint) TO PUBLIC
GRANT EXECUTE ON lineage.trace_datasets(bigint,text,integer,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.trigram_schema() TO PUBLIC
GRANT EXECUTE ON lineage.unfinished_siblings(bigint,bigint,bigint,timestamp with time zone,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.union_statement(text[],text[]) TO PUBLIC
GRANT EXECUTE ON lineage.unpaired_datasets(bigint[],text,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.unresolved_accesses(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.unusual_values(bigint[],bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.upstream(text,integer,boolean,double precision) TO PUBLIC
GRANT EXECUTE ON lineage.upstream_columns(text,text,integer,boolean,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.upstream_run_set(bigint,integer) TO PUBLIC
GRANT EXECUTE ON lineage.upstream_runs(text,integer,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.version_key(text) TO PUBLIC
GRANT EXECUTE ON lineage.view_sources(bigint,timestamp with time zone,timestamp with time zone,text,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.views_over(bigint[]) TO PUBLIC
GRANT EXECUTE ON lineage.visibility_window(bigint,timestamp with time zone,timestamp with time zone,text,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.visible_writes(bigint,timestamp with time zone,timestamp with time zone,text,bigint,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.visible_writes_at_both_times(bigint,timestamp with time zone,timestamp with time zone,integer) TO PUBLIC
GRANT EXECUTE ON lineage.visible_writes_of_dataset(bigint,timestamp with time zone,integer) TO PUBLIC
GRANT EXECUTE ON lineage.visible_writes_upstream(lineage.dataset_read[],integer,boolean) TO PUBLIC
GRANT EXECUTE ON lineage.word_rank(lineage.search_text,text) TO PUBLIC
GRANT EXECUTE ON lineage.worst_rank(lineage.search_text,text[]) TO PUBLIC
GRANT EXECUTE ON lineage.write_links(text[]) TO PUBLIC
GRANT EXECUTE ON lineage.write_mode(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.writers_of_reads(lineage.dataset_read[],boolean) TO PUBLIC
GRANT EXECUTE ON lineage.writes_by_version(lineage.dataset_read[]) TO PUBLIC
GRANT EXECUTE ON lineage.writes_in_windows(bigint[],bigint[],timestamp with time zone[],timestamp with time zone[]) TO PUBLIC
GRANT EXECUTE ON lineage.writes_of_siblings(bigint,bigint,timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,bigint) TO PUBLIC
GRANT EXECUTE ON lineage.writes_rows(jsonb) TO PUBLIC
GRANT EXECUTE ON lineage.writes_version(lineage.access,timestamp with time zone,text) TO PUBLIC
GRANT EXECUTE ON lineage.writes_visible_to(lineage.dataset_read[],boolean) TO PUBLIC
GRANT EXECUTE ON lineage.writes_visible_to_runs(bigint[],bigint[],integer[]) TO PUBLIC
GRANT EXECUTE ON lineage.written_names(bigint[]) TO PUBLIC
GRANT INSERT ON lineage.access TO lineage_writer
GRANT INSERT ON lineage.alias TO lineage_writer
GRANT INSERT ON lineage.column_mapping TO lineage_writer
GRANT INSERT ON lineage.column_mapping_entry TO lineage_writer
GRANT INSERT ON lineage.dataset TO lineage_writer
GRANT INSERT ON lineage.dataset_job TO lineage_writer
GRANT INSERT ON lineage.declared TO lineage_writer
GRANT INSERT ON lineage.declared_column TO lineage_writer
GRANT INSERT ON lineage.deferred_derives TO lineage_writer
GRANT INSERT ON lineage.deferred_feeds TO lineage_writer
GRANT INSERT ON lineage.derives TO lineage_writer
GRANT INSERT ON lineage.design TO lineage_writer
GRANT INSERT ON lineage.design_access TO lineage_writer
GRANT INSERT ON lineage.design_mapping TO lineage_writer
GRANT INSERT ON lineage.design_source TO lineage_writer
GRANT INSERT ON lineage.event TO lineage_writer
GRANT INSERT ON lineage.execution TO lineage_writer
GRANT INSERT ON lineage.explicit_source TO lineage_writer
GRANT INSERT ON lineage.feeds TO lineage_writer
GRANT INSERT ON lineage.field TO lineage_writer
GRANT INSERT ON lineage.forward TO lineage_writer
GRANT INSERT ON lineage.imported_object TO lineage_writer
GRANT INSERT ON lineage.imported_part TO lineage_writer
GRANT INSERT ON lineage.imported_row TO lineage_writer
GRANT INSERT ON lineage.imported_statement TO lineage_writer
GRANT INSERT ON lineage.job TO lineage_writer
GRANT INSERT ON lineage.job_dependency TO lineage_writer
GRANT INSERT ON lineage.late_run TO lineage_writer
GRANT INSERT ON lineage.link TO lineage_writer
GRANT INSERT ON lineage.node TO lineage_writer
GRANT INSERT ON lineage.plan_document TO lineage_writer
GRANT INSERT ON lineage.plan_document_queue TO lineage_writer
GRANT INSERT ON lineage.projection_queue TO lineage_writer
GRANT INSERT ON lineage.record_item TO lineage_writer
GRANT INSERT ON lineage.record_node TO lineage_writer
GRANT INSERT ON lineage.record_trace TO lineage_writer
GRANT INSERT ON lineage.record_witness TO lineage_writer
GRANT INSERT ON lineage.rejected_event TO lineage_writer
GRANT INSERT ON lineage.rejected_forward TO lineage_writer
GRANT INSERT ON lineage.run TO lineage_writer
GRANT INSERT ON lineage.run_column_mapping TO lineage_writer
GRANT INSERT ON lineage.run_owner TO lineage_writer
GRANT INSERT ON lineage.search_text TO lineage_writer
GRANT INSERT ON lineage.search_word TO lineage_writer
GRANT INSERT ON provenance."Asset" TO lineage_writer
GRANT INSERT ON provenance."CONSUMES" TO lineage_writer
GRANT INSERT ON provenance."DECLARED" TO lineage_writer
GRANT INSERT ON provenance."DERIVES" TO lineage_writer
GRANT INSERT ON provenance."Dataset" TO lineage_writer
GRANT INSERT ON provenance."EXECUTES" TO lineage_writer
GRANT INSERT ON provenance."FEEDS" TO lineage_writer
GRANT INSERT ON provenance."Field" TO lineage_writer
GRANT INSERT ON provenance."HAS_FIELD" TO lineage_writer
GRANT INSERT ON provenance."HAS_SCHEMA" TO lineage_writer
GRANT INSERT ON provenance."INPUT_TO" TO lineage_writer
GRANT INSERT ON provenance."IS" TO lineage_writer
GRANT INSERT ON provenance."Job" TO lineage_writer
GRANT INSERT ON provenance."MATERIALIZES" TO lineage_writer
GRANT INSERT ON provenance."MEMBER_OF" TO lineage_writer
GRANT INSERT ON provenance."OUTPUTS" TO lineage_writer
GRANT INSERT ON provenance."PARENT" TO lineage_writer
GRANT INSERT ON provenance."PRODUCES" TO lineage_writer
GRANT INSERT ON provenance."Record" TO lineage_writer
GRANT INSERT ON provenance."Run" TO lineage_writer
GRANT INSERT ON provenance."TRANSFORMS" TO lineage_writer
GRANT INSERT ON provenance."WITNESS" TO lineage_writer
GRANT SELECT ON lineage.access TO lineage_reader
GRANT SELECT ON lineage.access TO lineage_writer
GRANT SELECT ON lineage.alias TO lineage_reader
GRANT SELECT ON lineage.alias TO lineage_writer
GRANT SELECT ON lineage.archived_derives TO lineage_reader
GRANT SELECT ON lineage.archived_derives TO lineage_writer
GRANT SELECT ON lineage.archived_feeds TO lineage_reader
GRANT SELECT ON lineage.archived_feeds TO lineage_writer
GRANT SELECT ON lineage.archived_file TO lineage_reader
GRANT SELECT ON lineage.archived_file TO lineage_writer
GRANT SELECT ON lineage.archived_run TO lineage_reader
GRANT SELECT ON lineage.archived_run TO lineage_writer
GRANT SELECT ON lineage.column_mapping TO lineage_reader
GRANT SELECT ON lineage.column_mapping TO lineage_writer
GRANT SELECT ON lineage.column_mapping_entry TO lineage_reader
GRANT SELECT ON lineage.column_mapping_entry TO lineage_writer
GRANT SELECT ON lineage.column_mapping_id_seq TO lineage_writer
GRANT SELECT ON lineage.dataset TO lineage_reader
GRANT SELECT ON lineage.dataset TO lineage_writer
GRANT SELECT ON lineage.dataset_job TO lineage_reader
GRANT SELECT ON lineage.dataset_job TO lineage_writer
GRANT SELECT ON lineage.declared TO lineage_reader
GRANT SELECT ON lineage.declared TO lineage_writer
GRANT SELECT ON lineage.declared_column TO lineage_reader
GRANT SELECT ON lineage.declared_column TO lineage_writer
GRANT SELECT ON lineage.deferred_derives TO lineage_reader
GRANT SELECT ON lineage.deferred_derives TO lineage_writer
GRANT SELECT ON lineage.deferred_feeds TO lineage_reader
GRANT SELECT ON lineage.deferred_feeds TO lineage_writer
GRANT SELECT ON lineage.derives TO lineage_reader
GRANT SELECT ON lineage.derives TO lineage_writer
GRANT SELECT ON lineage.design TO lineage_reader
GRANT SELECT ON lineage.design TO lineage_writer
GRANT SELECT ON lineage.design_access TO lineage_reader
GRANT SELECT ON lineage.design_access TO lineage_writer
GRANT SELECT ON lineage.design_mapping TO lineage_reader
GRANT SELECT ON lineage.design_mapping TO lineage_writer
GRANT SELECT ON lineage.design_source TO lineage_reader
GRANT SELECT ON lineage.design_source TO lineage_writer
GRANT SELECT ON lineage.event TO lineage_reader
GRANT SELECT ON lineage.event TO lineage_writer
GRANT SELECT ON lineage.event_id_seq TO lineage_writer
GRANT SELECT ON lineage.execution TO lineage_reader
GRANT SELECT ON lineage.execution TO lineage_writer
GRANT SELECT ON lineage.explicit_source TO lineage_reader
GRANT SELECT ON lineage.explicit_source TO lineage_writer
GRANT SELECT ON lineage.feeds TO lineage_reader
GRANT SELECT ON lineage.feeds TO lineage_writer
GRANT SELECT ON lineage.field TO lineage_reader
GRANT SELECT ON lineage.field TO lineage_writer
GRANT SELECT ON lineage.forward TO lineage_reader
GRANT SELECT ON lineage.forward TO lineage_writer
GRANT SELECT ON lineage.function_set TO lineage_reader
GRANT SELECT ON lineage.function_set TO lineage_writer
GRANT SELECT ON lineage.imported_object TO lineage_reader
GRANT SELECT ON lineage.imported_object TO lineage_writer
GRANT SELECT ON lineage.imported_part TO lineage_reader
GRANT SELECT ON lineage.imported_part TO lineage_writer
GRANT SELECT ON lineage.imported_row TO lineage_reader
GRANT SELECT ON lineage.imported_row TO lineage_writer
GRANT SELECT ON lineage.imported_statement TO lineage_reader
GRANT SELECT ON lineage.imported_statement TO lineage_writer
GRANT SELECT ON lineage.job TO lineage_reader
GRANT SELECT ON lineage.job TO lineage_writer
GRANT SELECT ON lineage.job_dependency TO lineage_reader
GRANT SELECT ON lineage.job_dependency TO lineage_writer
GRANT SELECT ON lineage.late_run TO lineage_reader
GRANT SELECT ON lineage.late_run TO lineage_writer
GRANT SELECT ON lineage.link TO lineage_reader
GRANT SELECT ON lineage.link TO lineage_writer
GRANT SELECT ON lineage.migration TO lineage_reader
GRANT SELECT ON lineage.migration TO lineage_writer
GRANT SELECT ON lineage.node TO lineage_reader
GRANT SELECT ON lineage.node TO lineage_writer
GRANT SELECT ON lineage.plan_document TO lineage_reader
GRANT SELECT ON lineage.plan_document TO lineage_writer
GRANT SELECT ON lineage.plan_document_queue TO lineage_reader
GRANT SELECT ON lineage.plan_document_queue TO lineage_writer
GRANT SELECT ON lineage.projection_queue TO lineage_reader
GRANT SELECT ON lineage.projection_queue TO lineage_writer
GRANT SELECT ON lineage.record_item TO lineage_reader
GRANT SELECT ON lineage.record_item TO lineage_writer
GRANT SELECT ON lineage.record_node TO lineage_reader
GRANT SELECT ON lineage.record_node TO lineage_writer
GRANT SELECT ON lineage.record_trace TO lineage_reader
GRANT SELECT ON lineage.record_trace TO lineage_writer
GRANT SELECT ON lineage.record_witness TO lineage_reader
GRANT SELECT ON lineage.record_witness TO lineage_writer
GRANT SELECT ON lineage.rejected_event TO lineage_reader
GRANT SELECT ON lineage.rejected_event TO lineage_writer
GRANT SELECT ON lineage.rejected_forward TO lineage_reader
GRANT SELECT ON lineage.rejected_forward TO lineage_writer
GRANT SELECT ON lineage.retention TO lineage_reader
GRANT SELECT ON lineage.retention TO lineage_writer
GRANT SELECT ON lineage.run TO lineage_reader
GRANT SELECT ON lineage.run TO lineage_writer
GRANT SELECT ON lineage.run_archive TO lineage_reader
GRANT SELECT ON lineage.run_archive TO lineage_writer
GRANT SELECT ON lineage.run_column_mapping TO lineage_reader
GRANT SELECT ON lineage.run_column_mapping TO lineage_writer
GRANT SELECT ON lineage.run_owner TO lineage_reader
GRANT SELECT ON lineage.run_owner TO lineage_writer
GRANT SELECT ON lineage.search_text TO lineage_reader
GRANT SELECT ON lineage.search_text TO lineage_writer
GRANT SELECT ON lineage.search_word TO lineage_reader
GRANT SELECT ON lineage.search_word TO lineage_writer
GRANT SELECT ON lineage.superseded_event TO lineage_reader
GRANT SELECT ON lineage.superseded_event TO lineage_writer
GRANT SELECT ON lineage.token.created_at TO lineage_writer
GRANT SELECT ON lineage.token.name TO lineage_writer
GRANT SELECT ON lineage.token.namespaces TO lineage_writer
GRANT SELECT ON lineage.token.scope TO lineage_writer
GRANT SELECT ON provenance."Asset" TO lineage_cypher
GRANT SELECT ON provenance."Asset" TO lineage_reader
GRANT SELECT ON provenance."Asset" TO lineage_writer
GRANT SELECT ON provenance."Asset_id_seq" TO lineage_writer
GRANT SELECT ON provenance."CONSUMES" TO lineage_cypher
GRANT SELECT ON provenance."CONSUMES" TO lineage_reader
GRANT SELECT ON provenance."CONSUMES" TO lineage_writer
GRANT SELECT ON provenance."CONSUMES_id_seq" TO lineage_writer
GRANT SELECT ON provenance."DECLARED" TO lineage_cypher
GRANT SELECT ON provenance."DECLARED" TO lineage_reader
GRANT SELECT ON provenance."DECLARED" TO lineage_writer
GRANT SELECT ON provenance."DECLARED_id_seq" TO lineage_writer
GRANT SELECT ON provenance."DERIVES" TO lineage_cypher
GRANT SELECT ON provenance."DERIVES" TO lineage_reader
GRANT SELECT ON provenance."DERIVES" TO lineage_writer
GRANT SELECT ON provenance."DERIVES_id_seq" TO lineage_writer
GRANT SELECT ON provenance."Dataset" TO lineage_cypher
GRANT SELECT ON provenance."Dataset" TO lineage_reader
GRANT SELECT ON provenance."Dataset" TO lineage_writer
GRANT SELECT ON provenance."Dataset_id_seq" TO lineage_writer
GRANT SELECT ON provenance."EXECUTES" TO lineage_cypher
GRANT SELECT ON provenance."EXECUTES" TO lineage_reader
GRANT SELECT ON provenance."EXECUTES" TO lineage_writer
GRANT SELECT ON provenance."EXECUTES_id_seq" TO lineage_writer
GRANT SELECT ON provenance."FEEDS" TO lineage_cypher
GRANT SELECT ON provenance."FEEDS" TO lineage_reader
GRANT SELECT ON provenance."FEEDS" TO lineage_writer
GRANT SELECT ON provenance."FEEDS_id_seq" TO lineage_writer
GRANT SELECT ON provenance."Field" TO lineage_cypher
GRANT SELECT ON provenance."Field" TO lineage_reader
GRANT SELECT ON provenance."Field" TO lineage_writer
GRANT SELECT ON provenance."Field_id_seq" TO lineage_writer
GRANT SELECT ON provenance."HAS_FIELD" TO lineage_cypher
GRANT SELECT ON provenance."HAS_FIELD" TO lineage_reader
GRANT SELECT ON provenance."HAS_FIELD" TO lineage_writer
GRANT SELECT ON provenance."HAS_FIELD_id_seq" TO lineage_writer
GRANT SELECT ON provenance."HAS_SCHEMA" TO lineage_cypher
GRANT SELECT ON provenance."HAS_SCHEMA" TO lineage_reader
GRANT SELECT ON provenance."HAS_SCHEMA" TO lineage_writer
GRANT SELECT ON provenance."HAS_SCHEMA_id_seq" TO lineage_writer
GRANT SELECT ON provenance."INPUT_TO" TO lineage_cypher
GRANT SELECT ON provenance."INPUT_TO" TO lineage_reader
GRANT SELECT ON provenance."INPUT_TO" TO lineage_writer
GRANT SELECT ON provenance."INPUT_TO_id_seq" TO lineage_writer
GRANT SELECT ON provenance."IS" TO lineage_cypher
GRANT SELECT ON provenance."IS" TO lineage_reader
GRANT SELECT ON provenance."IS" TO lineage_writer
GRANT SELECT ON provenance."IS_id_seq" TO lineage_writer
GRANT SELECT ON provenance."Job" TO lineage_cypher
GRANT SELECT ON provenance."Job" TO lineage_reader
GRANT SELECT ON provenance."Job" TO lineage_writer
GRANT SELECT ON provenance."Job_id_seq" TO lineage_writer
GRANT SELECT ON provenance."MATERIALIZES" TO lineage_cypher
GRANT SELECT ON provenance."MATERIALIZES" TO lineage_reader
GRANT SELECT ON provenance."MATERIALIZES" TO lineage_writer
GRANT SELECT ON provenance."MATERIALIZES_id_seq" TO lineage_writer
GRANT SELECT ON provenance."MEMBER_OF" TO lineage_cypher
GRANT SELECT ON provenance."MEMBER_OF" TO lineage_reader
GRANT SELECT ON provenance."MEMBER_OF" TO lineage_writer
GRANT SELECT ON provenance."MEMBER_OF_id_seq" TO lineage_writer
GRANT SELECT ON provenance."OUTPUTS" TO lineage_cypher
GRANT SELECT ON provenance."OUTPUTS" TO lineage_reader
GRANT SELECT ON provenance."OUTPUTS" TO lineage_writer
GRANT SELECT ON provenance."OUTPUTS_id_seq" TO lineage_writer
GRANT SELECT ON provenance."PARENT" TO lineage_cypher
GRANT SELECT ON provenance."PARENT" TO lineage_reader
GRANT SELECT ON provenance."PARENT" TO lineage_writer
GRANT SELECT ON provenance."PARENT_id_seq" TO lineage_writer
GRANT SELECT ON provenance."PRODUCES" TO lineage_cypher
GRANT SELECT ON provenance."PRODUCES" TO lineage_reader
GRANT SELECT ON provenance."PRODUCES" TO lineage_writer
GRANT SELECT ON provenance."PRODUCES_id_seq" TO lineage_writer
GRANT SELECT ON provenance."Record" TO lineage_cypher
GRANT SELECT ON provenance."Record" TO lineage_reader
GRANT SELECT ON provenance."Record" TO lineage_writer
GRANT SELECT ON provenance."Record_id_seq" TO lineage_writer
GRANT SELECT ON provenance."Run" TO lineage_cypher
GRANT SELECT ON provenance."Run" TO lineage_reader
GRANT SELECT ON provenance."Run" TO lineage_writer
GRANT SELECT ON provenance."Run_id_seq" TO lineage_writer
GRANT SELECT ON provenance."TRANSFORMS" TO lineage_cypher
GRANT SELECT ON provenance."TRANSFORMS" TO lineage_reader
GRANT SELECT ON provenance."TRANSFORMS" TO lineage_writer
GRANT SELECT ON provenance."TRANSFORMS_id_seq" TO lineage_writer
GRANT SELECT ON provenance."WITNESS" TO lineage_cypher
GRANT SELECT ON provenance."WITNESS" TO lineage_reader
GRANT SELECT ON provenance."WITNESS" TO lineage_writer
GRANT SELECT ON provenance."WITNESS_id_seq" TO lineage_writer
GRANT SELECT ON provenance._ag_label_edge TO lineage_cypher
GRANT SELECT ON provenance._ag_label_edge TO lineage_reader
GRANT SELECT ON provenance._ag_label_edge TO lineage_writer
GRANT SELECT ON provenance._ag_label_edge_id_seq TO lineage_writer
GRANT SELECT ON provenance._ag_label_vertex TO lineage_cypher
GRANT SELECT ON provenance._ag_label_vertex TO lineage_reader
GRANT SELECT ON provenance._ag_label_vertex TO lineage_writer
GRANT SELECT ON provenance._ag_label_vertex_id_seq TO lineage_writer
GRANT SELECT ON provenance._label_id_seq TO lineage_writer
GRANT UPDATE ON lineage.access TO lineage_writer
GRANT UPDATE ON lineage.alias TO lineage_writer
GRANT UPDATE ON lineage.dataset TO lineage_writer
GRANT UPDATE ON lineage.declared TO lineage_writer
GRANT UPDATE ON lineage.deferred_derives TO lineage_writer
GRANT UPDATE ON lineage.deferred_feeds TO lineage_writer
GRANT UPDATE ON lineage.derives TO lineage_writer
GRANT UPDATE ON lineage.design TO lineage_writer
GRANT UPDATE ON lineage.design_access TO lineage_writer
GRANT UPDATE ON lineage.design_mapping TO lineage_writer
GRANT UPDATE ON lineage.design_source TO lineage_writer
GRANT UPDATE ON lineage.execution TO lineage_writer
GRANT UPDATE ON lineage.feeds TO lineage_writer
GRANT UPDATE ON lineage.field TO lineage_writer
GRANT UPDATE ON lineage.forward TO lineage_writer
GRANT UPDATE ON lineage.imported_object TO lineage_writer
GRANT UPDATE ON lineage.imported_part TO lineage_writer
GRANT UPDATE ON lineage.imported_row TO lineage_writer
GRANT UPDATE ON lineage.job TO lineage_writer
GRANT UPDATE ON lineage.job_dependency TO lineage_writer
GRANT UPDATE ON lineage.late_run TO lineage_writer
GRANT UPDATE ON lineage.link TO lineage_writer
GRANT UPDATE ON lineage.node TO lineage_writer
GRANT UPDATE ON lineage.plan_document_queue TO lineage_writer
GRANT UPDATE ON lineage.projection_queue TO lineage_writer
GRANT UPDATE ON lineage.record_item TO lineage_writer
GRANT UPDATE ON lineage.record_node TO lineage_writer
GRANT UPDATE ON lineage.rejected_forward TO lineage_writer
GRANT UPDATE ON lineage.run TO lineage_writer
GRANT UPDATE ON lineage.run_column_mapping TO lineage_writer
GRANT UPDATE ON lineage.run_owner.job TO lineage_writer
GRANT UPDATE ON lineage.search_text TO lineage_writer
GRANT UPDATE ON provenance."Asset" TO lineage_writer
GRANT UPDATE ON provenance."CONSUMES" TO lineage_writer
GRANT UPDATE ON provenance."DERIVES" TO lineage_writer
GRANT UPDATE ON provenance."Dataset" TO lineage_writer
GRANT UPDATE ON provenance."FEEDS" TO lineage_writer
GRANT UPDATE ON provenance."Field" TO lineage_writer
GRANT UPDATE ON provenance."HAS_SCHEMA" TO lineage_writer
GRANT UPDATE ON provenance."INPUT_TO" TO lineage_writer
GRANT UPDATE ON provenance."IS" TO lineage_writer
GRANT UPDATE ON provenance."Job" TO lineage_writer
GRANT UPDATE ON provenance."MATERIALIZES" TO lineage_writer
GRANT UPDATE ON provenance."MEMBER_OF" TO lineage_writer
GRANT UPDATE ON provenance."OUTPUTS" TO lineage_writer
GRANT UPDATE ON provenance."PRODUCES" TO lineage_writer
GRANT UPDATE ON provenance."Run" TO lineage_writer
GRANT UPDATE ON provenance."TRANSFORMS" TO lineage_writer
GRANT USAGE ON SCHEMA lineage TO lineage_reader
GRANT USAGE ON SCHEMA lineage TO lineage_writer
GRANT USAGE ON SCHEMA provenance TO lineage_cypher
GRANT USAGE ON SCHEMA provenance TO lineage_reader
GRANT USAGE ON SCHEMA provenance TO lineage_writer
GRANT USAGE ON lineage.column_mapping_id_seq TO lineage_writer
GRANT USAGE ON lineage.event_id_seq TO lineage_writer
GRANT USAGE ON provenance."Asset_id_seq" TO lineage_writer
GRANT USAGE ON provenance."CONSUMES_id_seq" TO lineage_writer
GRANT USAGE ON provenance."DECLARED_id_seq" TO lineage_writer
GRANT USAGE ON provenance."DERIVES_id_seq" TO lineage_writer
GRANT USAGE ON provenance."Dataset_id_seq" TO lineage_writer
GRANT USAGE ON provenance."EXECUTES_id_seq" TO lineage_writer
GRANT USAGE ON provenance."FEEDS_id_seq" TO lineage_writer
GRANT USAGE ON provenance."Field_id_seq" TO lineage_writer
GRANT USAGE ON provenance."HAS_FIELD_id_seq" TO lineage_writer
GRANT USAGE ON provenance."HAS_SCHEMA_id_seq" TO lineage_writer
GRANT USAGE ON provenance."INPUT_TO_id_seq" TO lineage_writer
GRANT USAGE ON provenance."IS_id_seq" TO lineage_writer
GRANT USAGE ON provenance."Job_id_seq" TO lineage_writer
GRANT USAGE ON provenance."MATERIALIZES_id_seq" TO lineage_writer
GRANT USAGE ON provenance."MEMBER_OF_id_seq" TO lineage_writer
GRANT USAGE ON provenance."OUTPUTS_id_seq" TO lineage_writer
GRANT USAGE ON provenance."PARENT_id_seq" TO lineage_writer
GRANT USAGE ON provenance."PRODUCES_id_seq" TO lineage_writer
GRANT USAGE ON provenance."Record_id_seq" TO lineage_writer
GRANT USAGE ON provenance."Run_id_seq" TO lineage_writer
GRANT USAGE ON provenance."TRANSFORMS_id_seq" TO lineage_writer
GRANT USAGE ON provenance."WITNESS_id_seq" TO lineage_writer
GRANT USAGE ON provenance._ag_label_edge_id_seq TO lineage_writer
GRANT USAGE ON provenance._ag_label_vertex_id_seq TO lineage_writer
GRANT USAGE ON provenance._label_id_seq TO lineage_writer
INDEX CREATE INDEX "CONSUMES_end_id_idx" ON provenance."CONSUMES" USING btree (end_id)
INDEX CREATE INDEX "DECLARED_end_id_idx" ON provenance."DECLARED" USING btree (end_id)
INDEX CREATE INDEX "DERIVES_end_id_idx" ON provenance."DERIVES" USING btree (end_id)
INDEX CREATE INDEX "EXECUTES_end_id_idx" ON provenance."EXECUTES" USING btree (end_id)
INDEX CREATE INDEX "FEEDS_end_id_idx" ON provenance."FEEDS" USING btree (end_id)
INDEX CREATE INDEX "HAS_FIELD_end_id_idx" ON provenance."HAS_FIELD" USING btree (end_id)
INDEX CREATE INDEX "HAS_SCHEMA_end_id_idx" ON provenance."HAS_SCHEMA" USING btree (end_id)
INDEX CREATE INDEX "INPUT_TO_end_id_idx" ON provenance."INPUT_TO" USING btree (end_id)
INDEX CREATE INDEX "IS_end_id_idx" ON provenance."IS" USING btree (end_id)
INDEX CREATE INDEX "MATERIALIZES_end_id_idx" ON provenance."MATERIALIZES" USING btree (end_id)
INDEX CREATE INDEX "MEMBER_OF_end_id_idx" ON provenance."MEMBER_OF" USING btree (end_id)
INDEX CREATE INDEX "OUTPUTS_end_id_idx" ON provenance."OUTPUTS" USING btree (end_id)
INDEX CREATE INDEX "PARENT_end_id_idx" ON provenance."PARENT" USING btree (end_id)
INDEX CREATE INDEX "PRODUCES_end_id_idx" ON provenance."PRODUCES" USING btree (end_id)
INDEX CREATE INDEX "TRANSFORMS_end_id_idx" ON provenance."TRANSFORMS" USING btree (end_id)
INDEX CREATE INDEX "WITNESS_end_id_idx" ON provenance."WITNESS" USING btree (end_id)
INDEX CREATE INDEX access_adding ON lineage.access USING btree (dataset, job) WHERE (output AND lineage.is_append(facets))
INDEX CREATE INDEX access_defining ON lineage.access USING btree (dataset) WHERE (output AND (facets ? 'datasetType'::text))
INDEX CREATE INDEX access_job ON lineage.access USING btree (dataset, output, job, last_seen) INCLUDE (run)
INDEX CREATE INDEX access_latest ON lineage.access USING btree (dataset, last_seen) INCLUDE (output, run, job, first_seen)
INDEX CREATE INDEX access_long ON lineage.access USING btree (dataset, first_seen) WHERE ((last_seen - first_seen) > '01:00:00'::interval)
INDEX CREATE INDEX access_quality ON lineage.access USING btree (dataset) WHERE (facets ?| '{dataQualityAssertions,dataQualityMetrics}'::text[])
INDEX CREATE INDEX access_read_version ON lineage.access USING btree (dataset, lineage.version_key((facets #>> '{version,1,datasetVersion}'::text[]))) WHERE ((NOT output) AND (facets ? 'version'::text))
INDEX CREATE INDEX access_read_versions ON lineage.access USING btree (dataset) WHERE ((NOT output) AND (facets ? 'lineage_versions'::text))
INDEX CREATE INDEX access_replacing ON lineage.access USING btree (dataset, last_seen) WHERE (output AND lineage.is_overwrite(facets))
INDEX CREATE INDEX access_version ON lineage.access USING btree (dataset, lineage.version_key((facets #>> '{version,1,datasetVersion}'::text[]))) WHERE (output AND (facets ? 'version'::text))
INDEX CREATE INDEX access_written ON lineage.access USING btree (dataset, last_seen) WHERE output
INDEX CREATE INDEX archived_derives_job ON lineage.archived_derives USING btree (job)
INDEX CREATE INDEX archived_derives_mappings ON lineage.archived_derives USING gin (mappings)
INDEX CREATE INDEX archived_feeds_job ON lineage.archived_feeds USING btree (job)
INDEX CREATE INDEX archived_feeds_sources ON lineage.archived_feeds USING gin (sources)
INDEX CREATE INDEX archived_feeds_targets ON lineage.archived_feeds USING gin (targets)
INDEX CREATE INDEX asset_type ON provenance."Asset" USING btree (ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"node_type"'::ag_catalog.agtype]))
INDEX CREATE INDEX dataset_alias_of ON lineage.dataset USING btree (alias_of) WHERE (alias_of IS NOT NULL)
INDEX CREATE INDEX dataset_aliases ON lineage.dataset USING btree (canonical) WHERE (canonical <> id)
INDEX CREATE INDEX dataset_canonical ON lineage.dataset USING btree (canonical)
INDEX CREATE INDEX dataset_ending ON lineage.dataset USING btree (reverse(lineage.full_name(namespace, name)))
INDEX CREATE INDEX dataset_job_job ON lineage.dataset_job USING btree (job)
INDEX CREATE INDEX dataset_reported ON lineage.dataset USING brin (last_seen) WITH (pages_per_range='16')
INDEX CREATE INDEX declared_column_holder ON lineage.declared_column USING btree (holder)
INDEX CREATE INDEX declared_column_target ON lineage.declared_column USING btree (target)
INDEX CREATE INDEX declared_holder_source ON lineage.declared USING btree (holder, source)
INDEX CREATE INDEX declared_holder_target ON lineage.declared USING btree (holder, target)
INDEX CREATE INDEX declared_pair ON provenance."DECLARED" USING btree (start_id, end_id)
INDEX CREATE INDEX declared_source ON lineage.declared USING btree (source) WHERE (NOT observed)
INDEX CREATE INDEX declared_target ON lineage.declared USING btree (target) WHERE (NOT observed)
INDEX CREATE INDEX deferred_derives_job ON lineage.deferred_derives USING btree (job)
INDEX CREATE INDEX deferred_feeds_job ON lineage.deferred_feeds USING btree (job)
INDEX CREATE INDEX derivation_source ON lineage.column_mapping_entry USING btree (source, source_field)
INDEX CREATE INDEX derivation_target ON lineage.column_mapping_entry USING btree (mapping, target_field)
INDEX CREATE INDEX derives_pair ON provenance."DERIVES" USING btree (start_id, end_id)
INDEX CREATE INDEX derives_target ON lineage.derives USING btree (target, source)
INDEX CREATE INDEX design_access_dataset ON lineage.design_access USING btree (dataset, output)
INDEX CREATE INDEX design_mapping_mapping ON lineage.design_mapping USING btree (mapping)
INDEX CREATE INDEX design_mapping_target ON lineage.design_mapping USING btree (target)
INDEX CREATE INDEX design_source_source ON lineage.design_source USING btree (source)
INDEX CREATE INDEX design_source_target ON lineage.design_source USING btree (target)
INDEX CREATE INDEX event_MONTH_document_idx ON lineage.event_MONTH USING btree (document) WHERE (document IS NOT NULL)
INDEX CREATE INDEX event_MONTH_event_name_hashes_idx ON lineage.event_MONTH USING gin (lineage.event_name_hashes(body)) WHERE (run_id IS NULL)
INDEX CREATE INDEX event_MONTH_id_idx ON lineage.event_MONTH USING btree (id)
INDEX CREATE INDEX event_MONTH_run_id_event_time_idx ON lineage.event_MONTH USING btree (run_id, event_time) WHERE (run_id IS NOT NULL)
INDEX CREATE INDEX event_before_document_idx ON lineage.event_before USING btree (document) WHERE (document IS NOT NULL)
INDEX CREATE INDEX event_before_event_name_hashes_idx ON lineage.event_before USING gin (lineage.event_name_hashes(body)) WHERE (run_id IS NULL)
INDEX CREATE INDEX event_before_id_idx ON lineage.event_before USING btree (id)
INDEX CREATE INDEX event_before_run_id_event_time_idx ON lineage.event_before USING btree (run_id, event_time) WHERE (run_id IS NOT NULL)
INDEX CREATE INDEX event_document ON ONLY lineage.event USING btree (document) WHERE (document IS NOT NULL)
INDEX CREATE INDEX event_id ON ONLY lineage.event USING btree (id)
INDEX CREATE INDEX event_named ON ONLY lineage.event USING gin (lineage.event_name_hashes(body)) WHERE (run_id IS NULL)
INDEX CREATE INDEX event_other_document_idx ON lineage.event_other USING btree (document) WHERE (document IS NOT NULL)
INDEX CREATE INDEX event_other_event_name_hashes_idx ON lineage.event_other USING gin (lineage.event_name_hashes(body)) WHERE (run_id IS NULL)
INDEX CREATE INDEX event_other_id_idx ON lineage.event_other USING btree (id)
INDEX CREATE INDEX event_other_run_id_event_time_idx ON lineage.event_other USING btree (run_id, event_time) WHERE (run_id IS NOT NULL)
INDEX CREATE INDEX event_run ON ONLY lineage.event USING btree (run_id, event_time) WHERE (run_id IS NOT NULL)
INDEX CREATE INDEX execution_earliest ON lineage.execution USING btree (job, first_seen) INCLUDE (run, last_seen)
INDEX CREATE INDEX execution_latest ON lineage.execution USING btree (job, last_seen)
INDEX CREATE INDEX feeds_job ON lineage.feeds USING btree (job)
INDEX CREATE INDEX feeds_pair ON provenance."FEEDS" USING btree (start_id, end_id)
INDEX CREATE INDEX feeds_target ON lineage.feeds USING btree (target, source)
INDEX CREATE INDEX field_dataset ON provenance."Field" USING btree (ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"dataset"'::ag_catalog.agtype]))
INDEX CREATE INDEX field_name ON provenance."Field" USING btree (ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"name"'::ag_catalog.agtype]))
INDEX CREATE INDEX field_nested ON lineage.field USING btree (dataset, name) WHERE nested
INDEX CREATE INDEX field_of_name ON lineage.field USING btree (name)
INDEX CREATE INDEX field_spelling ON lineage.field USING btree (spelling_of) WHERE (spelling_of IS NOT NULL)
INDEX CREATE INDEX imported_part_last ON lineage.imported_part USING btree (server, last_time)
INDEX CREATE INDEX imported_part_stale ON lineage.imported_part USING btree (server, unit, first_time) WHERE is_stale
INDEX CREATE INDEX imported_row_statement ON lineage.imported_row USING btree (statement) WHERE (statement IS NOT NULL)
INDEX CREATE INDEX job_checks ON lineage.job USING btree (id) WHERE COALESCE((upper((facets #>> '{jobType,1,jobType}'::text[])) = 'TEST'::text), false)
INDEX CREATE INDEX job_dependency_downstream ON lineage.job_dependency USING btree (downstream)
INDEX CREATE INDEX job_streams ON lineage.job USING btree (id) WHERE COALESCE((upper((facets #>> '{jobType,1,processingType}'::text[])) = ANY (ARRAY['STREAMING'::text, 'SERVICE'::text])), false)
INDEX CREATE INDEX job_write_modes ON lineage.job USING btree (id) WHERE (facets ? 'lineage_write_modes'::text)
INDEX CREATE INDEX link_target ON lineage.link USING btree (target)
INDEX CREATE INDEX mapping_target ON lineage.column_mapping USING btree (target)
INDEX CREATE INDEX node_entity ON lineage.node USING btree (entity)
INDEX CREATE INDEX plan_document_MONTH_application_execution_kind_idx ON lineage.plan_document_MONTH USING btree (application, execution, kind)
INDEX CREATE INDEX plan_document_before_application_execution_kind_idx ON lineage.plan_document_before USING btree (application, execution, kind)
INDEX CREATE INDEX plan_document_execution ON ONLY lineage.plan_document USING btree (application, execution, kind)
INDEX CREATE INDEX plan_document_other_application_execution_kind_idx ON lineage.plan_document_other USING btree (application, execution, kind)
INDEX CREATE INDEX plan_document_queue_pending ON lineage.plan_document_queue USING btree ("time") WHERE (reason IS NULL)
INDEX CREATE INDEX record_item_run ON lineage.record_item USING btree (run)
INDEX CREATE INDEX record_trace_dataset ON lineage.record_trace USING hash (dataset)
INDEX CREATE INDEX run_first_seen ON lineage.run USING btree (first_seen)
INDEX CREATE INDEX run_mapping_mapping ON lineage.run_column_mapping USING btree (mapping)
INDEX CREATE INDEX run_not_contributing ON lineage.run USING btree (id) WHERE (NOT contributing)
INDEX CREATE INDEX search_text_column ON lineage.search_text USING btree (text) WHERE (kind = 'column'::text)
INDEX CREATE INDEX search_text_described ON lineage.search_text USING btree (id) WHERE ((field <> 'name'::text) AND (text <> ''::text))
INDEX CREATE INDEX search_text_prefix ON lineage.search_text USING btree ("left"(last_part, 300) text_pattern_ops) WHERE (field = 'name'::text)
INDEX CREATE INDEX search_word_key ON lineage.search_word USING btree (word)
INDEX CREATE INDEX witness_pair ON provenance."WITNESS" USING btree (start_id, end_id)
INDEX CREATE UNIQUE INDEX access_pkey ON lineage.access USING btree (run, job, dataset, output)
INDEX CREATE UNIQUE INDEX alias_pkey ON lineage.alias USING btree (alias, owner)
INDEX CREATE UNIQUE INDEX archived_file_pkey ON lineage.archived_file USING btree (location)
INDEX CREATE UNIQUE INDEX archived_run_pkey ON lineage.archived_run USING btree (run_id)
INDEX CREATE UNIQUE INDEX asset_key ON provenance."Asset" USING btree (ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"node_id"'::ag_catalog.agtype]))
INDEX CREATE UNIQUE INDEX column_mapping_digest_key ON lineage.column_mapping USING btree (digest)
INDEX CREATE UNIQUE INDEX column_mapping_pkey ON lineage.column_mapping USING btree (id)
INDEX CREATE UNIQUE INDEX consumes_id ON provenance."CONSUMES" USING btree (id)
INDEX CREATE UNIQUE INDEX consumes_pair ON provenance."CONSUMES" USING btree (start_id, end_id)
INDEX CREATE UNIQUE INDEX dataset_job_pkey ON lineage.dataset_job USING btree (dataset, output, job)
INDEX CREATE UNIQUE INDEX dataset_key ON provenance."Dataset" USING btree (ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"name"'::ag_catalog.agtype]), ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"namespace"'::ag_catalog.agtype]))
INDEX CREATE UNIQUE INDEX dataset_namespace_name_key ON lineage.dataset USING btree (namespace, name)
INDEX CREATE UNIQUE INDEX dataset_pkey ON lineage.dataset USING btree (id)
INDEX CREATE UNIQUE INDEX declared_column_pkey ON lineage.declared_column USING btree (source, target, holder, type, subtype, masking)
INDEX CREATE UNIQUE INDEX declared_id ON provenance."DECLARED" USING btree (id)
INDEX CREATE UNIQUE INDEX declared_pkey ON lineage.declared USING btree (source, target, holder)
INDEX CREATE UNIQUE INDEX derives_edge ON lineage.derives USING btree (edge)
INDEX CREATE UNIQUE INDEX derives_id ON provenance."DERIVES" USING btree (id)
INDEX CREATE UNIQUE INDEX derives_pkey ON lineage.derives USING btree (source, target, job, type, subtype, masking)
INDEX CREATE UNIQUE INDEX design_access_pkey ON lineage.design_access USING btree (holder, dataset, output)
INDEX CREATE UNIQUE INDEX design_mapping_pkey ON lineage.design_mapping USING btree (holder, target, mapping)
INDEX CREATE UNIQUE INDEX design_pkey ON lineage.design USING btree (holder)
INDEX CREATE UNIQUE INDEX design_source_pkey ON lineage.design_source USING btree (holder, source, target)
INDEX CREATE UNIQUE INDEX event_MONTH_event_time_sha256_idx ON lineage.event_MONTH USING btree (event_time, sha256)
INDEX CREATE UNIQUE INDEX event_before_event_time_sha256_idx ON lineage.event_before USING btree (event_time, sha256)
INDEX CREATE UNIQUE INDEX event_key ON ONLY lineage.event USING btree (event_time, sha256)
INDEX CREATE UNIQUE INDEX event_other_event_time_sha256_idx ON lineage.event_other USING btree (event_time, sha256)
INDEX CREATE UNIQUE INDEX executes_id ON provenance."EXECUTES" USING btree (id)
INDEX CREATE UNIQUE INDEX executes_pair ON provenance."EXECUTES" USING btree (start_id, end_id)
INDEX CREATE UNIQUE INDEX execution_pkey ON lineage.execution USING btree (run, job)
INDEX CREATE UNIQUE INDEX explicit_source_pkey ON lineage.explicit_source USING btree (dataset, run)
INDEX CREATE UNIQUE INDEX feeds_edge ON lineage.feeds USING btree (edge)
INDEX CREATE UNIQUE INDEX feeds_id ON provenance."FEEDS" USING btree (id)
INDEX CREATE UNIQUE INDEX feeds_pkey ON lineage.feeds USING btree (source, target, job)
INDEX CREATE UNIQUE INDEX field_dataset_name_key ON lineage.field USING btree (dataset, name)
INDEX CREATE UNIQUE INDEX field_pkey ON lineage.field USING btree (id)
INDEX CREATE UNIQUE INDEX forward_pkey ON lineage.forward USING btree (target)
INDEX CREATE UNIQUE INDEX has_field_id ON provenance."HAS_FIELD" USING btree (id)
INDEX CREATE UNIQUE INDEX has_field_pair ON provenance."HAS_FIELD" USING btree (start_id, end_id)
INDEX CREATE UNIQUE INDEX has_schema_id ON provenance."HAS_SCHEMA" USING btree (id)
INDEX CREATE UNIQUE INDEX has_schema_pair ON provenance."HAS_SCHEMA" USING btree (start_id, end_id)
INDEX CREATE UNIQUE INDEX imported_object_pkey ON lineage.imported_object USING btree (server, kind, name)
INDEX CREATE UNIQUE INDEX imported_part_pkey ON lineage.imported_part USING btree (server, unit, first_time)
INDEX CREATE UNIQUE INDEX imported_row_pkey ON lineage.imported_row USING btree (server, unit, "time", sha256)
INDEX CREATE UNIQUE INDEX imported_statement_pkey ON lineage.imported_statement USING btree (sha256)
INDEX CREATE UNIQUE INDEX input_to_id ON provenance."INPUT_TO" USING btree (id)
INDEX CREATE UNIQUE INDEX input_to_pair ON provenance."INPUT_TO" USING btree (start_id, end_id)
INDEX CREATE UNIQUE INDEX is_id ON provenance."IS" USING btree (id)
INDEX CREATE UNIQUE INDEX is_pair ON provenance."IS" USING btree (start_id, end_id)
INDEX CREATE UNIQUE INDEX job_dependency_pkey ON lineage.job_dependency USING btree (upstream, downstream)
INDEX CREATE UNIQUE INDEX job_key ON provenance."Job" USING btree (ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"name"'::ag_catalog.agtype]), ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"namespace"'::ag_catalog.agtype]))
INDEX CREATE UNIQUE INDEX job_namespace_name_key ON lineage.job USING btree (namespace, name)
INDEX CREATE UNIQUE INDEX job_pkey ON lineage.job USING btree (id)
INDEX CREATE UNIQUE INDEX late_run_pkey ON lineage.late_run USING btree (run_id)
INDEX CREATE UNIQUE INDEX link_pkey ON lineage.link USING btree (source, target, type)
INDEX CREATE UNIQUE INDEX materializes_id ON provenance."MATERIALIZES" USING btree (id)
INDEX CREATE UNIQUE INDEX materializes_pair ON provenance."MATERIALIZES" USING btree (start_id, end_id)
INDEX CREATE UNIQUE INDEX member_of_id ON provenance."MEMBER_OF" USING btree (id)
INDEX CREATE UNIQUE INDEX member_of_pair ON provenance."MEMBER_OF" USING btree (start_id, end_id)
INDEX CREATE UNIQUE INDEX migration_pkey ON lineage.migration USING btree (number)
INDEX CREATE UNIQUE INDEX node_pkey ON lineage.node USING btree (node_id)
INDEX CREATE UNIQUE INDEX node_vertex_key ON lineage.node USING btree (vertex)
INDEX CREATE UNIQUE INDEX outputs_id ON provenance."OUTPUTS" USING btree (id)
INDEX CREATE UNIQUE INDEX outputs_pair ON provenance."OUTPUTS" USING btree (start_id, end_id)
INDEX CREATE UNIQUE INDEX parent_id ON provenance."PARENT" USING btree (id)
INDEX CREATE UNIQUE INDEX parent_pair ON provenance."PARENT" USING btree (start_id, end_id)
INDEX CREATE UNIQUE INDEX plan_document_MONTH_sha256_time_idx ON lineage.plan_document_MONTH USING btree (sha256, "time")
INDEX CREATE UNIQUE INDEX plan_document_before_sha256_time_idx ON lineage.plan_document_before USING btree (sha256, "time")
INDEX CREATE UNIQUE INDEX plan_document_content ON ONLY lineage.plan_document USING btree (sha256, "time")
INDEX CREATE UNIQUE INDEX plan_document_other_sha256_time_idx ON lineage.plan_document_other USING btree (sha256, "time")
INDEX CREATE UNIQUE INDEX plan_document_queue_pkey ON lineage.plan_document_queue USING btree (sha256, "time")
INDEX CREATE UNIQUE INDEX produces_id ON provenance."PRODUCES" USING btree (id)
INDEX CREATE UNIQUE INDEX produces_pair ON provenance."PRODUCES" USING btree (start_id, end_id)
INDEX CREATE UNIQUE INDEX projection_queue_pkey ON lineage.projection_queue USING btree (event)
INDEX CREATE UNIQUE INDEX record_item_pkey ON lineage.record_item USING btree (id, run)
INDEX CREATE UNIQUE INDEX record_key ON provenance."Record" USING btree (ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"key"'::ag_catalog.agtype]))
INDEX CREATE UNIQUE INDEX record_node_pkey ON lineage.record_node USING btree (run, ordinal)
INDEX CREATE UNIQUE INDEX record_trace_pkey ON lineage.record_trace USING btree (id)
INDEX CREATE UNIQUE INDEX record_witness_pkey ON lineage.record_witness USING btree (trace, ordinal)
INDEX CREATE UNIQUE INDEX rejected_event_pkey ON lineage.rejected_event USING btree (event)
INDEX CREATE UNIQUE INDEX rejected_forward_pkey ON lineage.rejected_forward USING btree (target, event)
INDEX CREATE UNIQUE INDEX retention_pkey ON lineage.retention USING btree (dropped_at)
INDEX CREATE UNIQUE INDEX run_archive_pkey ON lineage.run_archive USING btree (archived_at)
INDEX CREATE UNIQUE INDEX run_column_mapping_pkey ON lineage.run_column_mapping USING btree (run, job, dataset)
INDEX CREATE UNIQUE INDEX run_key ON provenance."Run" USING btree (ag_catalog.agtype_access_operator(VARIADIC ARRAY[properties, '"run_id"'::ag_catalog.agtype]))
INDEX CREATE UNIQUE INDEX run_owner_pkey ON lineage.run_owner USING btree (run_id)
INDEX CREATE UNIQUE INDEX run_pkey ON lineage.run USING btree (id)
INDEX CREATE UNIQUE INDEX run_run_id_key ON lineage.run USING btree (run_id)
INDEX CREATE UNIQUE INDEX search_text_entity ON lineage.search_text USING btree (id, field)
INDEX CREATE UNIQUE INDEX superseded_event_pkey ON lineage.superseded_event USING btree (event)
INDEX CREATE UNIQUE INDEX token_pkey ON lineage.token USING btree (name)
INDEX CREATE UNIQUE INDEX token_sha256_key ON lineage.token USING btree (sha256)
INDEX CREATE UNIQUE INDEX transforms_id ON provenance."TRANSFORMS" USING btree (id)
INDEX CREATE UNIQUE INDEX transforms_pair ON provenance."TRANSFORMS" USING btree (start_id, end_id)
INDEX CREATE UNIQUE INDEX witness_id ON provenance."WITNESS" USING btree (id)
LABEL e CONSUMES
LABEL e DECLARED
LABEL e DERIVES
LABEL e EXECUTES
LABEL e FEEDS
LABEL e HAS_FIELD
LABEL e HAS_SCHEMA
LABEL e INPUT_TO
LABEL e IS
LABEL e MATERIALIZES
LABEL e MEMBER_OF
LABEL e OUTPUTS
LABEL e PARENT
LABEL e PRODUCES
LABEL e TRANSFORMS
LABEL e WITNESS
LABEL v Asset
LABEL v Dataset
LABEL v Field
LABEL v Job
LABEL v Record
LABEL v Run
RELATION S lineage.column_mapping_id_seq OWNER OWNER p  PARTITION BY - OF -
RELATION S lineage.event_id_seq OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."Asset_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."CONSUMES_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."DECLARED_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."DERIVES_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."Dataset_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."EXECUTES_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."FEEDS_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."Field_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."HAS_FIELD_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."HAS_SCHEMA_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."INPUT_TO_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."IS_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."Job_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."MATERIALIZES_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."MEMBER_OF_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."OUTPUTS_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."PARENT_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."PRODUCES_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."Record_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."Run_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."TRANSFORMS_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION S provenance."WITNESS_id_seq" OWNER OWNER p  PARTITION BY - OF -
RELATION c lineage.compared_write OWNER OWNER p  PARTITION BY - OF -
RELATION c lineage.dataset_read OWNER OWNER p  PARTITION BY - OF -
RELATION c lineage.run_dependency OWNER OWNER p  PARTITION BY - OF -
RELATION c lineage.run_lineage_step OWNER OWNER p  PARTITION BY - OF -
RELATION c lineage.run_reader OWNER OWNER p  PARTITION BY - OF -
RELATION c lineage.visible_write OWNER OWNER p  PARTITION BY - OF -
RELATION p lineage.event OWNER OWNER p  PARTITION BY RANGE (event_time) OF -
RELATION p lineage.plan_document OWNER OWNER p  PARTITION BY RANGE ("time") OF -
RELATION r lineage.access OWNER OWNER p {fillfactor=90} PARTITION BY - OF -
RELATION r lineage.alias OWNER OWNER p {fillfactor=80} PARTITION BY - OF -
RELATION r lineage.archived_derives OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.archived_feeds OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.archived_file OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.archived_run OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.column_mapping OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.column_mapping_entry OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.dataset OWNER OWNER p {fillfactor=80} PARTITION BY - OF -
RELATION r lineage.dataset_job OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.declared OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.declared_column OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.deferred_derives OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.deferred_feeds OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.derives OWNER OWNER p {fillfactor=80} PARTITION BY - OF -
RELATION r lineage.design OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.design_access OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.design_mapping OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.design_source OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.event_MONTH OWNER OWNER p  PARTITION BY - OF lineage.event
RELATION r lineage.event_before OWNER OWNER p  PARTITION BY - OF lineage.event
RELATION r lineage.event_other OWNER OWNER p  PARTITION BY - OF lineage.event
RELATION r lineage.execution OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.explicit_source OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.feeds OWNER OWNER p {fillfactor=80} PARTITION BY - OF -
RELATION r lineage.field OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.forward OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.function_set OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.imported_object OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.imported_part OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.imported_row OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.imported_statement OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.job OWNER OWNER p {fillfactor=80} PARTITION BY - OF -
RELATION r lineage.job_dependency OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.late_run OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.link OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.migration OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.node OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.plan_document_MONTH OWNER OWNER p  PARTITION BY - OF lineage.plan_document
RELATION r lineage.plan_document_before OWNER OWNER p  PARTITION BY - OF lineage.plan_document
RELATION r lineage.plan_document_other OWNER OWNER p  PARTITION BY - OF lineage.plan_document
RELATION r lineage.plan_document_queue OWNER OWNER p {autovacuum_vacuum_scale_factor=0,autovacuum_vacuum_threshold=5000} PARTITION BY - OF -
RELATION r lineage.projection_queue OWNER OWNER p {autovacuum_vacuum_scale_factor=0,autovacuum_vacuum_threshold=5000} PARTITION BY - OF -
RELATION r lineage.record_item OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.record_node OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.record_trace OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.record_witness OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.rejected_event OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.rejected_forward OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.retention OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.run OWNER OWNER p {fillfactor=80} PARTITION BY - OF -
RELATION r lineage.run_archive OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.run_column_mapping OWNER OWNER p {fillfactor=90} PARTITION BY - OF -
RELATION r lineage.run_owner OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.search_text OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.search_word OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.superseded_event OWNER OWNER p  PARTITION BY - OF -
RELATION r lineage.token OWNER OWNER p  PARTITION BY - OF -
ROLE lineage_cypher login=f super=f createrole=f settings=
ROLE lineage_reader login=f super=f createrole=f settings=
ROLE lineage_writer login=f super=f createrole=f settings=
SCHEMA lineage OWNER OWNER
SCHEMA provenance OWNER OWNER
SEQUENCE lineage.column_mapping_id_seq bigint 1..9223372036854775807 BY 1 CYCLE f
SEQUENCE lineage.event_id_seq bigint 1..9223372036854775807 BY 1 CYCLE f
SEQUENCE provenance."Asset_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."CONSUMES_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."DECLARED_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."DERIVES_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."Dataset_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."EXECUTES_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."FEEDS_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."Field_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."HAS_FIELD_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."HAS_SCHEMA_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."INPUT_TO_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."IS_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."Job_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."MATERIALIZES_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."MEMBER_OF_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."OUTPUTS_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."PARENT_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."PRODUCES_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."Record_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."Run_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."TRANSFORMS_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SEQUENCE provenance."WITNESS_id_seq" bigint 1..281474976710655 BY 1 CYCLE f
SETTING age.enable_containment=off
SETTING search_path=public, ag_catalog
SETTING session_preload_libraries=age
TRIGGER CREATE TRIGGER observed AFTER UPDATE OF observed ON lineage.declared FOR EACH ROW WHEN ((new.observed AND (NOT old.observed))) EXECUTE FUNCTION lineage.delete_observed_edge()
TRIGGER CREATE TRIGGER words AFTER INSERT ON lineage.search_text REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION lineage.add_search_words()
TYPE lineage.compared_write AS c 
TYPE lineage.dataset_read AS c 
TYPE lineage.run_dependency AS c 
TYPE lineage.run_lineage_step AS c 
TYPE lineage.run_reader AS c 
TYPE lineage.visible_write AS c 
FUNCTION lineage.access_properties(boolean,timestamp with time zone,timestamp with time zone,jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.access_properties(output boolean, first_seen timestamp with time zone, last_seen timestamp with time zone, facets jsonb)
 RETURNS ag_catalog.agtype
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.accesses_of_datasets(bigint[],boolean,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.accesses_of_datasets(datasets bigint[], output boolean, observed boolean, min_confidence double precision)
 RETURNS TABLE(job bigint, dataset bigint, fed timestamp with time zone, declared timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.accesses_of_jobs(bigint[],boolean,text,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.accesses_of_jobs(jobs bigint[], is_root boolean, direction text, observed boolean, min_confidence double precision)
 RETURNS TABLE(job bigint, dataset bigint, fed timestamp with time zone, declared timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.add_search_words() OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.add_search_words()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
FUNCTION lineage.adjacent_edges(bigint[],text,boolean,text[],text[],bigint[],text[],timestamp with time zone,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.adjacent_edges(ids bigint[], direction text, observed boolean DEFAULT false, namespaces text[] DEFAULT '{}'::text[], tags text[] DEFAULT '{}'::text[], jobs bigint[] DEFAULT '{}'::bigint[], types text[] DEFAULT '{}'::text[], since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, include_stale boolean DEFAULT true, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(near bigint, far bigint, job bigint, runs bigint, first_seen timestamp with time zone, last_seen timestamp with time zone, declared boolean, confidence double precision)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.adjacent_edges_as_of(bigint[],text,boolean,text[],text[],bigint[],text[],timestamp with time zone,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.adjacent_edges_as_of(ids bigint[], direction text, observed boolean, namespaces text[], tags text[], jobs bigint[], types text[], as_of timestamp with time zone, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(near bigint, far bigint, job bigint, runs bigint, first_seen timestamp with time zone, last_seen timestamp with time zone, declared boolean, confidence double precision)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.adjoining_columns(bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.adjoining_columns(ids bigint[])
 RETURNS TABLE(id bigint, other bigint)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.agtype_members(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.agtype_members(entries jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.all_path_edges(bigint,bigint,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.all_path_edges(start bigint, goal bigint, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(source bigint, target bigint, job bigint, distance integer, runs bigint, first_seen timestamp with time zone, last_seen timestamp with time zone, declared boolean, confidence double precision)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.archived_feeds_of(bigint,bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.archived_feeds_of(source bigint, target bigint, job bigint)
 RETURNS SETOF lineage.archived_feeds
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 1
FUNCTION lineage.asset_text(lineage.node) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.asset_text(n lineage.node)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.check_cypher(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.check_cypher(query text)
 RETURNS TABLE(at integer, message text, hint text)
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE ROWS 1
 SET search_path TO 'pg_catalog', 'pg_temp'
FUNCTION lineage.check_results(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.check_results(entry jsonb)
 RETURNS TABLE(ordinal bigint, assertion text, name text, column_name text, success boolean, severity text, expected text, actual text, description text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT ROWS 5
FUNCTION lineage.checks_of_datasets(bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.checks_of_datasets(ids bigint[])
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.checks_of_run(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.checks_of_run(id bigint)
 RETURNS TABLE(part text, dataset bigint, run bigint, job bigint, checked_at timestamp with time zone, entry jsonb)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.column_closure(bigint,text,integer,boolean,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.column_closure(field bigint, direction text DEFAULT 'upstream'::text, depth integer DEFAULT NULL::integer, indirect boolean DEFAULT true, observed boolean DEFAULT false)
 RETURNS TABLE(id bigint, distance integer, direct boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.column_closure_edges(bigint[],text,integer,boolean,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.column_closure_edges(roots bigint[], direction text, depth integer DEFAULT NULL::integer, indirect boolean DEFAULT true, observed boolean DEFAULT false)
 RETURNS TABLE(source bigint, target bigint, job bigint, type text, subtype text, masking boolean, distance integer, runs bigint, first_seen timestamp with time zone, last_seen timestamp with time zone, declared boolean)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
FUNCTION lineage.column_id(text,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.column_id(dataset text, field text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.compare_visible_writes(bigint,timestamp with time zone,timestamp with time zone,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.compare_visible_writes(root bigint, from_time timestamp with time zone, to_time timestamp with time zone, depth integer DEFAULT NULL::integer)
 RETURNS TABLE(dataset bigint, run bigint, job bigint, written timestamp with time zone, exact boolean, before integer, after integer)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.configured_overwrite_time(bigint,timestamp with time zone,timestamp with time zone,text,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.configured_overwrite_time(dataset bigint, as_of timestamp with time zone, by_version timestamp with time zone, version text, reader bigint)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.configured_write_mode(bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.configured_write_mode(job bigint, dataset bigint)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.continues_execution(timestamp with time zone,timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.continues_execution(began timestamp with time zone, ended timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.contributes_to_derives(bigint,bigint,bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.contributes_to_derives(run bigint, job bigint, mappings bigint[])
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.contributes_to_feeds(bigint,bigint,bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.contributes_to_feeds(run bigint, job bigint, source bigint, target bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.contributing_runs_as_of(bigint[],timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.contributing_runs_as_of(jobs bigint[], as_of timestamp with time zone)
 RETURNS TABLE(job bigint, run bigint, seen timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
FUNCTION lineage.create_partitions() OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.create_partitions()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
 SET lock_timeout TO '2s'
FUNCTION lineage.current_designs(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.current_designs(holder bigint)
 RETURNS SETOF lineage.design
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 1
FUNCTION lineage.cypher_statement(text,text[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.cypher_statement(query text, columns text[])
 RETURNS text
 LANGUAGE sql
 PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
FUNCTION lineage.cypher_tokens(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.cypher_tokens(query text)
 RETURNS SETOF text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE ROWS 100
 SET search_path TO 'pg_catalog', 'pg_temp'
FUNCTION lineage.dataset_closure(bigint[],text,integer,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.dataset_closure(roots bigint[], direction text, depth integer DEFAULT NULL::integer, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(id bigint, distance integer)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.dataset_closure_edges(bigint[],text,integer,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.dataset_closure_edges(roots bigint[], direction text, depth integer DEFAULT NULL::integer, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(source bigint, target bigint, job bigint, distance integer, runs bigint, first_seen timestamp with time zone, last_seen timestamp with time zone, declared boolean, confidence double precision)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
FUNCTION lineage.dataset_closure_levels(bigint[],text,integer,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.dataset_closure_levels(roots bigint[], direction text, depth integer DEFAULT NULL::integer, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(distance integer, ids bigint[])
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE ROWS 20
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
FUNCTION lineage.dataset_closure_steps(bigint[],text,integer,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.dataset_closure_steps(roots bigint[], direction text, depth integer DEFAULT NULL::integer, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(distance integer, ids bigint[], sources bigint[], targets bigint[], jobs bigint[], runs bigint[], first_seen timestamp with time zone[], last_seen timestamp with time zone[], declared boolean[], confidences double precision[])
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 20
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
FUNCTION lineage.dataset_diff(text,timestamp with time zone,timestamp with time zone,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.dataset_diff(dataset text, from_time timestamp with time zone, to_time timestamp with time zone, depth integer DEFAULT NULL::integer)
 RETURNS TABLE(change text, kind text, distance integer, namespace text, name text, run text, written timestamp with time zone, exact boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.dataset_id(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.dataset_id(dataset text)
 RETURNS bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.dataset_lineage(text,text,integer,text[],text[],text[],text[],timestamp with time zone,integer,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.dataset_lineage(dataset text, direction text DEFAULT 'upstream'::text, depth integer DEFAULT NULL::integer, namespaces text[] DEFAULT '{}'::text[], tags text[] DEFAULT '{}'::text[], jobs text[] DEFAULT '{}'::text[], types text[] DEFAULT '{}'::text[], since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone, most integer DEFAULT NULL::integer, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(distance integer, namespace text, name text)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.dataset_lineage_at(text,timestamp with time zone,integer,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.dataset_lineage_at(dataset text, at timestamp with time zone, depth integer DEFAULT NULL::integer, perhaps boolean DEFAULT false)
 RETURNS TABLE(distance integer, run text, namespace text, name text, version text, source_run text, source_job text, written timestamp with time zone, exact boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.dataset_lineage_edges(text,text,integer,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.dataset_lineage_edges(dataset text, direction text DEFAULT 'upstream'::text, depth integer DEFAULT NULL::integer, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(distance integer, source_namespace text, source text, target_namespace text, target text, job_namespace text, job text, job_type text, runs bigint, first_seen timestamp with time zone, last_seen timestamp with time zone, stale boolean, declared boolean, confidence double precision)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.dataset_usage(bigint[],timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.dataset_usage(ids bigint[], since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone)
 RETURNS TABLE(id bigint, last_written timestamp with time zone, last_read timestamp with time zone, writes bigint, reads bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.datasets_accessed(bigint,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.datasets_accessed(job bigint, output boolean)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
FUNCTION lineage.datasets_declared(bigint[],text,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.datasets_declared(jobs bigint[], direction text, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(job bigint, dataset bigint, declared timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.datasets_with_column(text,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.datasets_with_column(field text, most integer)
 RETURNS TABLE(id bigint, namespace text, name text)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET plan_cache_mode TO 'force_custom_plan'
FUNCTION lineage.declared_column_properties(lineage.declared_column,text,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.declared_column_properties(d lineage.declared_column, job_namespace text, job text)
 RETURNS ag_catalog.agtype
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.declared_properties(lineage.declared,text,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.declared_properties(d lineage.declared, job_namespace text, job text)
 RETURNS ag_catalog.agtype
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.defines_view(lineage.access) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.defines_view(a lineage.access)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.definitions_seen(bigint,timestamp with time zone,timestamp with time zone,text,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.definitions_seen(view bigint, from_time timestamp with time zone, until_time timestamp with time zone, version text, reader bigint)
 RETURNS TABLE(run bigint, job bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 1
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.delete_declared(bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.delete_declared(holders bigint[])
 RETURNS TABLE(edge bigint, source bigint, target bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'ag_catalog', 'pg_temp'
FUNCTION lineage.delete_fields(bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.delete_fields(ids bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'ag_catalog', 'pg_temp'
FUNCTION lineage.delete_observed_edge() OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.delete_observed_edge()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'ag_catalog', 'pg_temp'
FUNCTION lineage.delete_unused_derives(bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.delete_unused_derives(edges bigint[])
 RETURNS TABLE(edge bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'ag_catalog', 'pg_temp'
FUNCTION lineage.delete_unused_feeds(bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.delete_unused_feeds(edges bigint[])
 RETURNS TABLE(edge bigint, source bigint, target bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'ag_catalog', 'pg_temp'
FUNCTION lineage.dependencies_at(bigint,timestamp with time zone,integer,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.dependencies_at(dataset bigint, at timestamp with time zone, depth integer DEFAULT NULL::integer, perhaps boolean DEFAULT false)
 RETURNS TABLE(distance integer, reader bigint, reader_job bigint, dataset bigint, version text, writer bigint, writer_job bigint, written timestamp with time zone, exact boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.dependencies_of_reads(lineage.dataset_read[],boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.dependencies_of_reads(reads lineage.dataset_read[], perhaps boolean DEFAULT false)
 RETURNS SETOF lineage.run_dependency
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
FUNCTION lineage.dependency_closure(lineage.run_dependency[],integer,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.dependency_closure(step lineage.run_dependency[], depth integer DEFAULT NULL::integer, perhaps boolean DEFAULT false)
 RETURNS TABLE(distance integer, reader bigint, reader_job bigint, dataset bigint, version text, writer bigint, writer_job bigint, written timestamp with time zone, exact boolean)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
FUNCTION lineage.derives_properties(lineage.derives,text,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.derives_properties(d lineage.derives, job_namespace text, job text)
 RETURNS ag_catalog.agtype
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.diff_schemas(jsonb,jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.diff_schemas(before jsonb, after jsonb)
 RETURNS TABLE(name text, old_type text, new_type text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.distance_from_scale(numeric,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.distance_from_scale(met numeric, depth integer)
 RETURNS integer
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.downstream(text,integer,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.downstream(dataset text, depth integer DEFAULT NULL::integer, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(distance integer, namespace text, name text)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.downstream_columns(text,text,integer,boolean,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.downstream_columns(dataset text, field text, depth integer DEFAULT NULL::integer, indirect boolean DEFAULT true, observed boolean DEFAULT false)
 RETURNS TABLE(distance integer, direct boolean, namespace text, name text, field_name text)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.downstream_runs(text,integer,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.downstream_runs(run_id text, depth integer DEFAULT NULL::integer, perhaps boolean DEFAULT false)
 RETURNS TABLE(distance integer, source_run text, namespace text, name text, version text, run text, job text, written timestamp with time zone, exact boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.drop_events(timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.drop_events(floor timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
FUNCTION lineage.drop_months(text,text,timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.drop_months(log text, key text, floor timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
FUNCTION lineage.earlier_writes(bigint[],bigint[],timestamp with time zone[],timestamp with time zone[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.earlier_writes(datasets bigint[], jobs bigint[], barriers timestamp with time zone[], times timestamp with time zone[])
 RETURNS TABLE(place bigint, run bigint, last_seen timestamp with time zone, seen_from timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.edge_changes(bigint[],boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.edge_changes(ids bigint[], observed boolean)
 RETURNS TABLE("time" timestamp with time zone, added bigint, removed bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
FUNCTION lineage.edge_runs_as_of(bigint[],bigint[],bigint[],timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.edge_runs_as_of(sources bigint[], targets bigint[], jobs bigint[], as_of timestamp with time zone)
 RETURNS TABLE(source bigint, target bigint, job bigint, runs bigint, last_seen timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_nestloop TO 'off'
 SET enable_mergejoin TO 'off'
 SET work_mem TO '32MB'
FUNCTION lineage.edges_as_of(bigint[],text,boolean,timestamp with time zone,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.edges_as_of(ids bigint[], direction text, observed boolean, as_of timestamp with time zone, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(near bigint, far bigint, source bigint, target bigint, job bigint, runs bigint, first_seen timestamp with time zone, last_seen timestamp with time zone, declared boolean, confidence double precision)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.edges_from(bigint[],boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.edges_from(ids bigint[], observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(source bigint, target bigint, job bigint, runs bigint, first_seen timestamp with time zone, last_seen timestamp with time zone, declared boolean, confidence double precision)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.edges_to(bigint[],boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.edges_to(ids bigint[], observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(source bigint, target bigint, job bigint, runs bigint, first_seen timestamp with time zone, last_seen timestamp with time zone, declared boolean, confidence double precision)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.enclosing_names(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.enclosing_names(path text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.ends_at_archive(bigint[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.ends_at_archive(runs bigint[], jobs bigint[])
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.entities_of_text(text,bigint,text,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.entities_of_text(kind text, id bigint, text text, most integer)
 RETURNS TABLE(entity bigint, namespace text, name text, column_name text)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
FUNCTION lineage.entity_of_asset(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.entity_of_asset(vertex bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.entity_texts(bigint,jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.entity_texts(id bigint, facets jsonb)
 RETURNS TABLE(field text, text text)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 1
FUNCTION lineage.event_json(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.event_json(body text)
 RETURNS json
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.event_name_hashes(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.event_name_hashes(body text)
 RETURNS bigint[]
 LANGUAGE plpgsql
 IMMUTABLE STRICT
FUNCTION lineage.events_mentioning(bigint,timestamp with time zone,integer,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.events_mentioning(root bigint, until timestamp with time zone, most_runs integer, most_events integer)
 RETURNS TABLE(event_time timestamp with time zone, sha256 bytea, body text, floor timestamp with time zone)
 LANGUAGE sql
 STABLE ROWS 10
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
FUNCTION lineage.execution_start(bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.execution_start(run bigint, job bigint)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.execution_starts(bigint,timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.execution_starts(job bigint, until timestamp with time zone)
 RETURNS TABLE(run bigint, first_seen timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
FUNCTION lineage.expected_range(double precision[],double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.expected_range(samples double precision[], least_margin double precision)
 RETURNS TABLE(runs integer, median double precision, spread double precision, low double precision, high double precision)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE ROWS 1
FUNCTION lineage.facet_attributes(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.facet_attributes(facets jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.facet_bodies(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.facet_bodies(facets jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.facet_owners(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.facet_owners(facets jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.facet_tags(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.facet_tags(facets jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.facet_tags_json(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.facet_tags_json(facets jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.facet_time(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.facet_time(entry jsonb)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.facets_of_access(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.facets_of_access(facets jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.facets_of_write(bigint,bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.facets_of_write(run bigint, job bigint, dataset bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
FUNCTION lineage.failed_checks(bigint,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.failed_checks(id bigint, depth integer DEFAULT NULL::integer)
 RETURNS TABLE(distance integer, reader bigint, reader_job bigint, part text, dataset bigint, run bigint, job bigint, checked_at timestamp with time zone, entry jsonb)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.failed_checks_of_runs(bigint[],bigint[],integer[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.failed_checks_of_runs(runs bigint[], jobs bigint[], distances integer[])
 RETURNS TABLE(distance integer, reader bigint, reader_job bigint, part text, dataset bigint, run bigint, job bigint, checked_at timestamp with time zone, entry jsonb)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.feeds_properties(lineage.feeds,text,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.feeds_properties(f lineage.feeds, job_namespace text, job text)
 RETURNS ag_catalog.agtype
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.field_or_dataset_id(bigint,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.field_or_dataset_id(reported bigint, field text)
 RETURNS bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.field_properties(lineage.field,text,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.field_properties(f lineage.field, namespace text, dataset text)
 RETURNS ag_catalog.agtype
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.find_token(bytea) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.find_token(digest bytea)
 RETURNS TABLE(name text, scope text, namespaces text[])
 LANGUAGE sql
 STABLE STRICT SECURITY DEFINER ROWS 1
 SET search_path TO 'pg_catalog', 'pg_temp'
FUNCTION lineage.full_name(text,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.full_name(namespace text, name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.graph_fingerprint() OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.graph_fingerprint()
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'ag_catalog'
FUNCTION lineage.had_committed(lineage.run,timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.had_committed(r lineage.run, as_of timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.has_adjacent_run(bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.has_adjacent_run(run bigint, job bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.has_column_sources(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.has_column_sources(inputs jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.has_committed(lineage.run,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.has_committed(r lineage.run, job bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.has_job_written(bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.has_job_written(job bigint, dataset bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.has_views() OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.has_views()
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
FUNCTION lineage.hidden_writes(lineage.dataset_read[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.hidden_writes(reads lineage.dataset_read[])
 RETURNS TABLE(reader_job bigint, dataset bigint, run bigint, job bigint, written timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.hiding_execution(bigint,bigint,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.hiding_execution(dataset bigint, job bigint, barrier timestamp with time zone, as_of timestamp with time zone, by_version timestamp with time zone, version text, reader bigint, OUT hides timestamp with time zone, OUT since timestamp with time zone, OUT siblings bigint[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
FUNCTION lineage.hiding_write_time(bigint,bigint,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.hiding_write_time(dataset bigint, job bigint, barrier timestamp with time zone, as_of timestamp with time zone, by_version timestamp with time zone, version text, reader bigint)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.id_of_run(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.id_of_run(run_id text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.impact(text,integer,integer,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.impact(dataset text, depth integer DEFAULT NULL::integer, days integer DEFAULT 30, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(distance integer, namespace text, name text, owners text[], tags text[], last_written timestamp with time zone, last_read timestamp with time zone, writes bigint, reads bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.impact_jobs(text,integer,integer,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.impact_jobs(dataset text, depth integer DEFAULT NULL::integer, days integer DEFAULT 30, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(distance integer, namespace text, name text, owners text[], tags text[], last_run timestamp with time zone, runs bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.input_manifests(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.input_manifests(dataset text)
 RETURNS TABLE(run text, ended_at timestamp with time zone, overwrites_partitions boolean, is_complete boolean, namespace text, name text, type text, version text, manifest jsonb)
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
FUNCTION lineage.inputs_of_run(bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.inputs_of_run(run bigint, job bigint)
 RETURNS bigint[]
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.install_int_array_functions() OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.install_int_array_functions()
 RETURNS boolean
 LANGUAGE plpgsql
FUNCTION lineage.install_search_indexes() OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.install_search_indexes()
 RETURNS boolean
 LANGUAGE plpgsql
FUNCTION lineage.int_array_difference(integer[],integer[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.int_array_difference(a integer[], b integer[])
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.int_array_union(integer[],integer[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.int_array_union(a integer[], b integer[])
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.is_append(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_append(facets jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.is_appending_job(bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_appending_job(job bigint, dataset bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.is_check(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_check(facets jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.is_contributing(text,jsonb,smallint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_contributing(state text, facets jsonb, streamed smallint)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.is_declared(bigint,bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_declared(source bigint, target bigint, job bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.is_definition(bigint,bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_definition(run bigint, job bigint, dataset bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
FUNCTION lineage.is_expected_writer(bigint,bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_expected_writer(run bigint, job bigint, dataset bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.is_field_mapped(bigint,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_field_mapped(dataset bigint, field text)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.is_observed(bigint,bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_observed(source bigint, target bigint, job bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.is_overwrite(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_overwrite(facets jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.is_overwriting_job(bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_overwriting_job(job bigint, dataset bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.is_partition_overwrite(bigint,bigint,jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_partition_overwrite(job bigint, dataset bigint, facets jsonb)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE COST 1
FUNCTION lineage.is_path(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_path(name text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.is_read(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_read(dataset bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.is_same_execution(bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_same_execution(run bigint, other bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
FUNCTION lineage.is_same_instance(lineage.run,lineage.run,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_same_instance(r lineage.run, later lineage.run, job bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
FUNCTION lineage.is_schema_node(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_schema_node(dataset bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.is_stale(timestamp with time zone,timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_stale(last_seen timestamp with time zone, last_write timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.is_stream(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_stream(facets jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.is_streaming_job(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_streaming_job(job bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.is_unpaired(lineage.design_access,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_unpaired(access lineage.design_access, canonical bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.is_used(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_used(dataset bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.is_written(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.is_written(dataset bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.iso8601(timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.iso8601(t timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.job_closure_accesses(bigint,text,integer,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.job_closure_accesses(root bigint, direction text, depth integer DEFAULT NULL::integer, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(job bigint, dataset bigint, distance integer, far boolean, fed timestamp with time zone, declared timestamp with time zone)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
FUNCTION lineage.job_closure_edges(bigint,text,integer,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.job_closure_edges(root bigint, direction text, depth integer DEFAULT NULL::integer, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(source bigint, dataset bigint, target bigint, distance integer, written timestamp with time zone, read timestamp with time zone, stale boolean, depended timestamp with time zone, declared boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
FUNCTION lineage.job_has_written(bigint,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.job_has_written(job bigint, newest integer DEFAULT NULL::integer)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
FUNCTION lineage.job_id(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.job_id(job text)
 RETURNS bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.job_lineage(text,text,integer,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.job_lineage(entity text, direction text DEFAULT 'upstream'::text, depth integer DEFAULT NULL::integer, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(distance integer, source_namespace text, source text, dataset_namespace text, dataset text, target_namespace text, target text, written timestamp with time zone, read timestamp with time zone, stale boolean, depended timestamp with time zone, declared boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.job_of_run(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.job_of_run(run bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.job_or_dataset_id(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.job_or_dataset_id(entity text)
 RETURNS bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.job_properties(lineage.job) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.job_properties(j lineage.job)
 RETURNS ag_catalog.agtype
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.job_steps_at(bigint,timestamp with time zone,integer,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.job_steps_at(dataset bigint, at timestamp with time zone, depth integer DEFAULT NULL::integer, perhaps boolean DEFAULT false)
 RETURNS SETOF lineage.run_lineage_step
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
FUNCTION lineage.job_steps_downstream(bigint,integer,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.job_steps_downstream(run bigint, depth integer DEFAULT NULL::integer, perhaps boolean DEFAULT false)
 RETURNS SETOF lineage.run_lineage_step
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE ROWS 100
FUNCTION lineage.job_steps_upstream(lineage.dataset_read[],integer,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.job_steps_upstream(reads lineage.dataset_read[], depth integer DEFAULT NULL::integer, perhaps boolean DEFAULT false)
 RETURNS SETOF lineage.run_lineage_step
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET jit TO 'off'
FUNCTION lineage.job_trace_datasets(bigint,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.job_trace_datasets(root bigint, direction text)
 RETURNS bigint[]
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.jobs_accessing(bigint[],boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.jobs_accessing(datasets bigint[], output boolean)
 RETURNS TABLE(dataset bigint, job bigint, fed timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
FUNCTION lineage.jobs_accessing_dataset(bigint,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.jobs_accessing_dataset(dataset bigint, output boolean)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.jobs_declaring_access(bigint[],boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.jobs_declaring_access(datasets bigint[], output boolean, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(dataset bigint, job bigint, declared timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.label_base(name) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.label_base(label name)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.label_counts() OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.label_counts()
 RETURNS TABLE(label text, edge boolean, entities bigint)
 LANGUAGE plpgsql
 STABLE
FUNCTION lineage.label_sequence(name) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.label_sequence(label name)
 RETURNS regclass
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.last_access_time(bigint,bigint,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.last_access_time(job bigint, dataset bigint, output boolean)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
FUNCTION lineage.last_expected_writers(bigint[],bigint[],timestamp with time zone[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.last_expected_writers(datasets bigint[], jobs bigint[], times timestamp with time zone[], readers bigint[])
 RETURNS TABLE(place bigint, run bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.last_reads(bigint[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.last_reads(jobs bigint[], datasets bigint[])
 RETURNS TABLE(job bigint, dataset bigint, last_read timestamp with time zone, stale boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.last_rewrites(bigint[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.last_rewrites(jobs bigint[], datasets bigint[])
 RETURNS TABLE(job bigint, dataset bigint, last_write timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'on'
 SET jit TO 'off'
FUNCTION lineage.last_successful_access(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.last_successful_access(job bigint)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
FUNCTION lineage.last_successful_write(bigint,bigint,timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.last_successful_write(dataset bigint, job bigint, as_of timestamp with time zone DEFAULT 'infinity'::timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
FUNCTION lineage.latest_checks(bigint[],timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.latest_checks(ids bigint[], until timestamp with time zone DEFAULT 'infinity'::timestamp with time zone)
 RETURNS TABLE(dataset bigint, run bigint, job bigint, checked_at timestamp with time zone, entry jsonb)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.latest_event_time() OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.latest_event_time()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
FUNCTION lineage.latest_metrics(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.latest_metrics(id bigint)
 RETURNS TABLE(run bigint, measured timestamp with time zone, metrics jsonb)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 1
FUNCTION lineage.latest_runs(bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.latest_runs(jobs bigint[])
 RETURNS TABLE(job bigint, run bigint, last_seen timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.latest_state(text,timestamp with time zone,text,timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.latest_state(a text, a_ended timestamp with time zone, b text, b_ended timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.latest_writes(bigint[],bigint[],timestamp with time zone[],timestamp with time zone[],timestamp with time zone[],text[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.latest_writes(datasets bigint[], jobs bigint[], barriers timestamp with time zone[], as_of_times timestamp with time zone[], by_versions timestamp with time zone[], versions text[], readers bigint[])
 RETURNS TABLE(place bigint, run bigint, written timestamp with time zone, hides timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.link_label(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.link_label(type text)
 RETURNS name
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.link_text(lineage.link) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.link_text(l lineage.link)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.listed_versions(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.listed_versions(facets jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.log_complete_from() OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.log_complete_from()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.mappings_of_edge(lineage.derives) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.mappings_of_edge(edge lineage.derives)
 RETURNS bigint[]
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
FUNCTION lineage.match_datasets(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.match_datasets(dataset text)
 RETURNS TABLE(id bigint, namespace text, name text)
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
 SET enable_seqscan TO 'off'
FUNCTION lineage.match_entities(text[],text[],integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.match_entities(words text[], kinds text[], most integer)
 RETURNS TABLE(match text, by text, kind text, id bigint, namespace text, name text, column_name text, matched_text text)
 LANGUAGE plpgsql
 STABLE
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_custom_plan'
FUNCTION lineage.match_jobs(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.match_jobs(job text)
 RETURNS TABLE(id bigint, namespace text, name text)
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.match_jobs_and_datasets(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.match_jobs_and_datasets(entity text)
 RETURNS TABLE(kind text, id bigint, namespace text, name text)
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.match_rank(lineage.search_text,text[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.match_rank(name lineage.search_text, words text[])
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.matches_filters(text[],text[],text[],text,text[],text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.matches_filters(namespaces text[], tags text[], types text[], namespace text, tags_of_entity text[], job_type text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.may_be_archived_version(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.may_be_archived_version(dataset bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.may_be_view(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.may_be_view(dataset bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.may_have_sources(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.may_have_sources(facets jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.median_and_spread(double precision[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.median_and_spread(samples double precision[])
 RETURNS TABLE(runs integer, median double precision, spread double precision)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE ROWS 1
FUNCTION lineage.merge_access_facets(jsonb,jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.merge_access_facets(old jsonb, new jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.merge_facets(jsonb,jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.merge_facets(old jsonb, new jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.name_hash(text,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.name_hash(namespace text, name text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.newest_writes(bigint[],timestamp with time zone[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.newest_writes(names bigint[], as_of_times timestamp with time zone[], readers bigint[])
 RETURNS TABLE(place bigint, run bigint, job bigint, written timestamp with time zone, overwrites boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.next_id(name) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.next_id(label name)
 RETURNS bigint
 LANGUAGE sql
FUNCTION lineage.node_search_text(lineage.node) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.node_search_text(n lineage.node)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.node_tags(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.node_tags(tags jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.node_types(bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.node_types(entities bigint[])
 RETURNS TABLE(entity bigint, node_type text)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.nominal_time(lineage.run) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.nominal_time(r lineage.run)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.nonnegative_count(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.nonnegative_count(value jsonb)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.orphan_set() OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.orphan_set()
 RETURNS TABLE(kind text, id bigint, namespace text, name text, last_seen timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET jit TO 'off'
FUNCTION lineage.orphans() OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.orphans()
 RETURNS TABLE(kind text, id bigint, namespace text, name text, last_seen timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.other_spellings(bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.other_spellings(ids bigint[])
 RETURNS TABLE(id bigint, other bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.outcome_names(integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.outcome_names(outcome integer)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.overlapping_columns(bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.overlapping_columns(ids bigint[])
 RETURNS TABLE(id bigint, other bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.owner_counts(jsonb[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.owner_counts(ownerships jsonb[], entities bigint[])
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.paths(text,text,boolean,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.paths(source_dataset text, target_dataset text, all_paths boolean DEFAULT false, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(distance integer, source text, target text, job text, runs bigint, last_seen timestamp with time zone, declared boolean, confidence double precision)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.possible_sources(bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.possible_sources(datasets bigint[])
 RETURNS TABLE(id bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.property_map(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.property_map(map jsonb)
 RETURNS ag_catalog.agtype
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.prune(timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.prune(before timestamp with time zone)
 RETURNS lineage.retention
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET "TimeZone" TO 'UTC'
FUNCTION lineage.quality(text,boolean,boolean,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.quality(dataset text, upstream boolean DEFAULT false, failed boolean DEFAULT false, depth integer DEFAULT NULL::integer)
 RETURNS TABLE(distance integer, namespace text, name text, job text, run text, checked_at timestamp with time zone, assertion text, check_name text, column_name text, success boolean, severity text, expected text, actual text)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
FUNCTION lineage.quote_field(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.quote_field(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.read_counts(bigint[],timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.read_counts(ids bigint[], since timestamp with time zone)
 RETURNS TABLE(id bigint, reads bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.read_counts_of_jobs(bigint[],bigint[],timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.read_counts_of_jobs(jobs bigint[], datasets bigint[], since timestamp with time zone)
 RETURNS TABLE(job bigint, reads bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.read_cypher(text,ag_catalog.agtype,text[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.read_cypher(query text, params ag_catalog.agtype DEFAULT '{}'::ag_catalog.agtype, columns text[] DEFAULT NULL::text[])
 RETURNS SETOF ag_catalog.agtype
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'ag_catalog', 'pg_temp'
FUNCTION lineage.read_versions(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.read_versions(facets jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.reader_jobs(bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reader_jobs(ids bigint[])
 RETURNS TABLE(dataset bigint, job bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.reads_at(bigint,timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reads_at(dataset bigint, at timestamp with time zone)
 RETURNS SETOF lineage.dataset_read
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 1
FUNCTION lineage.reads_behind_views(lineage.dataset_read[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reads_behind_views(reads lineage.dataset_read[])
 RETURNS SETOF lineage.dataset_read
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE ROWS 10
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.reads_by_name(bigint[],bigint[],integer[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reads_by_name(runs bigint[], jobs bigint[], times integer[])
 RETURNS TABLE(times integer, reader bigint, reader_job bigint, name bigint, version text, first_seen timestamp with time zone, last_seen timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.reads_of_archive(bigint[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reads_of_archive(runs bigint[], jobs bigint[])
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.reads_of_runs(bigint[],bigint[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reads_of_runs(runs bigint[], jobs bigint[], datasets bigint[] DEFAULT NULL::bigint[])
 RETURNS SETOF lineage.dataset_read
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
FUNCTION lineage.reads_of_writes(bigint[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reads_of_writes(runs bigint[], jobs bigint[])
 RETURNS TABLE(reader bigint, reader_job bigint, dataset bigint, version text, writer bigint, writer_job bigint, written timestamp with time zone, exact boolean, read_at timestamp with time zone, perhaps boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.reads_with_period(lineage.dataset_read[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reads_with_period(reads lineage.dataset_read[])
 RETURNS SETOF lineage.dataset_read
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.reads_without_period(bigint[],bigint[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reads_without_period(runs bigint[], jobs bigint[], datasets bigint[] DEFAULT NULL::bigint[])
 RETURNS SETOF lineage.dataset_read
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.reassign_names(bigint[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reassign_names(names bigint[], runs bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'ag_catalog', 'pg_temp'
FUNCTION lineage.record_history(uuid) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.record_history(id uuid)
 RETURNS TABLE(run uuid, ordinal integer, node text, outcomes text[], contributors bigint, emissions bigint, retries bigint, error text)
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
FUNCTION lineage.record_hops(bytea) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.record_hops(hops bytea, OUT ordinal integer, OUT node integer, OUT outcome integer, OUT cardinality integer, OUT truncated boolean, OUT contributors bigint, OUT emissions bigint, OUT retries bigint)
 RETURNS SETOF record
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.record_items(uuid) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.record_items(run uuid)
 RETURNS TABLE(id uuid, outcomes text[], path text[], error text)
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
FUNCTION lineage.repeats_instance(jsonb,bigint[],jsonb,bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.repeats_instance(task jsonb, inputs bigint[], later_task jsonb, later_inputs bigint[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.replaces_dataset(lineage.access,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.replaces_dataset(a lineage.access, dataset bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.reported_feeds(bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reported_feeds(run bigint, job bigint)
 RETURNS TABLE(source bigint, target bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.reported_inputs(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reported_inputs(facets jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.reported_owners(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reported_owners(facets jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.reported_sources(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reported_sources(inputs jsonb)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT ROWS 5
FUNCTION lineage.reported_tag_names(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reported_tag_names(facets jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.reported_tags(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.reported_tags(facets jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.resolve(text,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.resolve(kind text, name text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE STRICT
FUNCTION lineage.resolve_canonical_id(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.resolve_canonical_id(id bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE STRICT
FUNCTION lineage.root_cause(text,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.root_cause(run_id text, depth integer DEFAULT NULL::integer)
 RETURNS TABLE(kind text, distance integer, run text, job text, namespace text, name text, fault text, read_by text, observed double precision, median double precision, runs integer)
 LANGUAGE sql
 STABLE
FUNCTION lineage.root_cause_candidates(bigint,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.root_cause_candidates(root bigint, depth integer DEFAULT NULL::integer)
 RETURNS TABLE(kind text, distance integer, run bigint, job bigint, dataset bigint, fault text, reader bigint, read_at timestamp with time zone, seen bigint, seen_at timestamp with time zone, observed double precision, median double precision, spread double precision, runs integer)
 LANGUAGE sql
 STABLE ROWS 10
FUNCTION lineage.root_causes_of_runs(bigint[],bigint[],integer[],integer,integer[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.root_causes_of_runs(runs bigint[], jobs bigint[], distances integer[], depth integer DEFAULT NULL::integer, followed_at integer[] DEFAULT NULL::integer[])
 RETURNS TABLE(kind text, distance integer, run bigint, job bigint, dataset bigint, fault text, reader bigint, read_at timestamp with time zone, seen bigint, seen_at timestamp with time zone, observed double precision, median double precision, spread double precision, runs_before integer)
 LANGUAGE sql
 STABLE ROWS 10
FUNCTION lineage.row_count_samples(bigint[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.row_count_samples(runs bigint[], jobs bigint[])
 RETURNS TABLE(run bigint, job bigint, dataset bigint, observed double precision, samples double precision[])
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.run_cypher(text,ag_catalog.agtype) OWNER lineage_cypher
CREATE OR REPLACE FUNCTION lineage.run_cypher(statement text, params ag_catalog.agtype)
 RETURNS SETOF ag_catalog.agtype
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'ag_catalog', 'pg_temp'
 SET work_mem TO '16MB'
 SET max_parallel_workers_per_gather TO '0'
 SET jit TO 'off'
 SET transaction_timeout TO '5min'
FUNCTION lineage.run_cypher_expansion(text,text,ag_catalog.agtype,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_cypher_expansion(matches text, rest text, params ag_catalog.agtype, rows text)
 RETURNS SETOF ag_catalog.agtype
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'ag_catalog', 'pg_temp'
FUNCTION lineage.run_delay(lineage.run) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_delay(r lineage.run)
 RETURNS double precision
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.run_delay_samples(bigint[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_delay_samples(runs bigint[], jobs bigint[])
 RETURNS TABLE(run bigint, job bigint, observed double precision, samples double precision[])
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.run_dependencies(bigint,integer,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_dependencies(run bigint, depth integer DEFAULT NULL::integer, perhaps boolean DEFAULT false)
 RETURNS TABLE(distance integer, reader bigint, reader_job bigint, dataset bigint, version text, writer bigint, writer_job bigint, written timestamp with time zone, exact boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.run_dependencies_direct(bigint,bigint,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_dependencies_direct(reader bigint, reader_job bigint, perhaps boolean DEFAULT false)
 RETURNS SETOF lineage.run_dependency
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.run_dependents(bigint,integer,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_dependents(run bigint, depth integer DEFAULT NULL::integer, perhaps boolean DEFAULT false)
 RETURNS TABLE(distance integer, reader bigint, reader_job bigint, dataset bigint, version text, writer bigint, writer_job bigint, written timestamp with time zone, exact boolean)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
FUNCTION lineage.run_duration(lineage.run) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_duration(r lineage.run)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.run_job_steps(bigint,integer,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_job_steps(run bigint, depth integer DEFAULT NULL::integer, perhaps boolean DEFAULT false)
 RETURNS SETOF lineage.run_lineage_step
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
FUNCTION lineage.run_lineage_by_job(text,text,integer,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_lineage_by_job(run_id text, direction text DEFAULT 'upstream'::text, depth integer DEFAULT NULL::integer, perhaps boolean DEFAULT false)
 RETURNS TABLE(distance integer, reader text, namespace text, name text, writer text, runs bigint, first timestamp with time zone, last timestamp with time zone, maybe bigint, since timestamp with time zone)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE ROWS 100
FUNCTION lineage.run_properties(lineage.run) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_properties(r lineage.run)
 RETURNS ag_catalog.agtype
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.run_quality(text,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_quality(run_id text, failed boolean DEFAULT false)
 RETURNS TABLE(part text, namespace text, name text, job text, run text, checked_at timestamp with time zone, assertion text, check_name text, column_name text, success boolean, severity text, expected text, actual text)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
FUNCTION lineage.run_record(lineage.run) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_record(run lineage.run)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.run_record_as_of(lineage.run,timestamp with time zone,timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_record_as_of(run lineage.run, seen timestamp with time zone, as_of timestamp with time zone)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.run_state_rank(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_state_rank(state text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.run_time_samples(bigint[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_time_samples(runs bigint[], jobs bigint[])
 RETURNS TABLE(kind text, run bigint, job bigint, observed double precision, samples double precision[])
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.run_tree(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.run_tree(root bigint)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
FUNCTION lineage.runs_accessing(bigint[],bigint[],boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.runs_accessing(datasets bigint[], jobs bigint[], output boolean)
 RETURNS TABLE(dataset bigint, job bigint, run bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
FUNCTION lineage.runs_archived_before() OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.runs_archived_before()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.runs_needed_after(timestamp with time zone,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.runs_needed_after(before timestamp with time zone, previous integer)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE ROWS 100000
 SET search_path TO 'pg_catalog', 'ag_catalog'
 SET enable_seqscan TO 'on'
 SET enable_hashjoin TO 'on'
 SET enable_mergejoin TO 'on'
 SET jit TO 'off'
FUNCTION lineage.scheduled_starts(bigint,timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.scheduled_starts(job bigint, until timestamp with time zone)
 RETURNS TABLE(nominal timestamp with time zone, began timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 21
FUNCTION lineage.scheduled_time(lineage.run,timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.scheduled_time(r lineage.run, began timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.schedules_at(timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.schedules_at(until timestamp with time zone)
 RETURNS TABLE(job bigint, nominal timestamp with time zone, began timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10000
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.schema_fields(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.schema_fields(facets jsonb)
 RETURNS TABLE(name text, type text, nested boolean)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT ROWS 20
FUNCTION lineage.search(text,text[],integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.search(words text, kinds text[] DEFAULT NULL::text[], most integer DEFAULT 50)
 RETURNS TABLE(match text, by text, kind text, id bigint, namespace text, name text, column_name text, matched_text text)
 LANGUAGE plpgsql
 STABLE
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_custom_plan'
FUNCTION lineage.search_texts(text[],text[],integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.search_texts(words text[], kinds text[], most integer)
 RETURNS TABLE(match integer, field text, kind text, id bigint, matched_text text)
 LANGUAGE sql
 STABLE
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_custom_plan'
FUNCTION lineage.sees_overwrite_since(lineage.dataset_read,timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.sees_overwrite_since(i lineage.dataset_read, since timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
FUNCTION lineage.sees_run(lineage.dataset_read,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.sees_run(i lineage.dataset_read, run bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
FUNCTION lineage.shortest_path_edges(bigint,bigint,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.shortest_path_edges(start bigint, goal bigint, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(source bigint, target bigint, job bigint, distance integer, runs bigint, first_seen timestamp with time zone, last_seen timestamp with time zone, declared boolean, confidence double precision)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE ROWS 10
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.similar_texts(text[],text[],integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.similar_texts(words text[], kinds text[], most integer)
 RETURNS TABLE(kind text, id bigint, matched_text text)
 LANGUAGE plpgsql
 STABLE
FUNCTION lineage.similar_words(text[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.similar_words(words text[])
 RETURNS TABLE(phrase text[])
 LANGUAGE plpgsql
 STABLE
FUNCTION lineage.sources_of_definition(bigint,bigint,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.sources_of_definition(run bigint, job bigint, view bigint)
 RETURNS TABLE(source bigint, is_renamed boolean, by_run bigint, by_job bigint, first_seen timestamp with time zone, last_seen timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 5
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.stale_inputs(bigint,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.stale_inputs(root bigint, depth integer DEFAULT NULL::integer)
 RETURNS TABLE(distance integer, reader bigint, reader_job bigint, dataset bigint, read_at timestamp with time zone, run bigint, job bigint, fault text, seen bigint, seen_at timestamp with time zone)
 LANGUAGE sql
 STABLE ROWS 10
FUNCTION lineage.stale_inputs_of_runs(bigint[],bigint[],integer[],integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.stale_inputs_of_runs(runs bigint[], jobs bigint[], distances integer[], depth integer DEFAULT NULL::integer)
 RETURNS TABLE(distance integer, reader bigint, reader_job bigint, dataset bigint, read_at timestamp with time zone, run bigint, job bigint, fault text, seen bigint, seen_at timestamp with time zone)
 LANGUAGE sql
 STABLE ROWS 10
FUNCTION lineage.start_delay_limit(bigint,timestamp with time zone) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.start_delay_limit(job bigint, until timestamp with time zone)
 RETURNS TABLE(delay double precision)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 1
FUNCTION lineage.storage_sizes() OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.storage_sizes()
 RETURNS TABLE(part text, bytes bigint)
 LANGUAGE sql
 STABLE
FUNCTION lineage.tag_match_rank(text,text[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.tag_match_rank(tags text, words text[])
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.tag_name(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.tag_name(tag jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.text_entity(bigint,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.text_entity(id bigint, text text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.to_graphid(bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.to_graphid(id bigint)
 RETURNS ag_catalog.graphid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.trace_datasets(bigint,text,integer,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.trace_datasets(dataset bigint, direction text DEFAULT 'upstream'::text, depth integer DEFAULT NULL::integer, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(id bigint, distance integer)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.trigram_schema() OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.trigram_schema()
 RETURNS name
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.unfinished_siblings(bigint,bigint,bigint,timestamp with time zone,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.unfinished_siblings(run bigint, job bigint, dataset bigint, until timestamp with time zone, reader bigint)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 1
FUNCTION lineage.union_statement(text[],text[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.union_statement(queries text[], columns text[])
 RETURNS text
 LANGUAGE sql
 PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
FUNCTION lineage.unpaired_datasets(bigint[],text,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.unpaired_datasets(jobs bigint[], direction text, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(job bigint, dataset bigint, declared timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.unresolved_accesses(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.unresolved_accesses(facets jsonb)
 RETURNS ag_catalog.agtype
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
FUNCTION lineage.unusual_values(bigint[],bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.unusual_values(runs bigint[], jobs bigint[])
 RETURNS TABLE(kind text, run bigint, job bigint, dataset bigint, observed double precision, median double precision, spread double precision, runs_before integer)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.upstream(text,integer,boolean,double precision) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.upstream(dataset text, depth integer DEFAULT NULL::integer, observed boolean DEFAULT false, min_confidence double precision DEFAULT 0)
 RETURNS TABLE(distance integer, namespace text, name text)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.upstream_columns(text,text,integer,boolean,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.upstream_columns(dataset text, field text, depth integer DEFAULT NULL::integer, indirect boolean DEFAULT true, observed boolean DEFAULT false)
 RETURNS TABLE(distance integer, direct boolean, namespace text, name text, field_name text)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.upstream_run_set(bigint,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.upstream_run_set(root bigint, depth integer DEFAULT NULL::integer)
 RETURNS TABLE(run bigint, job bigint, distance integer, followed_at integer)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.upstream_runs(text,integer,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.upstream_runs(run_id text, depth integer DEFAULT NULL::integer, perhaps boolean DEFAULT false)
 RETURNS TABLE(distance integer, run text, namespace text, name text, version text, source_run text, source_job text, written timestamp with time zone, exact boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.version_key(text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.version_key(version text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.view_sources(bigint,timestamp with time zone,timestamp with time zone,text,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.view_sources(view bigint, from_time timestamp with time zone, until_time timestamp with time zone, version text, reader bigint)
 RETURNS TABLE(source bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 5
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.views_over(bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.views_over(datasets bigint[])
 RETURNS TABLE(dataset bigint, view bigint)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.visibility_window(bigint,timestamp with time zone,timestamp with time zone,text,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.visibility_window(dataset bigint, from_time timestamp with time zone, until_time timestamp with time zone, version text, reader bigint)
 RETURNS TABLE(by_version timestamp with time zone, as_of timestamp with time zone, barrier timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 1
FUNCTION lineage.visible_writes(bigint,timestamp with time zone,timestamp with time zone,text,bigint,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.visible_writes(dataset bigint, from_time timestamp with time zone, until_time timestamp with time zone, version text DEFAULT NULL::text, reader bigint DEFAULT NULL::bigint, perhaps boolean DEFAULT false)
 RETURNS TABLE(run bigint, job bigint, written timestamp with time zone, exact boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
FUNCTION lineage.visible_writes_at_both_times(bigint,timestamp with time zone,timestamp with time zone,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.visible_writes_at_both_times(root bigint, from_time timestamp with time zone, to_time timestamp with time zone, depth integer DEFAULT NULL::integer)
 RETURNS TABLE(distance integer, times integer, dataset bigint, run bigint, job bigint, written timestamp with time zone, exact boolean)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
FUNCTION lineage.visible_writes_of_dataset(bigint,timestamp with time zone,integer) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.visible_writes_of_dataset(root bigint, at timestamp with time zone, depth integer DEFAULT NULL::integer)
 RETURNS TABLE(dataset bigint, run bigint, job bigint, distance integer, written timestamp with time zone, exact boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE
FUNCTION lineage.visible_writes_upstream(lineage.dataset_read[],integer,boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.visible_writes_upstream(reads lineage.dataset_read[], depth integer DEFAULT NULL::integer, perhaps boolean DEFAULT false)
 RETURNS TABLE(distance integer, reader_job bigint, dataset bigint, run bigint, job bigint, written timestamp with time zone, exact boolean)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
FUNCTION lineage.word_rank(lineage.search_text,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.word_rank(name lineage.search_text, word text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.worst_rank(lineage.search_text,text[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.worst_rank(name lineage.search_text, words text[])
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.write_links(text[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.write_links(node_ids text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'ag_catalog', 'pg_temp'
FUNCTION lineage.write_mode(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.write_mode(facets jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.writers_of_reads(lineage.dataset_read[],boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.writers_of_reads(reads lineage.dataset_read[], perhaps boolean)
 RETURNS TABLE(dataset bigint, job bigint, adding boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
FUNCTION lineage.writes_by_version(lineage.dataset_read[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.writes_by_version(reads lineage.dataset_read[])
 RETURNS TABLE(reader_job bigint, dataset bigint, run bigint, job bigint, written timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.writes_in_windows(bigint[],bigint[],timestamp with time zone[],timestamp with time zone[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.writes_in_windows(datasets bigint[], jobs bigint[], barriers timestamp with time zone[], as_of_times timestamp with time zone[])
 RETURNS TABLE(place bigint, run bigint, last_seen timestamp with time zone, seen_from timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.writes_of_siblings(bigint,bigint,timestamp with time zone,timestamp with time zone,timestamp with time zone,timestamp with time zone,text,bigint) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.writes_of_siblings(dataset bigint, job bigint, barrier timestamp with time zone, hides timestamp with time zone, as_of timestamp with time zone, by_version timestamp with time zone, version text, reader bigint)
 RETURNS TABLE(run bigint, first_written timestamp with time zone)
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 10
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.writes_rows(jsonb) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.writes_rows(facets jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.writes_version(lineage.access,timestamp with time zone,text) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.writes_version(a lineage.access, newest timestamp with time zone, version text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
FUNCTION lineage.writes_visible_to(lineage.dataset_read[],boolean) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.writes_visible_to(reads lineage.dataset_read[], perhaps boolean DEFAULT false)
 RETURNS SETOF lineage.visible_write
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 100
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.writes_visible_to_runs(bigint[],bigint[],integer[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.writes_visible_to_runs(runs bigint[], jobs bigint[], times integer[])
 RETURNS SETOF lineage.compared_write
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
FUNCTION lineage.written_names(bigint[]) OWNER OWNER
CREATE OR REPLACE FUNCTION lineage.written_names(names bigint[])
 RETURNS TABLE(name bigint, dataset bigint, written_as bigint, direct boolean)
 LANGUAGE sql
 STABLE PARALLEL SAFE
 SET enable_seqscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
