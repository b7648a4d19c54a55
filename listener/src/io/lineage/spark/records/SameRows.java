package io.lineage.spark.records;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import scala.Tuple2;

/**
 * Comparison of the rows of two executions of a query. Floating-point numbers may differ in their last bits, because
 * another order of the same rows gives other sums.
 */
final class SameRows {
  private static final double RELATIVE_TOLERANCE = 1e-9;

  private SameRows() {}

  /** Returns whether each expected row is among the rows, as often as it is expected. */
  static boolean contain(List<Row> rows, List<Row> expected) {
    Map<Object, Integer> exact = new HashMap<>();
    Map<Object, List<Object>> alike = new HashMap<>();
    List<Object> others = new ArrayList<>();
    rows.forEach(row -> exact.merge(value(row), 1, Integer::sum));
    for (Row row : expected) {
      Object value = value(row);
      if (exact.merge(value, -1, Integer::sum) < 0) {
        exact.merge(value, 1, Integer::sum);
        others.add(value);
      }
    }
    exact.forEach(
        (value, count) -> {
          for (int number = 0; number < count; number++) {
            alike.computeIfAbsent(withoutNumbers(value), each -> new ArrayList<>()).add(value);
          }
        });
    return others.stream().allMatch(value -> remove(alike.get(withoutNumbers(value)), value));
  }

  private static boolean remove(List<Object> candidates, Object value) {
    if (candidates == null) {
      return false;
    }
    for (Iterator<Object> each = candidates.iterator(); each.hasNext(); ) {
      if (isAlike(each.next(), value)) {
        each.remove();
        return true;
      }
    }
    return false;
  }

  /** Returns a value of Java's own collections, which compare their contents. */
  private static Object value(Object value) {
    if (value instanceof Row) {
      return values((Row) value);
    } else if (value instanceof scala.collection.Seq) {
      return values(Seqs.list(value));
    } else if (value instanceof byte[]) {
      return ByteBuffer.wrap((byte[]) value);
    } else if (!(value instanceof scala.collection.Map)) {
      return value instanceof Float ? Double.valueOf((Float) value) : value;
    }
    Map<Object, Object> entries = new HashMap<>();
    for (scala.collection.Iterator<?> each = ((scala.collection.Map<?, ?>) value).iterator(); each.hasNext(); ) {
      Tuple2<?, ?> entry = (Tuple2<?, ?>) each.next();
      entries.put(value(entry._1()), value(entry._2()));
    }
    return entries;
  }

  private static List<Object> values(Row row) {
    List<Object> result = new ArrayList<>();
    for (int index = 0; index < row.size(); index++) {
      result.add(value(row.get(index)));
    }
    return result;
  }

  private static List<Object> values(List<Object> elements) {
    List<Object> result = new ArrayList<>();
    elements.forEach(element -> result.add(value(element)));
    return result;
  }

  private static Object withoutNumbers(Object value) {
    if (value instanceof List) {
      List<Object> result = new ArrayList<>();
      ((List<?>) value).forEach(element -> result.add(withoutNumbers(element)));
      return result;
    } else if (value instanceof Map) {
      Map<Object, Object> result = new HashMap<>();
      ((Map<?, ?>) value).forEach((key, each) -> result.put(key, withoutNumbers(each)));
      return result;
    }
    return value instanceof Double ? Double.class : value;
  }

  private static boolean isAlike(Object one, Object other) {
    if (one instanceof Double && other instanceof Double) {
      double difference = Math.abs((Double) one - (Double) other);
      double larger = Math.max(Math.abs((Double) one), Math.abs((Double) other));
      return one.equals(other) || difference <= larger * RELATIVE_TOLERANCE && !Double.isInfinite(larger);
    } else if (one instanceof List && other instanceof List) {
      List<?> first = (List<?>) one;
      List<?> second = (List<?>) other;
      boolean isEqual = first.size() == second.size();
      for (int index = 0; isEqual && index < first.size(); index++) {
        isEqual = isAlike(first.get(index), second.get(index));
      }
      return isEqual;
    } else if (one instanceof Map && other instanceof Map) {
      Map<?, ?> second = (Map<?, ?>) other;
      return ((Map<?, ?>) one).entrySet().stream().allMatch(each -> isAlike(each.getValue(), second.get(each.getKey())));
    }
    return one == null ? other == null : one.equals(other);
  }
}
