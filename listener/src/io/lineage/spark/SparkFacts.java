package io.lineage.spark;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import scala.Option;
import scala.util.Success;
import scala.util.Try;

/**
 * Access to members that differ between Spark 3.5 and the lines of Spark 4. Lazy values are read without their
 * computation, because the listener must not start work in Spark. Each member is looked up once.
 */
final class SparkFacts {
  private static final Map<String, Optional<Method>> METHODS = new ConcurrentHashMap<>();
  private static final Map<String, Optional<Field>> FIELDS = new ConcurrentHashMap<>();

  private SparkFacts() {}

  /**
   * Returns the analyzed plan of an execution. Commands that ran before are replaced by their results, so that
   * an action on the result of a command is not recorded as the command. Returns null if analysis failed;
   * Spark 4.3 creates an execution in this case too.
   */
  static LogicalPlan analyzed(QueryExecution execution) {
    Object executed = computed(execution, "commandExecuted");
    Object plan = executed != null ? executed : computed(execution, "analyzed");
    return (LogicalPlan) plan;
  }

  /** Returns the physical plan; null if planning failed or has not completed. */
  static SparkPlan executedPlan(QueryExecution execution) {
    return (SparkPlan) computed(execution, "executedPlan");
  }

  /** Returns the id of an execution's session. */
  static String session(QueryExecution execution) {
    return String.valueOf(get(SparkReflection.session(execution), "sessionUUID"));
  }

  /**
   * Returns the result of a method without arguments, or null if this Spark does not have the method. Options
   * are unwrapped.
   */
  static Object get(Object object, String member) {
    Optional<Method> method =
        METHODS.computeIfAbsent(
            object.getClass().getName() + "." + member, name -> method(object.getClass(), member));
    try {
      return method.isPresent() ? opened(method.get().invoke(object)) : null;
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** Returns a lazy value of QueryExecution if it is computed. In Spark 4 it is in a LazyTry. */
  private static Object computed(QueryExecution execution, String name) {
    Object value = field(execution, QueryExecution.class, name);
    if (value != null) {
      return value;
    }
    Object lazy = field(execution, QueryExecution.class, "lazy" + capitalised(name));
    Object result = lazy == null ? null : field(lazy, lazy.getClass(), "tryT");
    return result instanceof Success ? ((Try<?>) result).get() : null;
  }

  /** Returns the value of a field, or null if this Spark does not have the field. */
  static Object field(Object object, Class<?> declaring, String name) {
    Optional<Field> field =
        FIELDS.computeIfAbsent(declaring.getName() + "." + name, key -> field(declaring, name));
    try {
      return field.isPresent() ? field.get().get(object) : null;
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** Returns the first value that is not null of these fields, in the class or a superclass; else null. */
  static Object held(Object object, String... names) {
    for (String name : names) {
      for (Class<?> type = object == null ? null : object.getClass();
          type != null;
          type = type.getSuperclass()) {
        Object value = field(object, type, name);
        if (value != null) {
          return opened(value);
        }
      }
    }
    return null;
  }

  private static Optional<Field> field(Class<?> declaring, String name) {
    try {
      Field field = declaring.getDeclaredField(name);
      field.setAccessible(true);
      return Optional.of(field);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return Optional.empty();
    }
  }

  private static Optional<Method> method(Class<?> type, String name) {
    try {
      Method method = type.getMethod(name);
      method.setAccessible(true);
      return Optional.of(method);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return Optional.empty();
    }
  }

  private static Object opened(Object value) {
    return value instanceof Option ? ((Option<?>) value).getOrElse(() -> null) : value;
  }

  private static String capitalised(String name) {
    return Character.toUpperCase(name.charAt(0)) + name.substring(1);
  }
}
