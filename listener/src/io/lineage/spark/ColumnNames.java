package io.lineage.spark;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;

/**
 * The names of columns, without literals. A name that Spark generates for an expression contains its literals:
 * `aes_encrypt(v, KEY)`. Replaced names are stored, so that a column has the same name in each operator.
 */
final class ColumnNames {
  private static final int MOST = 10_000;

  /** Spark's names of unnamed expressions: f(…), (a + b), CASE WHEN … END. `Total (EUR)` is a user's name. */
  private static final Pattern GENERATED =
      Pattern.compile(
          "(?:\\w+\\(|\\(|CASE |NOT )[\\s\\S]*(?:[)\\]]|END|\\.\\w+)"
              + "|[\\s\\S]* (?:LIKE|ILIKE|RLIKE|IN|AND|OR|IS) [\\s\\S]*");

  private final Redaction redaction;
  private final Map<String, String> known =
      new LinkedHashMap<String, String>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > MOST;
        }
      };

  ColumnNames(Redaction redaction) {
    this.redaction = redaction;
  }

  /** Returns the name of an expression without the literals that Spark copies into it. */
  String of(NamedExpression named) {
    String name = named.name();
    if (isPlain(name)) {
      return name;
    }
    if (named instanceof Alias && isGenerated(name) && !known.containsKey(name)) {
      String clean = name;
      for (String literal : Literals.of(((Alias) named).child())) {
        clean = literal.isEmpty() ? clean : ErrorText.without(literal, clean);
      }
      if (!clean.equals(name)) {
        known.put(name, redaction.text(clean));
      }
    }
    return of(name);
  }

  private boolean isGenerated(String name) {
    return !redaction.recordsLiterals && GENERATED.matcher(name).matches();
  }

  /** Returns the name of a column, replaced if it has been replaced before. */
  String of(String name) {
    if (isPlain(name)) {
      return name;
    }
    String clean = known.get(name);
    return clean != null ? clean : redaction.text(name);
  }

  /** Returns whether the name has no character of an expression, such as a parenthesis or a quote. */
  private static boolean isPlain(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c <= ' ' || "()'\"=@:".indexOf(c) >= 0) {
        return false;
      }
    }
    return true;
  }
}
