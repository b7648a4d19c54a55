package io.lineage.spark;

/** A plan document, which the encoder's thread writes after the event that it describes. */
interface Document {
  /** Writes the document. If that fails, it is called again without plans, the likely cause of the failure. */
  void write(Json json, boolean withPlans);
}
