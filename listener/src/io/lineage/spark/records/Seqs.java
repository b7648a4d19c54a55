package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.collection.immutable.Nil$;

/** Conversions between lists of Java and sequences of Scala, for every version of Scala. */
final class Seqs {
  private Seqs() {}

  /** Returns a list that is a Seq of Scala 2.12, and an immutable Seq of Scala 2.13. */
  @SuppressWarnings("unchecked")
  static scala.collection.immutable.List<Object> of(List<?> elements) {
    scala.collection.immutable.List<Object> result =
        (scala.collection.immutable.List<Object>) (Object) Nil$.MODULE$;
    for (int index = elements.size() - 1; index >= 0; index--) {
      result = result.$colon$colon(elements.get(index));
    }
    return result;
  }

  static scala.collection.immutable.List<Object> of(Object... elements) {
    return of(Arrays.asList(elements));
  }

  /** Returns the elements of a sequence, which the caller knows to be of this type. */
  @SuppressWarnings("unchecked")
  static <T> List<T> list(Object seq) {
    List<T> result = new ArrayList<>();
    for (Iterator<?> each = ((Seq<?>) seq).iterator(); each.hasNext(); ) {
      result.add((T) each.next());
    }
    return result;
  }

  /** Returns one list of all elements. */
  @SafeVarargs
  static <T> List<T> concat(List<? extends T>... lists) {
    List<T> result = new ArrayList<>();
    for (List<? extends T> list : lists) {
      result.addAll(list);
    }
    return result;
  }
}
