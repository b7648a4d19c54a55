package io.lineage.spark;

/** One plan document; it is written on the encoder's thread, after the event that it tells of. */
interface Document {
  /** Writes all; where that failed it is called again for what can hardly fail, without plans. */
  void write(Json json, boolean withPlans);
}
