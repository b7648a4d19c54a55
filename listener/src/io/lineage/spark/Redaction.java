package io.lineage.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.spark.SparkConf;
import scala.Tuple2;

/**
 * Takes secrets out of what leaves the driver: by the name of a setting, and by the look of a text. The
 * list is that of {@link Rules}; spark.redaction.regex, its companion for texts and the values of secret
 * settings add to it.
 */
final class Redaction {
  static final String MARK = Rules.MARK;

  /** Within an English word, such as "team's" or "don't". */
  private static final Pattern APOSTROPHE =
      Pattern.compile("(?<=[a-z]{2})'(?=(?:s|t|re|ve|ll|d|m)\\b)", Pattern.CASE_INSENSITIVE);

  private final List<Pattern> names = new ArrayList<>();
  private final Pattern text;
  private final List<String> known = new ArrayList<>();

  /** Are the literals of SQL statements kept? */
  final boolean keepsLiterals;

  Redaction(SparkConf conf) {
    names.add(Rules.ALL.name);
    addIfValid(conf.get("spark.redaction.regex", ""));
    text = compile(conf.get("spark.redaction.string.regex", ""));
    keepsLiterals = "true".equalsIgnoreCase(conf.get(Settings.SQL_LITERALS, "").trim());
    for (Tuple2<String, String> setting : conf.getAll()) {
      if (isSecret(setting._1) && looksSecret(setting._2)) {
        known.add(setting._2);
      }
    }
  }

  boolean isSecret(String name) {
    for (Pattern pattern : names) {
      if (pattern.matcher(name).find()) {
        return true;
      }
    }
    return false;
  }

  /** The value of a setting as it may be shown. */
  String value(String name, String value) {
    return value != null && !value.isEmpty() && isSecret(name) ? MARK : text(value);
  }

  /** Any text as it may be shown. */
  String text(String given) {
    if (given == null || given.isEmpty()) {
      return given;
    }
    String clean = given;
    for (String secret : known) {
      clean = clean.replace(secret, MARK);
    }
    clean = Rules.ALL.text(clean);
    return text == null ? clean : text.matcher(clean).replaceAll(Matcher.quoteReplacement(MARK));
  }

  /** A SQL statement as it may be shown. */
  String statement(String given) {
    if (given == null || keepsLiterals) {
      return text(given);
    }
    String clean = SqlLiterals.replaced(given, this);
    for (String secret : known) {
      clean = clean.replace(secret, MARK);
    }
    return clean;
  }

  /** A text that may be a statement: an argument of a command. */
  String maybeStatement(String given) {
    return given != null && SqlLiterals.isStatement(given) ? statement(given) : text(given);
  }

  /** What somebody calls a job: a statement, or words that only begin like one: `load with token=…`. */
  String description(String given) {
    if (given == null || given.chars().filter(letter -> letter == '\'').count() % 2 == 0) {
      return text(maybeStatement(given));
    }
    // "INSERT into the team's table" has a quote without its partner: no literal begins with it
    String words = APOSTROPHE.matcher(given).replaceAll("\uffff");
    return text(maybeStatement(words)).replace('\uffff', '\'');
  }

  /** Values such as `true` or `none` stand in many places that are no secret. */
  private static boolean looksSecret(String value) {
    return value.length() >= 6 && !value.contains("${") && !value.startsWith("org.apache.");
  }

  private void addIfValid(String regex) {
    Pattern pattern = compile(regex);
    if (pattern != null) {
      names.add(pattern);
    }
  }

  private static Pattern compile(String regex) {
    try {
      return regex.isEmpty() ? null : Pattern.compile(regex);
    } catch (PatternSyntaxException e) {
      return null; // Spark itself refuses a wrong one when it first uses it
    }
  }
}
