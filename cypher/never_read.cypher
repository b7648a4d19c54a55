// Datasets that at least one run wrote and no run read: sinks of the graph. A change without rows, such as DROP, is no write.
// params:  none
// returns: namespace, name, last_written
MATCH (r:Run)-[w:OUTPUTS]->(d:Dataset)
WHERE (NOT r.state IN ['FAIL', 'ABORT'] OR r.contributing)
  AND (w.mode IS NULL OR NOT w.mode IN ['alter', 'truncate', 'drop'])
  AND NOT EXISTS((d)-[:INPUT_TO]->())
WITH d, max(w.time) AS last_written
RETURN d.namespace AS namespace, d.name AS name, last_written
ORDER BY last_written, d.name
