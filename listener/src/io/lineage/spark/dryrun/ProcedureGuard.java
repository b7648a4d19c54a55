package io.lineage.spark.dryrun;

import io.lineage.spark.records.PlanTrees;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * A parser that rejects CALL: Spark 4 calls the procedure while it analyzes the plan, and a procedure may change any
 * table. Each Spark has another set of methods of a parser, so that this is a proxy. Rules that come before the
 * analysis exist since Spark 4.0 only, and sessions with Hive leave them out.
 */
final class ProcedureGuard implements InvocationHandler {
  private final DryRun run;
  private final ParserInterface parser;

  private ProcedureGuard(DryRun run, ParserInterface parser) {
    this.run = run;
    this.parser = parser;
  }

  static ParserInterface around(DryRun run, ParserInterface parser) {
    Class<?>[] types = {ParserInterface.class};
    ClassLoader loader = ParserInterface.class.getClassLoader();
    return (ParserInterface) Proxy.newProxyInstance(loader, types, new ProcedureGuard(run, parser));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    Object result;
    try {
      result = method.invoke(parser, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
    if (result instanceof LogicalPlan) {
      check(result);
    }
    return result;
  }

  /** Checks a plan and all statements of a script, which are not all among its children. */
  private void check(Object value) {
    if (value.getClass().getSimpleName().equals("Call")) {
      throw run.rejected("It cannot run the command CALL, which was not executed.");
    } else if (value instanceof scala.collection.Seq) {
      PlanTrees.list(value).forEach(this::check);
    } else if (value instanceof LogicalPlan || value instanceof scala.Option) {
      scala.collection.Iterator<Object> parts = ((scala.Product) value).productIterator();
      while (parts.hasNext()) {
        Object part = parts.next();
        if (part != null) {
          check(part);
        }
      }
    }
  }
}
