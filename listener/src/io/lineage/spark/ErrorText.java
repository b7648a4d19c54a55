package io.lineage.spark;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The removal of secrets, and of literals of the statement, from texts of errors. */
final class ErrorText {
  /** A statement quoted by Spark, up to the line that points into it. */
  private static final Pattern QUOTED =
      Pattern.compile("(== SQL[^\\n]{0,200}==\\n)([\\s\\S]*?)(?=\\n\\s*\\n|\\n==|\\n\\s*[-^]|\\n\\tat |$)");

  /** A plan as a tree. The document contains it already, without literals. */
  private static final Pattern TREE =
      Pattern.compile("\\n'?[A-Z]\\w*[^\\n]*(?:\\n[ :|]*[+:]- [^\\n]*)++");

  /** The offsets and the plan of a streaming query, which Spark appends. */
  private static final Pattern STREAM =
      Pattern.compile("\\n=== Streaming Query ===[\\s\\S]*?(?=\\n\\tat |\\nCaused by|$)");

  /** The beginning of a statement quoted by other software, such as the driver of a database. */
  private static final Pattern STATEMENT =
      Pattern.compile(
          "\\b(?:SELECT\\s|INSERT\\s+INTO|UPDATE\\s+\\S+\\s+SET|DELETE\\s+FROM|MERGE\\s+INTO|VALUES\\s*\\()",
          Pattern.CASE_INSENSITIVE);

  /** A string, or one of the two parts into which a doubled quote splits it. */
  private static final Pattern STRING = Pattern.compile("'[^'\\n]*'");

  /** The minimum length of replaced literals. A shorter one may be a word of the message itself. */
  private static final int SHORTEST = 6;

  private static final Pattern PATH = Pattern.compile("[\\w+.-]{1,20}:/[\\s\\S]*|[/.~][\\s\\S]*");

  private final Redaction redaction;
  private final Set<String> literals;

  ErrorText(Redaction redaction, Set<String> literals) {
    this.redaction = redaction;
    this.literals = literals;
  }

  String of(String given) {
    if (given == null || redaction.recordsLiterals) {
      return redaction.text(given);
    }
    String clean = STREAM.matcher(given).replaceAll("");
    clean = TREE.matcher(clean).replaceAll("");
    clean = each(QUOTED, clean, quoted -> quoted.group(1) + redaction.statement(quoted.group(2)));
    clean = withoutStrings(clean);
    for (String literal : literals) {
      if (literal.length() >= SHORTEST && !PATH.matcher(literal).matches()) {
        clean = without(literal, clean);
      }
    }
    return redaction.text(clean);
  }

  /** Replaces the strings of quoted statements, each of which may extend to the stack trace. */
  private static String withoutStrings(String text) {
    Matcher statement = STATEMENT.matcher(text);
    StringBuilder clean = new StringBuilder(text.length());
    int from = 0;
    while (statement.find(from)) {
      int end = endOfStatement(text, statement.start());
      clean.append(text, from, statement.start());
      clean.append(STRING.matcher(text.substring(statement.start(), end)).replaceAll("?").replace("??", "?"));
      from = end;
    }
    return clean.append(text, from, text.length()).toString();
  }

  private static int endOfStatement(String text, int start) {
    int at = text.indexOf("\n\tat ", start);
    int cause = text.indexOf("\nCaused by", start);
    int end = at < 0 ? text.length() : at;
    return cause < 0 ? end : Math.min(end, cause);
  }

  /** Replaces a literal where it is a separate word. */
  static String without(String literal, String text) {
    int at = text.indexOf(literal);
    if (at < 0) {
      return text;
    }
    StringBuilder clean = new StringBuilder(text.length());
    int from = 0;
    for (; at >= 0; at = text.indexOf(literal, at + literal.length())) {
      int end = at + literal.length();
      if (!isWord(text, at - 1, literal.charAt(0)) && !isWord(text, end, literal.charAt(literal.length() - 1))) {
        clean.append(text, from, at).append('?');
        from = end;
      }
    }
    return clean.append(text, from, text.length()).toString();
  }

  /** Returns whether the character at this index continues the word at the edge of the literal. */
  private static boolean isWord(String text, int at, char edge) {
    return at >= 0
        && at < text.length()
        && Character.isLetterOrDigit(edge)
        && Character.isLetterOrDigit(text.charAt(at));
  }

  private interface Change {
    String of(Matcher match);
  }

  private static String each(Pattern pattern, String text, Change change) {
    Matcher matcher = pattern.matcher(text);
    StringBuilder clean = new StringBuilder(text.length());
    int from = 0;
    while (matcher.find()) {
      clean.append(text, from, matcher.start()).append(change.of(matcher));
      from = matcher.end();
    }
    return clean.append(text, from, text.length()).toString();
  }
}
