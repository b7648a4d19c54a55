package io.lineage.spark;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of columns, without literals. A name that Spark generates for an expression contains its literals:
 * `aes_encrypt(v, KEY)`. Possible literals are replaced by ?. The result depends on the name alone: the writer of a
 * file and its readers, which do not know the expression, report the same column.
 */
final class ColumnNames {
  private static final int FLAGS = Pattern.UNICODE_CHARACTER_CLASS;

  /** f(…), f(…)[0], f(…).field, f(…) OVER (…) and (a = b). `Total (EUR)` is a user's name. */
  private static final Pattern CALL =
      Pattern.compile("([\\w<>.$]*\\()[\\s\\S]*[)\\]](\\.[\\w.]+)?", FLAGS);

  private static final Pattern CASE = Pattern.compile("CASE [\\s\\S]* END");
  private static final Pattern LIKE =
      Pattern.compile("[\\s\\S]* (I?LIKE(?: ALL| ANY)?) [\\s\\S]*");

  private final Redaction redaction;

  ColumnNames(Redaction redaction) {
    this.redaction = redaction;
  }

  /** Returns the name of a column without literals. */
  String of(String name) {
    return isPlain(name) ? name : redaction.text(redaction.recordsLiterals ? name : replaced(name));
  }

  private static String replaced(String name) {
    Matcher call = CALL.matcher(name);
    if (call.matches()) {
      String kept = GeneratedNames.withoutLiterals(name);
      String field = call.group(2) == null ? "" : call.group(2);
      return kept.equals(GeneratedNames.MARK) ? call.group(1) + "?)" + field : kept;
    }
    if (CASE.matcher(name).matches()) {
      return "CASE ? END";
    }
    Matcher like = LIKE.matcher(name);
    return like.matches() ? "? " + like.group(1) + " ?" : name;
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
