package io.lineage.spark;

import java.io.PrintWriter;
import java.io.Writer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/**
 * The failure of an execution: class and message of the first informative cause, and the stack. The literals
 * of its statement are removed from these texts, because Spark quotes them in messages.
 */
final class Failure {
  private static final int MAX_MESSAGE = 8_000;
  private static final int MAX_STACK = 32_000;

  final String className;
  final String message;
  final String stack;

  /** Computes the literals of the failed statement, on the encoder's thread. */
  private Supplier<Set<String>> literals = Collections::emptySet;

  Failure(String className, String message, String stack) {
    this.className = className;
    this.message = message;
    this.stack = stack;
  }

  static Failure of(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; depth < 50 && isWrapper(cause); depth++) {
      cause = cause.getCause();
    }
    return new Failure(cause.getClass().getName(), message(cause), stack(thrown));
  }

  /** Parses an exception that is available only as text: "class: message", followed by the stack. */
  static Failure ofText(String text) {
    int end = text.indexOf("\n\tat ");
    String head = end < 0 ? text : text.substring(0, end);
    int colon = head.indexOf(": ");
    boolean hasClass = colon > 0 && head.substring(0, colon).matches("[\\w.$]+");
    String message = hasClass ? head.substring(colon + 2) : head;
    return new Failure(
        hasClass ? head.substring(0, colon) : "java.lang.Throwable",
        LongText.read(message),
        LongText.read(text));
  }

  /** Sets the literals of the failed statement. */
  void in(Supplier<Set<String>> statement) {
    literals = statement;
  }

  private static boolean isWrapper(Throwable thrown) {
    Throwable cause = thrown.getCause();
    if (cause == null || cause == thrown) {
      return false;
    }
    if (thrown instanceof ExecutionException
        || thrown instanceof CompletionException
        || thrown instanceof InvocationTargetException
        || thrown instanceof UndeclaredThrowableException) {
      return true;
    }
    String message = message(thrown);
    return message.equals(cause.toString()) || isSparksWrapper(thrown.getClass().getName(), message);
  }

  /** Returns whether the message is one that Spark uses for every failed job, regardless of its cause. */
  private static boolean isSparksWrapper(String className, String message) {
    return className.startsWith("org.apache.spark.")
        && (message.startsWith("Job aborted")
            || message.startsWith("Writing job aborted")
            || message.startsWith("Exception thrown in ")
            || message.startsWith("Task failed while writing")
            || message.startsWith("[TASK_WRITE_FAILED]")
            || message.startsWith("[WRITING_JOB_ABORTED]"));
  }

  /** Returns the message; empty if the method of the exception's class fails. */
  private static String message(Throwable thrown) {
    try {
      return LongText.read(String.valueOf(thrown.getMessage()));
    } catch (RuntimeException e) {
      return "";
    }
  }

  private static String stack(Throwable thrown) {
    Head head = new Head();
    try {
      thrown.printStackTrace(new PrintWriter(head));
    } catch (RuntimeException e) {
      // the limit is reached, or the exception cannot be printed; the text so far is used
    }
    return LongText.read(head.text.toString());
  }

  /** A writer that throws at its limit, so that a huge stack is not printed completely. */
  private static final class Head extends Writer {
    /** One character more than LongText.read returns, so that it detects longer texts. */
    private static final int MOST = LongText.MAX_READ + 1;

    final StringBuilder text = new StringBuilder();

    @Override
    public void write(char[] chars, int from, int count) {
      text.append(chars, from, Math.min(count, MOST - text.length()));
      if (text.length() == MOST) {
        throw new Json.TooLong();
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  void write(Redaction redaction, Json json) {
    ErrorText text = new ErrorText(redaction, literals.get());
    json.key("error").object().field("class", className);
    json.field("message", LongText.written(text.of(message), MAX_MESSAGE));
    json.field("stack", LongText.written(text.of(stack), MAX_STACK)).endObject();
  }
}
