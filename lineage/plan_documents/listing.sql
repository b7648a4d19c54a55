-- name: select_newest_documents(application, rejected, limit) -> ListedDocument
-- The newest documents, of an application if it is not null, and only rejected ones if requested.
SELECT lineage.iso8601(d.received_at) AS received_at, lineage.iso8601(d.time) AS time, d.kind, d.application,
    d.execution,
       CASE WHEN u.sha256 IS NULL THEN 'converted'
            WHEN u.reason IS NULL THEN 'pending' ELSE 'rejected' END AS state,
       u.reason, d.body
FROM lineage.plan_document d LEFT JOIN lineage.plan_document_queue u USING (sha256, time)
WHERE (d.application = %(application)s OR %(application)s::text IS NULL)
  AND (u.reason IS NOT NULL OR NOT %(rejected)s)
ORDER BY d.received_at DESC, d.time DESC, d.sha256 LIMIT %(limit)s
