// Number of vertices of each label.
// params:  none
// returns: label, vertices
MATCH (n)
WITH label(n) AS label, count(*) AS vertices
RETURN label, vertices
ORDER BY label
