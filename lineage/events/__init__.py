"""Events as entries of the log, and the merge of events into one value per entity. No SQL."""
