package io.lineage.spark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rules of redaction.txt, which lineage/redaction.py also uses. */
final class Rules {
  static final String MARK = "*********(redacted)";

  private static final String FILE = "redaction.txt";

  static final Rules ALL = read();

  final Pattern name;
  final Pattern set;
  final Pattern sql;
  private final Pattern gate;
  private final List<Pattern> texts = new ArrayList<>();
  private final Map<String, String> blanks = new HashMap<>();

  private Rules(Map<String, List<String>> byKind) {
    blanks.put("{word}", String.join("|", byKind.get("word")));
    blanks.put("{last}", String.join("|", byKind.get("last")));
    blanks.put("{mark}", Pattern.quote(MARK));
    blanks.put("{end}", "(?![\\s\\S])");
    List<String> names = byKind.get("name");
    names.add("{word}");
    names.add("(?:^|[._-])(?:{last})(?![\\s\\S])");
    name = compile(String.join("|", names));
    set = compile(byKind.get("set").get(0));
    sql = compile(byKind.get("sql").get(0));
    gate = compile(byKind.get("gate").get(0));
    byKind.get("text").forEach(rule -> texts.add(compile(rule)));
  }

  private static Rules read() {
    Map<String, List<String>> byKind = new HashMap<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                Rules.class.getResourceAsStream(FILE), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isEmpty() && line.charAt(0) != '#') {
          int space = line.indexOf(' ');
          byKind
              .computeIfAbsent(line.substring(0, space), kind -> new ArrayList<>())
              .add(line.substring(space + 1));
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException("The listener's jar does not contain " + FILE, e);
    }
    return new Rules(Collections.unmodifiableMap(byKind));
  }

  private Pattern compile(String rule) {
    String filled = rule;
    for (Map.Entry<String, String> blank : blanks.entrySet()) {
      filled = filled.replace(blank.getKey(), blank.getValue());
    }
    return Pattern.compile(filled, Pattern.CASE_INSENSITIVE);
  }

  /** Replaces passwords, tokens, keys and signatures in a text by the mark. */
  String text(String given) {
    if (!gate.matcher(given).find()) {
      return given;
    }
    String clean = given;
    for (Pattern rule : texts) {
      clean = replaced(rule, clean);
    }
    return clean;
  }

  private static String replaced(Pattern rule, String given) {
    Matcher matcher = rule.matcher(given);
    if (!matcher.find()) {
      return given;
    }
    StringBuilder clean = new StringBuilder(given.length());
    int from = 0;
    do {
      clean.append(given, from, matcher.start());
      clean.append(group(matcher, 1)).append(MARK).append(group(matcher, 2));
      from = matcher.end();
    } while (matcher.find());
    return clean.append(given, from, given.length()).toString();
  }

  private static String group(Matcher matcher, int number) {
    return matcher.groupCount() < number ? "" : matcher.group(number);
  }
}
