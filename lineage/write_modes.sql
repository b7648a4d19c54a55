-- name: has_written(job, dataset) -> bool
-- Whether any run of a job wrote a dataset, or any dataset if it is null.
SELECT EXISTS (
    SELECT FROM lineage.dataset_job u
    JOIN lineage.dataset n ON n.id = u.dataset
    WHERE u.job = %(job)s AND u.output AND n.canonical = coalesce(%(dataset)s, n.canonical)
)
