package io.lineage.spark;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;

/**
 * Names of columns. One that Spark made of an expression has its literals in it: `aes_encrypt(v, KEY)`.
 * They are replaced, and what became of a name is remembered for where the same column is read again.
 */
final class ColumnNames {
  private static final int MOST = 10_000;

  /** f(…), (a + b), CASE WHEN … END: how Spark names what has no name. `Total (EUR)` is somebody's own. */
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

  /** The name of an expression: of most it is a plain word. */
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
    return !redaction.keepsLiterals && GENERATED.matcher(name).matches();
  }

  /** The name of a column, as it is known by now. */
  String of(String name) {
    if (isPlain(name)) {
      return name;
    }
    String clean = known.get(name);
    return clean != null ? clean : redaction.text(name);
  }

  /** Without a parenthesis, a quote or a sign it is no expression. */
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
