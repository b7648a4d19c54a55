// Datasets that runs read and no run wrote: external sources. A change without rows, such as ALTER, is no write.
// params:  none
// returns: namespace, name, readers, last_read
MATCH (d:Dataset)-[i:INPUT_TO]->(reader:Run)
WITH d, count(DISTINCT reader.run_id) AS readers, max(i.time) AS last_read
OPTIONAL MATCH (r:Run)-[o:OUTPUTS]->(d)
WHERE (NOT r.state IN ['FAIL', 'ABORT'] OR r.contributing)
  AND (o.mode IS NULL OR NOT o.mode IN ['alter', 'truncate', 'drop'])
WITH d, readers, last_read, count(r) AS writers
WHERE writers = 0
RETURN d.namespace AS namespace, d.name AS name, readers, last_read
ORDER BY d.namespace, d.name
