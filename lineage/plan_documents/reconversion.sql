-- name: select_documents() -> KeptRow
-- All documents, those of an execution side by side.
SELECT d.sha256, lineage.iso(d.time) AS time, d.application, d.kind, d.execution, d.body, d.namespaces FROM lineage.document d ORDER BY d.application, d.execution, d.time
