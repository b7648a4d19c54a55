-- name: select_may_change(alias_namespaces, alias_names, owner_namespaces, owner_names, claimed) -> bool
-- Whether claims may change the canonical dataset of a name. False positives are harmless.
SELECT EXISTS (
    SELECT FROM unnest(%(alias_namespaces)b::text[], %(alias_names)b::text[], %(owner_namespaces)b::text[],
        %(owner_names)b::text[], %(claimed)s::timestamptz[])
        AS claim (alias_namespace, alias_name, owner_namespace, owner_name, claimed)
    LEFT JOIN LATERAL (
        SELECT a.id, a.alias_of FROM lineage.dataset a
        WHERE a.namespace = alias_namespace AND a.name = alias_name OFFSET 0) AS a ON true
    WHERE (alias_namespace, alias_name) = (owner_namespace, owner_name)
       OR a.alias_of IS NULL
       OR (a.alias_of IS DISTINCT FROM (SELECT o.id FROM lineage.dataset o
                                        WHERE o.namespace = owner_namespace AND o.name = owner_name)
           AND claim.claimed >= (SELECT h.claimed FROM lineage.alias h
                                 WHERE h.alias = a.id AND h.owner = a.alias_of)))

-- name: add_claims(aliases, owners, claimed) -> None
-- Add claims, each with its newest time.
INSERT INTO lineage.alias AS a (alias, owner, claimed)
SELECT * FROM unnest(%(aliases)s::bigint[], %(owners)s::bigint[], %(claimed)s::timestamptz[])
ON CONFLICT (alias, owner) DO UPDATE SET claimed = greatest(a.claimed, excluded.claimed)

-- name: select_reassigned(aliases) -> ReassignedRow
-- Aliases whose newest claim has another owner than before; if the alias of a claim is its owner, also the other aliases
-- of that owner. A claim that the owner has withdrawn since does not count.
SELECT d.id AS alias, newest.owner
FROM lineage.dataset d
LEFT JOIN LATERAL (
    SELECT a.owner FROM lineage.alias a
    CROSS JOIN LATERAL (
        SELECT o.namespace, o.name FROM lineage.dataset o WHERE o.id = a.owner OFFSET 0) AS o
    WHERE a.alias = d.id AND a.owner <> d.id AND NOT EXISTS (
        SELECT FROM lineage.alias w
        WHERE w.alias = a.owner AND w.owner = a.owner AND w.claimed >= a.claimed)
    ORDER BY a.claimed DESC, o.namespace, o.name LIMIT 1) AS newest ON true
WHERE d.id IN (SELECT unnest(%(aliases)s::bigint[])
               UNION
               SELECT d.id FROM lineage.alias w JOIN lineage.dataset d ON d.alias_of = w.owner
               WHERE w.alias = ANY (%(aliases)s::bigint[]) AND w.owner = w.alias)
  AND d.alias_of IS DISTINCT FROM newest.owner

-- name: set_owners(aliases, owners) -> None
-- Assign aliases to their owners.
UPDATE lineage.dataset d SET alias_of = input.owner
FROM unnest(%(aliases)s::bigint[], %(owners)s::bigint[]) AS input (alias, owner)
WHERE d.id = input.alias

-- name: select_moved_names(aliases) -> MovedRow
-- Names whose canonical dataset changes: they resolve to one of these aliases, directly or through
-- other aliases.
WITH RECURSIVE chain (id) AS (
    SELECT unnest(%(aliases)s::bigint[])
    UNION
    SELECT d.id FROM chain b CROSS JOIN LATERAL (
        SELECT d.id FROM lineage.dataset d WHERE d.alias_of = b.id OFFSET 0) AS d
)
SELECT d.id AS name, d.canonical AS old, lineage.resolve_canonical_id(d.id) AS new
FROM chain b CROSS JOIN LATERAL (
    SELECT d.id, d.canonical FROM lineage.dataset d WHERE d.id = b.id OFFSET 0) AS d
WHERE d.canonical <> lineage.resolve_canonical_id(d.id)

-- name: select_runs_of_names(names) -> int
-- Runs that name one of these datasets. Lineage facets may name datasets that their run does not report as
-- inputs.
SELECT run FROM lineage.access WHERE dataset = ANY (%(names)s::bigint[])
UNION
SELECT run FROM lineage.explicit_source WHERE dataset = ANY (%(names)s::bigint[])
UNION
SELECT m.run FROM lineage.column_mapping_entry d
CROSS JOIN LATERAL (
    SELECT m.run FROM lineage.run_column_mapping m WHERE m.mapping = d.mapping OFFSET 0) AS m
WHERE d.source = ANY (%(names)s::bigint[])
