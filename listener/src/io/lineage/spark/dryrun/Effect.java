package io.lineage.spark.dryrun;

/** The effect that a command would have on the rows of its target. */
enum Effect {
  /** Nothing: later statements read the same rows, or fail because the target does not exist. */
  NONE,
  /** It writes rows of a query or of files. The target has them since the job ran. */
  ADDS,
  /** It writes all rows of the target. */
  REPLACES,
  /** It removes all rows. */
  EMPTIES,
  /** It removes or changes some rows, or how they are read. */
  CHANGES
}
