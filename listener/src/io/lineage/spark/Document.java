package io.lineage.spark;

/** A plan document; it is written on the encoder's thread, after the event that it describes. */
interface Document {
  /** Writes the document; if that fails, it is called again without plans, which can hardly fail. */
  void write(Json json, boolean withPlans);
}
