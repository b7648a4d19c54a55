package io.lineage.spark;

import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.function.Function;

/**
 * The user's home, and the default spool. The rule is that of lineage/settings.py, so that the driver and the
 * commands of a user share one directory. It does not depend on Spark.
 */
final class UserDirectories {
  private final Function<String, String> environment;
  private final String ofAccount;

  /** Creates the directories; `ofAccount` is user.home, which is ? if the account has no home. */
  UserDirectories(Function<String, String> environment, String ofAccount) {
    this.environment = environment;
    this.ofAccount = ofAccount;
  }

  static UserDirectories ofProcess() {
    return new UserDirectories(System::getenv, System.getProperty("user.home"));
  }

  /** Returns $HOME, else the home of the account, else / (for a container's user without an account). */
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

  /** Returns a path, with ~ replaced by the home. */
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
