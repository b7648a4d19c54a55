-- What a job reads and writes is asked for by the job alone.
CREATE INDEX feeds_job ON lineage.feeds (job);
