package io.lineage.spark.records;

import java.net.URI;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The names of locations: a local path alone, else the store and the path, as the full name in the graph. */
public final class LocationNames {
  /** The scheme that the graph has for all schemes of a store, as in lineage/naming.py. */
  private static final Map<String, String> SCHEMES = new HashMap<>();

  private static final List<String> WITH_CONTAINER = Arrays.asList("abfss", "wasbs");

  static {
    SCHEMES.put("s3a", "s3");
    SCHEMES.put("s3n", "s3");
    SCHEMES.put("abfs", "abfss");
    SCHEMES.put("wasb", "wasbs");
  }

  private LocationNames() {}

  /** Returns the name of a location that may lack its store, which is then the default one. */
  public static String of(Path location, Configuration settings) {
    boolean isWhole = location.toUri().getScheme() != null || !location.isAbsolute();
    return of(isWhole ? location : location.makeQualified(FileSystem.getDefaultUri(settings), null));
  }

  public static String of(Path location) {
    return of(location.toUri());
  }

  public static String of(URI location) {
    String scheme = location.getScheme() == null ? "file" : location.getScheme().toLowerCase(Locale.ROOT);
    String path = location.getPath() == null ? location.getSchemeSpecificPart() : location.getPath();
    String plain = path.length() > 1 ? path.replaceAll("/+$", "") : path;
    if (scheme.equals("file")) {
      return plain;
    }
    String store = SCHEMES.getOrDefault(scheme, scheme);
    String authority = location.getAuthority();
    return store + ":" + (authority == null ? "" : "//" + withoutUser(store, authority)) + plain;
  }

  /** In the schemes of Azure, the part before the sign is the container. */
  private static String withoutUser(String store, String authority) {
    int sign = authority.lastIndexOf('@');
    boolean isContainer = WITH_CONTAINER.contains(store) && authority.lastIndexOf(':', sign) < 0;
    return isContainer ? authority : authority.substring(sign + 1);
  }

  /** Returns whether a text is the location of a dataset, rather than the name of a table. */
  public static boolean isLocation(String name) {
    return name.startsWith("/") || hasScheme(name);
  }

  private static boolean hasScheme(String name) {
    return name.matches("(?s)[A-Za-z][\\w+.-]*:/.*");
  }

  /** Returns whether a text is the name of a dataset, or an end of it: a whole path, or its last segments. */
  public static boolean isEnd(String name, String end) {
    if (hasScheme(end)) {
      return name.equals(end) || name.equals(of(new Path(end)));
    }
    boolean isPath = end.startsWith("/") && hasScheme(name) && new Path(name).toUri().getPath().equals(end);
    boolean isWhole = isPath || name.equals(end);
    return isWhole || name.endsWith("/" + end) || name.endsWith("." + end) || name.endsWith(":" + end);
  }
}
