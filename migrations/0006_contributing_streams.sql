-- Failed streams that contribute to the graph have the property contributing, by which queries of Cypher tell them.
UPDATE provenance."Run" AS v
SET properties = v.properties OPERATOR(ag_catalog.||) '{"contributing": true}'::ag_catalog.agtype
FROM lineage.run r
WHERE v.id OPERATOR(ag_catalog.=) r.id::text::ag_catalog.graphid AND r.contributing AND r.state IN ('FAIL', 'ABORT');
