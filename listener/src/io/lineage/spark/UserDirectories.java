package io.lineage.spark;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.function.Function;

/**
 * The user's home, and the spool where none is named: by the rule of lineage/settings.py, so that the
 * driver and the command of one user have one place. It uses nothing of Spark.
 */
final class UserDirectories {
  private final Function<String, String> environment;
  private final String ofAccount;

  /** The second is user.home: the JVM takes it from the account, and has ? where there is none. */
  UserDirectories(Function<String, String> environment, String ofAccount) {
    this.environment = environment;
    this.ofAccount = ofAccount;
  }

  static UserDirectories ofProcess() {
    return new UserDirectories(System::getenv, System.getProperty("user.home"));
  }

  /** $HOME, else the home of the account, else the root: what containers have for a user of no name. */
  String home() {
    String home = given("HOME");
    if (home != null) {
      return home;
    }
    return ofAccount == null || ofAccount.isEmpty() || ofAccount.equals("?") ? "/" : ofAccount;
  }

  Path spool() {
    String given = given("LINEAGE_SPOOL");
    if (given != null) {
      return path(given);
    }
    String state = given("XDG_STATE_HOME");
    return path(state == null ? "~/.local/state" : state).resolve("lineage").resolve("spool");
  }

  /** A path with ~ for the home. */
  Path path(String text) {
    boolean isBelow = text.startsWith("~/");
    if (text.equals("~") || isBelow) {
      return Paths.get(home(), isBelow ? text.substring(2) : "").toAbsolutePath();
    }
    return Paths.get(text).toAbsolutePath();
  }

  private String given(String variable) {
    String text = environment.apply(variable);
    return text == null || text.isEmpty() ? null : text;
  }
}
