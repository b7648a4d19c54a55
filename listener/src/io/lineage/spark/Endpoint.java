package io.lineage.spark;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collection;
import org.apache.spark.SparkConf;
import org.apache.spark.network.util.JavaUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The address and credentials of the collector, from the settings of Lineage, the environment or the settings
 * of OpenLineage, in this order.
 */
final class Endpoint {
  private static final Logger LOG = LoggerFactory.getLogger(LineageListener.class);

  static final String TRANSPORT = "spark.lineage.transport";
  static final String URL = "spark.lineage.url";
  static final String TOKEN = "spark.lineage.token";
  static final String TOKEN_FILE = "spark.lineage.tokenFile";
  static final String REQUEST_TIMEOUT = "spark.lineage.requestTimeout";
  static final Collection<String> NAMES =
      Arrays.asList(TRANSPORT, URL, TOKEN, TOKEN_FILE, REQUEST_TIMEOUT);

  private static final String OPENLINEAGE = "spark.openlineage.transport.";
  private static final String PATH = "api/v1/lineage";

  final URL url;
  final int timeoutMillis;
  private final String token;
  private final String tokenFile;

  private Endpoint(URL url, SparkConf conf, boolean isOpenLineages) {
    String key = isOpenLineages ? conf.get(OPENLINEAGE + "auth.apiKey", "") : "";
    this.url = url;
    this.timeoutMillis = timeout(conf);
    this.token = first(conf.get(TOKEN, ""), environment("LINEAGE_TOKEN"), key);
    this.tokenFile = conf.get(TOKEN_FILE, "");
  }

  /** Returns the configured collector; null if documents are written to files. */
  static Endpoint of(SparkConf conf) {
    boolean isOpenLineages = "http".equalsIgnoreCase(conf.get(OPENLINEAGE + "type", ""));
    String own = first(conf.get(URL, ""), environment("LINEAGE_URL"));
    String theirs = isOpenLineages ? conf.get(OPENLINEAGE + "url", "") : "";
    String transport = conf.get(TRANSPORT, first(own, theirs).isEmpty() ? "file" : "http").trim();
    if (transport.equalsIgnoreCase("file")) {
      return null;
    }
    try {
      if (!transport.equalsIgnoreCase("http")) {
        throw new IllegalArgumentException(TRANSPORT + " must be `file` or `http`, not " + transport);
      }
      return own.isEmpty()
          ? new Endpoint(url(theirs, conf.get(OPENLINEAGE + "endpoint", PATH)), conf, true)
          : new Endpoint(url(own, PATH), conf, false);
    } catch (IllegalArgumentException | MalformedURLException | URISyntaxException e) {
      LOG.error("Lineage: {}. Documents are written to files instead.", e.getMessage());
      return null;
    }
  }

  /** Returns the URL of plan documents: `plan-documents` in the directory of OpenLineage's endpoint. */
  private static URL url(String base, String endpoint) throws MalformedURLException, URISyntaxException {
    URI given = parse(base);
    if (!String.valueOf(given.getScheme()).matches("https?") || given.getHost() == null) {
      throw new IllegalArgumentException(URL + " must be http://HOST:PORT or https://HOST:PORT");
    }
    if (given.getUserInfo() != null || given.getQuery() != null) {
      throw new IllegalArgumentException(
          URL + " must not contain a user, a password or parameters; set " + TOKEN + " to the token");
    }
    String directory = (given.getPath() + "/" + endpoint).replaceAll("/+", "/").replaceAll("[^/]*$", "");
    String path = directory + "plan-documents";
    return new URI(given.getScheme(), null, given.getHost(), given.getPort(), path, null, null).toURL();
  }

  /** Parses a URL. The exception does not contain the text, because it may contain a password. */
  private static URI parse(String text) {
    try {
      return new URI(text.trim());
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(URL + " is not a valid URL");
    }
  }

  private static int timeout(SparkConf conf) {
    String theirs = conf.get(OPENLINEAGE + "timeoutInMillis", "").trim();
    String text = conf.get(REQUEST_TIMEOUT, theirs.isEmpty() ? "10s" : theirs + "ms");
    try {
      return (int) Math.min(Math.max(1, JavaUtils.timeStringAsMs(text)), 600_000);
    } catch (RuntimeException e) {
      LOG.error("Lineage: {}={} is invalid; the default 10s is used.", REQUEST_TIMEOUT, text);
      return 10_000;
    }
  }

  /** Returns the bearer token, or an empty text. It reads the file each time, so that it can be replaced. */
  String token() throws IOException {
    if (tokenFile.isEmpty()) {
      return token;
    }
    return new String(Files.readAllBytes(Paths.get(tokenFile)), StandardCharsets.UTF_8).trim();
  }

  private static String environment(String name) {
    String value = System.getenv(name);
    return value == null ? "" : value;
  }

  private static String first(String... values) {
    for (String value : values) {
      if (!value.trim().isEmpty()) {
        return value.trim();
      }
    }
    return "";
  }
}
