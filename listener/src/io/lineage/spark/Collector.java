package io.lineage.spark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/** A client that posts documents to the collector, as docs/reference/collector-request.md specifies. */
final class Collector {
  private static final int ANSWER_BYTES = 64 << 10;
  private static final int EXCERPT_CHARACTERS = 300;
  private static final long PERIOD_MILLIS = 1_000;
  private static final Pattern ACCEPTED = Pattern.compile("\"accepted\"\\s*:\\s*(\\d{1,9})\\b");

  private final Endpoint endpoint;
  private final String agent;

  /** Socket timeouts apply to each read, so a slow server must be disconnected by another thread. */
  private final Timer deadlines = new Timer("lineage-deadline", true);

  Collector(Endpoint endpoint, String version) {
    this.endpoint = endpoint;
    this.agent = "lineage-spark/" + version;
  }

  /** A receiver of documents that the collector rejects permanently. */
  interface Refused {
    void take(byte[] document, String reason) throws IOException;
  }

  /**
   * Sends documents. If the collector rejects a request, bisection finds the rejected documents. Returns their
   * number.
   */
  int send(List<byte[]> documents, Refused refused) throws IOException {
    String reason = post(documents);
    if (reason == null) {
      return 0;
    }
    int half = documents.size() / 2;
    if (half == 0) {
      refused.take(documents.get(0), reason);
      return 1;
    }
    return send(documents.subList(0, half), refused)
        + send(documents.subList(half, documents.size()), refused);
  }

  /** Returns null if the collector accepted all documents, else the reason of a permanent rejection. */
  private String post(List<byte[]> documents) throws CollectorUnavailableException {
    HttpURLConnection connection = null;
    Deadline deadline = null;
    try {
      byte[] body = gzip(documents);
      connection = connection(body.length);
      deadline = new Deadline(connection);
      // Repeated, because disconnecting has no effect before the connection exists.
      deadlines.schedule(deadline, endpoint.timeoutMillis, PERIOD_MILLIS);
      try (OutputStream out = connection.getOutputStream()) {
        out.write(body);
      }
      return answer(connection, documents.size());
    } catch (CollectorUnavailableException e) {
      throw e;
    } catch (NoSuchFileException e) {
      throw new CollectorUnavailableException("the token file " + e.getMessage() + " does not exist", 0);
    } catch (IOException | RuntimeException e) {
      boolean isLate = deadline != null && deadline.hasPassed;
      throw new CollectorUnavailableException(isLate ? "no answer within " + endpoint.timeoutMillis + " ms" : e.toString(), 0);
    } finally {
      if (deadline != null) {
        deadline.cancel();
      }
    }
  }

  String url() {
    return endpoint.url.toString();
  }

  void close() {
    deadlines.cancel();
  }

  private static byte[] gzip(List<byte[]> documents) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream zip = new GZIPOutputStream(bytes, 8 << 10)) {
      for (byte[] document : documents) {
        zip.write(document);
        zip.write('\n');
      }
    }
    return bytes.toByteArray();
  }

  private HttpURLConnection connection(int length) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) endpoint.url.openConnection();
    connection.setRequestMethod("POST");
    connection.setDoOutput(true);
    connection.setUseCaches(false);
    connection.setInstanceFollowRedirects(false); // a redirected POST would become a GET
    connection.setConnectTimeout(endpoint.timeoutMillis);
    connection.setReadTimeout(endpoint.timeoutMillis);
    connection.setFixedLengthStreamingMode(length);
    connection.setRequestProperty("Content-Type", "application/x-ndjson");
    connection.setRequestProperty("Content-Encoding", "gzip");
    connection.setRequestProperty("Accept", "application/json");
    connection.setRequestProperty("User-Agent", agent);
    connection.setRequestProperty("Connection", "close"); // requests are too rare to reuse it
    String token = endpoint.token();
    if (!token.isEmpty()) {
      connection.setRequestProperty("Authorization", "Bearer " + token);
    }
    return connection;
  }

  /** A task that disconnects a connection in any state. */
  private static final class Deadline extends TimerTask {
    private final HttpURLConnection connection;
    volatile boolean hasPassed;

    Deadline(HttpURLConnection connection) {
      this.connection = connection;
    }

    @Override
    public void run() {
      hasPassed = true;
      connection.disconnect();
    }
  }

  private String answer(HttpURLConnection connection, int documents) throws IOException {
    int status = status(connection);
    String text = status < 0 ? "" : text(connection, status);
    if (status == 200) {
      Matcher accepted = ACCEPTED.matcher(text);
      if (accepted.find() && Integer.parseInt(accepted.group(1)) == documents) {
        return null;
      }
      throw new CollectorUnavailableException("HTTP 200, but not from a collector of Lineage" + excerpt(text), 0);
    }
    String reason = "HTTP " + status + excerpt(text);
    if (status == 400 || status == 413 || status == 422) {
      return reason;
    }
    throw new CollectorUnavailableException(reason + advice(status), RetryAfter.millis(connection));
  }

  private static int status(HttpURLConnection connection) throws IOException {
    try {
      return connection.getResponseCode();
    } catch (HttpRetryException e) {
      return e.responseCode(); // 401: there is no other token to retry with
    }
  }

  private static String advice(int status) {
    if (status == 401 || status == 403) {
      return "; set " + Endpoint.TOKEN + " to a valid token";
    }
    boolean isOfUrl = status >= 300 && status < 400 || status == 404 || status == 405;
    return isOfUrl ? "; set " + Endpoint.URL + " to the URL of a collector of Lineage" : "";
  }

  /** Returns the text of the response, up to a limit of bytes and time. */
  private String text(HttpURLConnection connection, int status) throws IOException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(endpoint.timeoutMillis);
    try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      byte[] buffer = new byte[4 << 10];
      int read = in == null ? -1 : in.read(buffer);
      while (read > 0 && text.size() < ANSWER_BYTES && System.nanoTime() - end < 0) {
        text.write(buffer, 0, read);
        read = in.read(buffer);
      }
      return new String(text.toByteArray(), StandardCharsets.UTF_8);
    }
  }

  private String excerpt(String text) throws IOException {
    String line = text.trim().replaceAll("\\s+", " ");
    String shown = line.length() > EXCERPT_CHARACTERS ? line.substring(0, EXCERPT_CHARACTERS) : line;
    String token = endpoint.token();
    return shown.isEmpty() ? "" : ": " + (token.isEmpty() ? shown : shown.replace(token, Redaction.MARK));
  }
}
