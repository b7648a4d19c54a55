-- name: select_documents() -> StoredDocumentRow
-- All documents; those of an execution are adjacent.
SELECT d.sha256, lineage.iso8601(d.time) AS time, d.application, d.kind, d.execution, d.body, d.namespaces
    FROM lineage.plan_document d ORDER BY d.application, d.execution, d.time
