// Datasets that at least one run wrote and no run has read since a time, longest unused first.
// params:  since
// returns: namespace, name, last_written, last_read
MATCH (r:Run)-[w:OUTPUTS]->(d:Dataset)
WHERE (NOT r.state IN ['FAIL', 'ABORT'] OR r.contributing)
  AND (w.mode IS NULL OR NOT w.mode IN ['alter', 'truncate', 'drop'])
WITH d, max(w.time) AS last_written
OPTIONAL MATCH (d)-[i:INPUT_TO]->(:Run)
WITH d, last_written, max(i.time) AS last_read
WHERE last_read IS NULL OR last_read < $since
RETURN d.namespace AS namespace, d.name AS name, last_written, last_read
ORDER BY last_read, last_written, d.name
