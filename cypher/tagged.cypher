// Datasets with a tag, and their owners.
// params:  tag
// returns: namespace, name, tags, owners, last_seen
MATCH (d:Dataset)
WHERE $tag IN d.tags
RETURN d.namespace AS namespace, d.name AS name, d.tags AS tags, d.attributes.owners AS owners,
       d.last_seen AS last_seen
ORDER BY d.namespace, d.name
