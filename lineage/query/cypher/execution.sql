-- name: run_cypher(matches, keys, params) -> str
-- Run a union of queries.
SELECT answer::text AS answer
FROM lineage.run_cypher(
    lineage.union_statement(%(matches)s::text[], %(keys)s::text[]), %(params)s) AS answer

-- name: run_cypher_over(matches, carried, rest, keys, params, rows) -> str
-- Run a union of queries, and the rest of the query over its rows.
SELECT answer::text AS answer
FROM lineage.run_cypher_expansion(
    lineage.union_statement(%(matches)s::text[], %(carried)s::text[]),
    lineage.cypher_statement(%(rest)s, %(keys)s::text[]), %(params)s, %(rows)s) AS answer
