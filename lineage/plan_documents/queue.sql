-- name: claim_documents(limit) -> StoredDocumentRow
-- Claim the oldest pending documents that no other process has claimed.
SELECT d.sha256, lineage.iso8601(d.time) AS time, d.application, d.kind, d.execution, d.body, d.namespaces
FROM (SELECT sha256, time FROM lineage.plan_document_queue WHERE reason IS NULL
      ORDER BY time LIMIT %(limit)s FOR UPDATE SKIP LOCKED) AS w
CROSS JOIN LATERAL (SELECT * FROM lineage.plan_document d
                    WHERE d.sha256 = w.sha256 AND d.time = w.time OFFSET 0) AS d
