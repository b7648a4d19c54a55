package io.lineage.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.spark.SparkConf;
import scala.Tuple2;

/**
 * The removal of secrets from data that leaves the driver, by the names of settings and by patterns in texts.
 * The patterns are those of {@link Rules}, spark.redaction.regex, spark.redaction.string.regex, and the values
 * of secret settings.
 */
final class Redaction {
  static final String MARK = Rules.MARK;

  /** An apostrophe within an English word, such as "team's" or "don't". */
  private static final Pattern APOSTROPHE =
      Pattern.compile("(?<=[a-z]{2})'(?=(?:s|t|re|ve|ll|d|m)\\b)", Pattern.CASE_INSENSITIVE);

  private final List<Pattern> names = new ArrayList<>();
  private final Pattern text;
  private final List<String> known = new ArrayList<>();

  /** Whether literals of SQL statements are recorded. */
  final boolean recordsLiterals;

  Redaction(SparkConf conf) {
    names.add(Rules.ALL.name);
    addIfValid(conf.get("spark.redaction.regex", ""));
    text = compile(conf.get("spark.redaction.string.regex", ""));
    recordsLiterals = "true".equalsIgnoreCase(conf.get(Settings.SQL_LITERALS, "").trim());
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

  /** Returns the redacted value of a setting. */
  String value(String name, String value) {
    return value != null && !value.isEmpty() && isSecret(name) ? MARK : text(value);
  }

  /** Returns the redacted text. */
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

  /** Returns the redacted SQL statement. */
  String statement(String given) {
    if (given == null || recordsLiterals) {
      return text(given);
    }
    String clean = SqlLiterals.replaced(given, this);
    for (String secret : known) {
      clean = clean.replace(secret, MARK);
    }
    return clean;
  }

  /** Redacts a text that may be a statement, such as an argument of a command. */
  String maybeStatement(String given) {
    return given != null && SqlLiterals.isStatement(given) ? statement(given) : text(given);
  }

  /** Redacts a job description: a statement, or words that begin like one: `load with token=…`. */
  String description(String given) {
    if (given == null || given.chars().filter(letter -> letter == '\'').count() % 2 == 0) {
      return text(maybeStatement(given));
    }
    // in "INSERT into the team's table" an unpaired quote does not start a literal
    String words = APOSTROPHE.matcher(given).replaceAll("\uffff");
    return text(maybeStatement(words)).replace('\uffff', '\'');
  }

  /** Returns whether the value is unlikely to occur in other texts, as `true` or `none` do. */
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
      return null; // Spark itself rejects an invalid pattern on first use
    }
  }
}
