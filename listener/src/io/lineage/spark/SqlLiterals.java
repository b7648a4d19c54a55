package io.lineage.spark;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The literals of SQL statements, which are data and may be keys and passwords. */
final class SqlLiterals {
  /** The first word of a statement, followed by white space. */
  private static final Pattern STATEMENT =
      Pattern.compile(
          "(?:\\s|--[^\\n]*\\n|/\\*[\\s\\S]*?\\*/|\\()*(?:SELECT|WITH|FROM|VALUES|INSERT|UPDATE|DELETE"
              + "|MERGE|REPLACE|CREATE|ALTER|DROP|SET|DECLARE|EXECUTE|CALL|COPY|GRANT|ADD|BEGIN|EXPLAIN"
              + "|DESCRIBE|SHOW|CACHE|USE|ANALYZE|REFRESH|TRUNCATE|LOAD|MSCK|COMMENT)\\s",
          Pattern.CASE_INSENSITIVE);

  /** Databases that allow strings in double quotes, with quotes escaped by backslashes. */
  private static final Pattern OF_MYSQL =
      Pattern.compile("\\s*jdbc:(?:mysql|mariadb|hive2|spark|databricks|bigquery|clickhouse|ch):", 2);

  private static final Pattern STRING = Pattern.compile("'[^']*(?:''[^']*)*(?:'|$)");
  private static final Pattern STRING_OF_MYSQL =
      Pattern.compile(
          "'[^'\\\\]*(?:(?:\\\\[\\s\\S]|'')[^'\\\\]*)*(?:'|\\\\?$)"
              + "|\"[^\"\\\\]*(?:(?:\\\\[\\s\\S]|\"\")[^\"\\\\]*)*(?:\"|\\\\?$)");

  private SqlLiterals() {}

  static boolean isStatement(String text) {
    return STATEMENT.matcher(text).lookingAt();
  }

  /** Returns the statement without comments and with ? in place of its literals. */
  static String replaced(String statement, Redaction redaction) {
    Matcher set = Rules.ALL.set.matcher(statement);
    if (set.matches()) {
      return tokens(set.group(1), redaction) + "?";
    }
    return tokens(statement, redaction);
  }

  private static String tokens(String statement, Redaction redaction) {
    Matcher token = Rules.ALL.sql.matcher(statement);
    StringBuilder clean = new StringBuilder(statement.length());
    int from = 0;
    while (token.find()) {
      clean.append(statement, from, token.start());
      if (token.group(2) != null) {
        clean.append('?');
      } else if (token.group(3) != null) {
        clean.append(redaction.text(token.group(3)));
      }
      from = token.end();
    }
    return clean.append(statement, from, statement.length()).toString();
  }

  /**
   * Returns the statement of a database with '?' in place of its strings. It remains valid, because it is later
   * parsed for its tables and columns. Numbers are not replaced, because GROUP BY 1 refers to a column.
   */
  static String replacedStrings(String statement, String url) {
    Pattern string = url != null && OF_MYSQL.matcher(url).lookingAt() ? STRING_OF_MYSQL : STRING;
    return string.matcher(statement).replaceAll("'?'");
  }

  /** Adds the strings of a statement that messages may quote, except the messages of raise_error. */
  static void collect(String statement, Set<String> literals) {
    Matcher token = Rules.ALL.sql.matcher(statement);
    while (token.find()) {
      String literal = token.group(2);
      if (literal != null && !isRaised(statement, token.start())) {
        int close = literal.length() - 1;
        int open = literal.indexOf(literal.charAt(close)); // a number has no quotes
        if (open < close) {
          literals.add(literal.substring(open + 1, close));
        }
      }
    }
  }

  private static boolean isRaised(String statement, int at) {
    String before = statement.substring(Math.max(0, at - 40), at).toLowerCase();
    return before.matches("[\\s\\S]*(?:raise_error|assert_true)\\s*\\([^'\"]*");
  }
}
