-- name: insert_documents(sha256s, times, applications, kinds, executions, bodies, namespaces) -> bytes
-- Store documents, and queue the new ones for conversion; return their digests.
WITH new AS (
    INSERT INTO lineage.plan_document (sha256, time, application, kind, execution, body, namespaces)
    SELECT d.sha256, d.time, d.application, d.kind, d.execution, d.body,
           (SELECT array_agg(n) FROM json_array_elements_text(d.namespaces::json) AS n)
    FROM unnest(%(sha256s)b::bytea[], %(times)s::timestamptz[], %(applications)b::text[], %(kinds)b::text[],
        %(executions)s::bigint[],
                %(bodies)b::text[], %(namespaces)b::text[])
         AS d (sha256, time, application, kind, execution, body, namespaces)
    ON CONFLICT DO NOTHING
    RETURNING sha256, time
), queued AS (
    INSERT INTO lineage.plan_document_queue (sha256, time) SELECT sha256, time FROM new
)
SELECT sha256 FROM new

-- name: select_documents_of_executions(applications, executions) -> StoredDocumentRow
-- All documents of some executions.
SELECT d.sha256, lineage.iso8601(d.time) AS time, d.application, d.kind, d.execution, d.body, d.namespaces
FROM (SELECT DISTINCT * FROM unnest(%(applications)b::text[], %(executions)s::bigint[])
    AS e (application, execution)) AS e
CROSS JOIN LATERAL (SELECT * FROM lineage.plan_document d
                    WHERE d.application = e.application AND d.execution = e.execution OFFSET 0) AS d

-- name: select_application_ends(applications) -> StoredDocumentRow
-- The end documents of applications that also have a start document.
SELECT d.sha256, lineage.iso8601(d.time) AS time, d.application, d.kind, d.execution, d.body, d.namespaces
    FROM lineage.plan_document d
WHERE d.application = ANY (%(applications)s) AND d.execution IS NULL AND d.kind = 'application_end'
  AND EXISTS (SELECT FROM lineage.plan_document s
              WHERE s.application = d.application AND s.execution IS NULL
                AND s.kind = 'application_start')

-- name: select_ends_without_start(applications) -> StoredDocumentRow
-- The end documents of executions without a start document.
SELECT d.sha256, lineage.iso8601(d.time) AS time, d.application, d.kind, d.execution, d.body, d.namespaces
    FROM lineage.plan_document d
WHERE d.application = ANY (%(applications)s) AND d.kind = 'execution_end'
  AND NOT EXISTS (SELECT FROM lineage.plan_document s
                  WHERE s.application = d.application AND s.execution = d.execution
                    AND s.kind = 'execution_start')
