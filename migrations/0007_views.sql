-- Views, whose readers read what the views are made from. A materialized view holds rows, as a table does. The index has
-- the columns that updates of other facets do not change, so that these remain HOT.
ALTER TABLE lineage.dataset ADD COLUMN is_view boolean NOT NULL GENERATED ALWAYS AS (
    coalesce(upper(facets #>> '{datasetType,1,datasetType}') = 'VIEW'
             AND upper(facets #>> '{datasetType,1,subType}') IS DISTINCT FROM 'MATERIALIZED', false)) STORED;
COMMENT ON COLUMN lineage.dataset.is_view IS 'Whether the newest type that was reported under this name is VIEW';
CREATE INDEX dataset_view ON lineage.dataset (canonical) WHERE is_view;
