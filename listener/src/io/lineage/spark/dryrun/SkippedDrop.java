package io.lineage.spark.dryrun;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalog;

/**
 * The catalog of the tables for one call: its dropTable does nothing and puts the catalog itself back. The catalog that
 * reports events reads its delegate after it has reported that a table is going to be dropped.
 */
final class SkippedDrop implements InvocationHandler {
  private final Object reporting;
  private final Field delegate;
  private final Object catalog;

  private SkippedDrop(Object reporting, Field delegate, Object catalog) {
    this.reporting = reporting;
    this.delegate = delegate;
    this.catalog = catalog;
  }

  /** Skips the drop that was reported last. Returns false if this Spark does not allow it. */
  static synchronized boolean install(Object reporting) {
    try {
      Field delegate = reporting.getClass().getDeclaredField("delegate");
      delegate.setAccessible(true);
      Object catalog = delegate.get(reporting);
      boolean isInstalled = Proxy.isProxyClass(catalog.getClass());
      if (!isInstalled) {
        InvocationHandler handler = new SkippedDrop(reporting, delegate, catalog);
        Class<?>[] types = {ExternalCatalog.class};
        delegate.set(reporting, Proxy.newProxyInstance(ExternalCatalog.class.getClassLoader(), types, handler));
      }
      return true;
    } catch (ReflectiveOperationException | RuntimeException e) {
      return false;
    }
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("dropTable")) {
      delegate.set(reporting, catalog);
      return null;
    }
    try {
      return method.invoke(catalog, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
