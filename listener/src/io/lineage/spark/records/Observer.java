package io.lineage.spark.records;

import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Is called for each operator while a plan is rewritten, and may add operators. */
interface Observer {
  Observer NONE =
      new Observer() {
        @Override
        public void enter(LogicalPlan operator) {}

        @Override
        public Provenance observe(LogicalPlan operator, Provenance rewritten) {
          return rewritten;
        }

        @Override
        public Provenance filter(Filter filter, Provenance input) {
          return input;
        }
      };

  /** Is called before the inputs of an operator. */
  void enter(LogicalPlan operator);

  /** Returns the rewritten operator, possibly with further operators above. */
  Provenance observe(LogicalPlan operator, Provenance rewritten);

  /** Returns the rewritten input of a filter, possibly with further operators above. */
  Provenance filter(Filter filter, Provenance input);
}
