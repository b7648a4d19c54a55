"""Events as entries of the log, and what a set of them says together. No SQL."""
