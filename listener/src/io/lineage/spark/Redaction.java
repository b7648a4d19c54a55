package io.lineage.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.spark.SparkConf;
import scala.Tuple2;

/** Takes secrets out of what leaves the driver: by the name of a setting, and by the look of a text. */
final class Redaction {
  static final String MARK = "*********(redacted)";

  private static final String SECRET_NAME =
      "passw|passphrase|pwd|secret|token|credential|signature|authorization|sasl\\.jaas"
          + "|(?:access|account|api|private|encryption|shared|master|sas)[._-]?key";

  private static final Pattern NAME =
      Pattern.compile(SECRET_NAME + "|(?:^|[._-])(?:key|sas|auth|sig)$", Pattern.CASE_INSENSITIVE);

  /** The user info of a URL: scheme://user:password@host. */
  private static final Pattern USER_INFO = Pattern.compile("(://)[^/?#@\\s'\"]{1,512}@");

  /** Oracle's own form: jdbc:oracle:thin:user/password@host. */
  private static final Pattern ORACLE =
      Pattern.compile("(jdbc:oracle:\\w{1,16}:)[^@/\\s'\"]{1,256}/[^@\\s'\"]{1,256}@", Pattern.CASE_INSENSITIVE);

  /**
   * A name and its value, in a URL, a connection string or SQL: password=x, "token": 'x', pwd "x" and
   * IDENTIFIED BY 'x'. A value without quotes needs a sign between: prose about a password stays. A text
   * may have been cut before the closing quote. Nothing in it may go back and forth over long texts.
   */
  private static final Pattern PAIR =
      Pattern.compile(
          "((?:" + SECRET_NAME + "|identified\\s{1,9}by)[\\w.-]{0,64}+[`'\"]?+)"
              + "(?:(\\s{0,9}(?:=>|[=:,(])?\\s{0,9})"
              + "('(?:[^'\\\\]++|\\\\.|'')*+(?:'|\\\\?$)|\"(?:[^\"\\\\]++|\\\\.)*+(?:\"|\\\\?$))"
              + "|(\\s{0,9}=\\s{0,9}|:\\s{0,9})([^\\s&;,)'\"]++))",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private final List<Pattern> names = new ArrayList<>();
  private final Pattern text;
  private final List<String> known = new ArrayList<>();

  Redaction(SparkConf conf) {
    names.add(NAME);
    addIfValid(conf.get("spark.redaction.regex", ""));
    text = compile(conf.get("spark.redaction.string.regex", ""));
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
    if (clean.indexOf('@') >= 0) {
      clean = USER_INFO.matcher(clean).replaceAll("$1" + Matcher.quoteReplacement(MARK) + "@");
      clean = ORACLE.matcher(clean).replaceAll("$1" + Matcher.quoteReplacement(MARK) + "@");
    }
    clean = pairs(clean);
    return text == null ? clean : text.matcher(clean).replaceAll(Matcher.quoteReplacement(MARK));
  }

  private static String pairs(String given) {
    Matcher matcher = PAIR.matcher(given);
    if (!matcher.find()) {
      return given;
    }
    StringBuffer clean = new StringBuffer(given.length());
    do {
      String between = matcher.group(2) != null ? matcher.group(2) : matcher.group(4);
      String quote = matcher.group(3) != null ? matcher.group(3).substring(0, 1) : "";
      matcher.appendReplacement(
          clean, Matcher.quoteReplacement(matcher.group(1) + between + quote + MARK + quote));
    } while (matcher.find());
    return matcher.appendTail(clean).toString();
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
