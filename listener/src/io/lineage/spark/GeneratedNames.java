package io.lineage.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The replacement of possible literals in the text of an expression. Spark prints strings without quotes: a literal
 * may look like the name of a column. The position decides. A name remains where no string is useful: as the only
 * argument of a function, as the first argument of functions such as `round`, and in arithmetic.
 */
final class GeneratedNames {
  static final String MARK = "?";

  private static final int FLAGS = Pattern.UNICODE_CHARACTER_CLASS;

  /** The recursion over a longer name could exhaust the stack. */
  private static final int MOST = 500;

  private static final Pattern WORD = Pattern.compile("[\\w.]+", FLAGS);
  private static final Pattern CALL = Pattern.compile("([\\w<>.$]*)\\(([\\s\\S]*)\\)", FLAGS);
  private static final Pattern PART =
      Pattern.compile("([\\s\\S]*[)\\]])(?:(\\.[\\w.]+)|\\[([^\\[\\]]*)\\])", FLAGS);
  private static final Pattern OVER = Pattern.compile("([\\s\\S]*\\)) OVER \\(([\\s\\S]*)\\)");
  private static final Pattern FILTER = Pattern.compile("([\\s\\S]*\\)) FILTER \\(WHERE [\\s\\S]*\\)");
  private static final Pattern AS = Pattern.compile("([\\s\\S]*) AS (\\w+(?:\\([\\d,]*\\))?)", FLAGS);

  /** The columns, directions and bounds of a window. */
  private static final Pattern WINDOW = Pattern.compile("(?:[\\w.]++(?:\\$\\(\\))?| -\\d{1,3}|[, ])*", FLAGS);

  /** A user's name in the form of a call: `Price(EUR)`, `Speed(km/h)`, `Price(per kg)`, but not `TRIM(BOTH a FROM b)`. */
  private static final Pattern UNIT =
      Pattern.compile("\\p{Lu}(?:[\\w.]*\\([\\w.$\u20ac%/-]+|\\p{Ll}[\\w.]*\\((?![^)]* I?LIKE )[\\w.$\u20ac%/ -]+)\\)", FLAGS);

  /** A unit behind a name: `speed(km/h)`, `temp(\u00b0C)`, `area(m\u00b2)`. */
  private static final Pattern SYMBOL =
      Pattern.compile("\\w+ ?\\((?=[^)]*[\u00b0%$\u20ac\u00a3/\u00b2\u00b3])[\\p{L}\u00b0%$\u20ac\u00a3]{1,4}(?:/\\p{L}{1,4})?[\u00b2\u00b3]?\\)", FLAGS);

  /** Numbers of digits and positions, fractions, paths in JSON and formats of dates. They are no data. */
  private static final Pattern SETTING =
      Pattern.compile("-?\\d{1,3}|0\\.\\d{1,4}|\\$(?:\\.[A-Za-z_]\\w{0,30})+|[yMdHhmsS:/. -]+|true|false|NULL");

  private static final Pattern OPERATOR = Pattern.compile(" (?:[-+*/%]|div) ");

  /** Functions of columns only. */
  private static final Set<String> OF_COLUMNS =
      names(
          "arrays_zip array_except array_intersect array_union atan2 corr count covar_pop covar_samp date_diff"
              + " date_trunc datediff greatest hypot least map_from_arrays max_by min_by mod months_between pmod"
              + " pow power struct");

  /** Functions of a column, with settings. */
  private static final Set<String> OF_A_COLUMN =
      names(
          "add_months aes_decrypt aes_encrypt approx_count_distinct approx_percentile array_contains array_join"
              + " any_value bround ceil coalesce date_add date_format date_sub element_at first first_value floor hash"
              + " from_json from_unixtime from_utc_timestamp get_json_object ifnull instr lag last last_value lead left"
              + " lpad ltrim mask nth_value nullif nvl percentile percentile_approx regexp_extract regexp_replace"
              + " replace right round rpad rtrim sha2 slice sort_array split split_part substr substring to_char to_date"
              + " to_number to_timestamp to_utc_timestamp translate trunc unix_timestamp xxhash64");

  private static final Set<String> AGGREGATES =
      names(
          "any_value approx_count_distinct approx_percentile avg bool_and bool_or collect_list collect_set corr count"
              + " count_if covar_pop covar_samp first first_value kurtosis last last_value max max_by mean median min"
              + " min_by mode percentile percentile_approx skewness std stddev stddev_pop stddev_samp sum try_avg try_sum"
              + " var_pop var_samp variance");

  /** Functions that make data of a string. Only an expression remains as their argument. */
  private static final Set<String> OF_LITERALS =
      names("assert_true base64 getvariable hex parse_json raise_error secret to_binary unbase64 unhex");

  /** Functions whose result is the argument in another form. */
  private static final Set<String> OF_TEXT =
      names("CAST TRY_CAST base64 binary hex lower ltrim reverse rtrim string trim unbase64 unhex upper");

  private GeneratedNames() {}

  /** Returns the text without possible literals; ? if nothing of it remains. */
  static String withoutLiterals(String text) {
    return text.length() > MOST || isConstantCast(text) ? MARK : column(text);
  }

  /** Returns whether a string is cast. The cast of a column has the name of the column. */
  private static boolean isConstantCast(String text) {
    Matcher call = CALL.matcher(text);
    if (!call.matches() || !call.group(1).equals("CAST") && !call.group(1).equals("TRY_CAST")) {
      return false;
    }
    Matcher as = AS.matcher(call.group(2));
    return !as.matches() || !as.group(1).endsWith(")") || isWord(as.group(1));
  }

  /** Returns whether the text is a word, maybe in another form: `lower(CAST(a AS STRING))`. It may be a string. */
  private static boolean isWord(String text) {
    Matcher call = CALL.matcher(text);
    if (!call.matches() || !OF_TEXT.contains(call.group(1))) {
      return WORD.matcher(text).matches();
    }
    Matcher as = AS.matcher(call.group(2));
    return isWord(as.matches() ? as.group(1) : call.group(2));
  }

  /** Returns the text of a column, or of an expression of columns, without literals. */
  private static String column(String text) {
    if (WORD.matcher(text).matches() || UNIT.matcher(text).matches() || SYMBOL.matcher(text).matches()) {
      return text;
    }
    if (text.startsWith("- ")) {
      return "- " + column(text.substring(2));
    }
    Matcher call = CALL.matcher(text);
    if (call.matches() && isBalanced(call.group(2))) {
      String inner = call.group(2);
      return call.group(1) + "(" + (call.group(1).isEmpty() ? terms(inner) : arguments(call.group(1), inner)) + ")";
    }
    Matcher over = OVER.matcher(text);
    if (over.matches() && isBalanced(over.group(2))) {
      boolean isKept = WINDOW.matcher(over.group(2)).matches();
      return column(over.group(1)) + " OVER (" + (isKept ? over.group(2) : MARK) + ")";
    }
    Matcher filter = FILTER.matcher(text);
    if (filter.matches() && isBalanced(filter.group(1))) {
      return column(filter.group(1)) + " FILTER (WHERE ?)";
    }
    return part(text);
  }

  /** Returns an access to a field or an element: `f(…).field`, `f(…)[0]`. */
  private static String part(String text) {
    Matcher part = PART.matcher(text);
    if (!part.matches() || !isBalanced(part.group(1))) {
      return MARK;
    }
    String of = column(part.group(1));
    if (of.equals(MARK)) {
      return MARK;
    }
    return part.group(2) != null ? of + part.group(2) : of + "[" + setting(part.group(3)) + "]";
  }

  /**
   * Returns the operands of arithmetic. All other operations may have a literal: `(a = b)`. A string in it may have
   * the text of an operator: `(a = b - c)`.
   */
  private static String terms(String text) {
    StringBuilder kept = new StringBuilder();
    int start = 0;
    Matcher operator = OPERATOR.matcher(text);
    while (operator.find()) {
      String operand = text.substring(start, operator.start());
      if (isBalanced(operand)) {
        String column = column(operand);
        if (column.equals(MARK)) {
          return MARK;
        }
        kept.append(column).append(operator.group());
        start = operator.end();
      }
    }
    String last = column(text.substring(start));
    return last.equals(MARK) ? MARK : kept.append(last).toString();
  }

  private static String arguments(String function, String text) {
    String distinct = text.startsWith("DISTINCT ") ? "DISTINCT " : "";
    List<String> arguments = split(text.substring(distinct.length()));
    String known = isAggregate(arguments.get(0)) ? withoutPivot(function) : function;
    boolean isOfColumns = OF_COLUMNS.contains(known);
    boolean isOfAColumn =
        OF_A_COLUMN.contains(known)
            || arguments.size() == 1 && !(OF_LITERALS.contains(function) && isWord(text));
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      boolean isCertain = known.equals(function) || isAggregate(argument);
      boolean isColumn = (isOfColumns || isOfAColumn && i == 0) && isCertain;
      arguments.set(i, isColumn ? named(argument) : isOfAColumn ? setting(argument) : MARK);
    }
    return distinct + String.join(", ", arguments);
  }

  /**
   * Returns the name of a function without the value of a pivot before it: `round` for `A_round(sum(amount), 2)`. A user's
   * function may have such a name, too. Of its arguments only aggregates remain.
   */
  private static String withoutPivot(String function) {
    String known = function;
    while (!OF_A_COLUMN.contains(known) && !OF_COLUMNS.contains(known)) {
      int end = known.indexOf('_');
      if (end < 0) {
        return function;
      }
      known = known.substring(end + 1);
    }
    return known;
  }

  private static boolean isAggregate(String argument) {
    Matcher call = CALL.matcher(argument);
    return call.matches() && AGGREGATES.contains(call.group(1)) && isBalanced(call.group(2));
  }

  /** Returns an argument, which may have a type or a name: `a AS INT`. */
  private static String named(String argument) {
    Matcher as = AS.matcher(argument);
    return as.matches() ? column(as.group(1)) + " AS " + as.group(2) : argument.isEmpty() ? "" : column(argument);
  }

  private static String setting(String argument) {
    return SETTING.matcher(argument).matches() ? argument : MARK;
  }

  /** Returns the arguments, divided at the commas that are not within parentheses. */
  private static List<String> split(String text) {
    List<String> arguments = new ArrayList<>();
    int start = 0;
    for (int comma = text.indexOf(", "); comma >= 0; comma = text.indexOf(", ", comma + 2)) {
      if (isBalanced(text.substring(start, comma))) {
        arguments.add(text.substring(start, comma));
        start = comma + 2;
      }
    }
    arguments.add(text.substring(start));
    return arguments;
  }

  private static boolean isBalanced(String text) {
    int depth = 0;
    for (int i = 0; i < text.length() && depth >= 0; i++) {
      char c = text.charAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
    return depth == 0;
  }

  private static Set<String> names(String list) {
    return new HashSet<>(Arrays.asList(list.split(" ")));
  }
}
