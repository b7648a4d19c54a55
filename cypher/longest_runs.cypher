// The twenty runs that took longest, by seconds from the first START to the end.
// params:  none
// returns: run_id, job, state, started_at, seconds
MATCH (j:Job)-[:EXECUTES]->(r:Run)
WHERE r.started_at IS NOT NULL AND r.ended_at IS NOT NULL
// AGE has no type for times: each end is converted to seconds since the 1st of March of the year 0.
UNWIND [[-1, r.started_at], [1, r.ended_at]] AS moment
WITH j, r, moment[0] AS sign, toInteger(substring(moment[1], 0, 4)) AS year,
     toInteger(substring(moment[1], 5, 2)) AS month, toInteger(substring(moment[1], 8, 2)) AS day,
     toInteger(substring(moment[1], 11, 2)) * 3600 + toInteger(substring(moment[1], 14, 2)) * 60
     + toFloat(substring(moment[1], 17, 9)) AS seconds
WITH j, r, sign, CASE WHEN month > 2 THEN year ELSE year - 1 END AS year,
     CASE WHEN month > 2 THEN month - 3 ELSE month + 9 END AS month, day, seconds
WITH r.run_id AS run_id, j.name AS job, r.state AS state, r.started_at AS started_at,
     sum(sign * ((365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day) * 86400
     + seconds)) AS seconds
RETURN run_id, job, state, started_at, seconds
ORDER BY seconds DESC, run_id
LIMIT 20
