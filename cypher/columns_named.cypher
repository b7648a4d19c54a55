// Columns whose name contains a text, with their datasets and types.
// params:  text
// returns: namespace, dataset, column_name, type
MATCH (f:Field)
WHERE toLower(f.name) CONTAINS toLower($text)
RETURN f.namespace AS namespace, f.dataset AS dataset, f.name AS column_name, f.type AS type
ORDER BY f.namespace, f.dataset, f.name
