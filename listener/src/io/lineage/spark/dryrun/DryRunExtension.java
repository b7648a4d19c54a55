package io.lineage.spark.dryrun;

import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSessionExtensions;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** The class for spark.sql.extensions that replaces the commands of a dry run. */
public final class DryRunExtension extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    DryRun run = DryRun.install(SparkContext.getOrCreate());
    extensions.injectParser((session, parser) -> ProcedureGuard.around(run, parser));
    extensions.injectPostHocResolutionRule(session -> new DivertingRule(run, session));
    return BoxedUnit.UNIT;
  }
}
