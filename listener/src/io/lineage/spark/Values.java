package io.lineage.spark;

import java.net.URI;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.Option;
import scala.Product;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.util.Either;
import scala.util.Left;
import scala.util.Right;

/**
 * The writer of operators' arguments. An unknown object is written as its class name. None of its methods is
 * called, not even toString, because methods may have side effects.
 */
final class Values {
  private static final int MAX_ITEMS = 10_000;
  private static final int MAX_DEPTH = 5;
  private static final int MAX_STRING = 100_000;

  private static final Set<String> JDBC =
      new HashSet<>(Arrays.asList("query", "dbtable", "preparequery", "sessioninitstatement"));

  private final Nodes nodes;
  private final Expressions expressions;
  private final Redaction redaction;
  private final ColumnNames names;
  private final Relations relations;
  private int depth;

  Values(
      Nodes nodes,
      Expressions expressions,
      Redaction redaction,
      ColumnNames names,
      TableLocations locations) {
    this.names = names;
    this.nodes = nodes;
    this.expressions = expressions;
    this.redaction = redaction;
    this.relations = new Relations(this, nodes, redaction, locations);
  }

  /** Writes the elements of a product as fields, except the output and elements written elsewhere. */
  void elements(Product product, Set<Object> shown, Json out) {
    String[] names = ClassInfo.of(product).elements(product);
    for (int i = 0; i < names.length; i++) {
      Object element = product.productElement(i);
      if (!names[i].equals("output") && !shown.contains(element)) {
        field(names[i], element, shown, out);
      }
    }
  }

  /** Writes a field, or removes it if there is nothing to write or writing fails. */
  private void field(String name, Object value, Set<Object> shown, Json out) {
    int size = out.size();
    boolean comma = out.pendingComma();
    out.key(name);
    int start = out.size();
    boolean written;
    try {
      written = TextFields.write(name, value, names, redaction, out) || write(value, shown, out);
    } catch (Json.TooLong e) {
      throw e;
    } catch (Exception | LinkageError e) { // Scala also throws undeclared checked exceptions
      out.rewind(start, false).object().field("class", ClassInfo.of(value).fullName).endObject();
      written = true;
    }
    if (!written) {
      out.rewind(size, comma);
    }
  }

  private void field(String name, Object value, Json out) {
    field(name, value, Collections.emptySet(), out);
  }

  /** Writes one value. Returns whether there was anything to write. */
  private boolean write(Object value, Set<Object> shown, Json out) {
    if (value == null || shown.contains(value)) {
      return false;
    }
    if (value instanceof Expression) {
      return expression((Expression) value, out);
    }
    if (value instanceof LogicalPlan) {
      return plan((LogicalPlan) value, out);
    }
    return plain(value, out)
        || isContainer(value) && container(value, shown, out)
        || !isContainer(value) && (relations.write(value, out) || unknown(value, out));
  }

  private boolean expression(Expression expression, Json out) {
    int index = expressions.index(expression);
    if (index == Expressions.LEFT_OUT) {
      return false;
    }
    out.number(index);
    return true;
  }

  private boolean plan(LogicalPlan plan, Json out) {
    int index = nodes.index(plan);
    if (index == Nodes.LEFT_OUT) {
      return false;
    }
    nodes.addInner(index);
    out.object().field("plan", index).endObject();
    return true;
  }

  private boolean plain(Object value, Json out) {
    if (value instanceof String || value instanceof Path || value instanceof URI) {
      out.string(redaction.maybeStatement(capped(value.toString(), MAX_STRING)));
    } else if (value instanceof Boolean) {
      out.bool((Boolean) value);
    } else if (value instanceof Double || value instanceof Float) {
      out.object().key("value").number(((Number) value).doubleValue()).endObject();
    } else if (value instanceof Integer || value instanceof Long || value instanceof Short) {
      out.object().field("value", ((Number) value).longValue()).endObject();
    } else if (value instanceof Enum) {
      out.string(((Enum<?>) value).name());
    } else if (value instanceof StructType) {
      schema((StructType) value, out);
    } else if (value instanceof DataType) {
      out.string(((DataType) value).catalogString());
    } else {
      return false;
    }
    return true;
  }

  String text(String given) {
    return redaction.text(capped(given, MAX_STRING));
  }

  static String capped(String given, int most) {
    return given.length() <= most ? given : given.substring(0, most) + " ... (" + given.length() + ")";
  }

  private static boolean isContainer(Object value) {
    return value instanceof Option
        || value instanceof Either
        || value instanceof Tuple2
        || value instanceof scala.collection.Iterable
        || value instanceof Object[]
        || value instanceof Map
        || value instanceof CaseInsensitiveStringMap
        || value instanceof java.util.Collection;
  }

  private boolean container(Object value, Set<Object> shown, Json out) {
    if (value instanceof Option) {
      return write(((Option<?>) value).getOrElse(() -> null), shown, out);
    }
    if (value instanceof Either) {
      Object held = value instanceof Left ? ((Left<?, ?>) value).value() : ((Right<?, ?>) value).value();
      return write(held, shown, out);
    }
    if (value instanceof Tuple2 && ((Tuple2<?, ?>) value)._1() instanceof String) {
      return setting((Tuple2<?, ?>) value, out);
    }
    if (value instanceof CaseInsensitiveStringMap) {
      return map(((CaseInsensitiveStringMap) value).asCaseSensitiveMap(), out);
    }
    if (value instanceof Map) {
      return map((Map<?, ?>) value, out);
    }
    if (value instanceof scala.collection.Map) {
      return map((scala.collection.Map<?, ?>) value, out);
    }
    return items(iterator(value), shown, out);
  }

  /** Writes a name and its value, as of a SET command, as a list. */
  private boolean setting(Tuple2<?, ?> pair, Json out) {
    Object held = pair._2() instanceof Option ? ((Option<?>) pair._2()).getOrElse(() -> null) : pair._2();
    if (!(held instanceof String)) {
      return items(iterator(pair), Collections.emptySet(), out);
    }
    String name = (String) pair._1();
    out.array().string(text(name));
    out.string(redaction.value(name, capped((String) held, MAX_STRING))).endArray();
    return true;
  }

  private static java.util.Iterator<?> iterator(Object value) {
    if (value instanceof Tuple2) {
      Tuple2<?, ?> pair = (Tuple2<?, ?>) value;
      return java.util.Arrays.asList(pair._1(), pair._2()).iterator();
    }
    if (value instanceof Object[]) {
      return java.util.Arrays.asList((Object[]) value).iterator();
    }
    return value instanceof java.util.Collection
        ? ((java.util.Collection<?>) value).iterator()
        : iterator(((scala.collection.Iterable<?>) value).iterator());
  }

  private static <T> java.util.Iterator<T> iterator(Iterator<T> of) {
    return new java.util.Iterator<T>() {
      @Override
      public boolean hasNext() {
        return of.hasNext();
      }

      @Override
      public T next() {
        return of.next();
      }
    };
  }

  /** Writes a list. Rows in it are private data: they are omitted. */
  private boolean items(java.util.Iterator<?> items, Set<Object> shown, Json out) {
    out.array();
    boolean any = !items.hasNext();
    for (int count = 0; items.hasNext(); count++) {
      Object item = items.next();
      if (item instanceof InternalRow || item instanceof Row) {
        return false;
      }
      if (count == MAX_ITEMS) {
        out.object().key("more").bool(true).endObject();
        break;
      }
      any |= write(item, shown, out);
    }
    out.endArray();
    return any;
  }

  private boolean map(Map<?, ?> map, Json out) {
    out.object().key("map").object();
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      entry(entry.getKey(), entry.getValue(), out);
    }
    out.endObject().endObject();
    return true;
  }

  private boolean map(scala.collection.Map<?, ?> map, Json out) {
    out.object().key("map");
    entries(map, out);
    out.endObject();
    return true;
  }

  void entries(scala.collection.Map<?, ?> map, Json out) {
    out.object();
    Iterator<? extends Tuple2<?, ?>> entries = map.iterator();
    while (entries.hasNext()) {
      Tuple2<?, ?> entry = entries.next();
      entry(entry._1(), entry._2(), out);
    }
    out.endObject();
  }

  private void entry(Object key, Object value, Json out) {
    if (!(key instanceof String)) {
      return;
    }
    Object held = value instanceof Option ? ((Option<?>) value).getOrElse(() -> null) : value;
    if (held == null) {
      out.key((String) key).nothing();
    } else if (held instanceof String) {
      out.key((String) key).string(option((String) key, capped((String) held, MAX_STRING)));
    } else {
      field((String) key, held, out);
    }
  }

  /** Returns the redacted value of an option, which may be a statement for a database. */
  private String option(String name, String value) {
    boolean isQuery = JDBC.contains(name.toLowerCase()) && !redaction.recordsLiterals;
    return redaction.value(name, isQuery ? SqlLiterals.replacedStrings(value, null) : value);
  }

  private void schema(StructType schema, Json out) {
    out.object().key("schema").array();
    columns(schema, out);
    out.endArray().endObject();
  }

  void columns(StructType schema, Json out) {
    for (StructField field : schema.fields()) {
      out.array().string(names.of(field.name())).string(field.dataType().catalogString()).bool(field.nullable());
      if (field.getComment().isDefined()) {
        out.string(text(field.getComment().get()));
      }
      out.endArray();
    }
  }

  /** Writes the elements of Spark's own case classes, the names of its objects, and the class of others. */
  private boolean unknown(Object value, Json out) {
    ClassInfo type = ClassInfo.of(value);
    boolean opens = type.isSparks && value instanceof Product && depth < MAX_DEPTH && isPlain(type);
    if (type.isSparks && type.fullName.endsWith("$")) {
      out.string(type.simpleName);
      return true;
    }
    out.object().field("class", type.fullName);
    if (opens) {
      depth++;
      arguments((Product) value, out);
      depth--;
    }
    out.endObject();
    return true;
  }

  private void arguments(Product value, Json out) {
    int size = out.size();
    out.key("args").object();
    int empty = out.size();
    elements(value, Collections.emptySet(), out);
    if (out.size() == empty) {
      out.rewind(size, true);
    } else {
      out.endObject();
    }
  }

  /** Returns false for encoders and statistics, which are large and do not describe sources of data. */
  private static boolean isPlain(ClassInfo type) {
    return !type.fullName.contains(".encoders.") && !type.simpleName.endsWith("Statistics");
  }
}
