package io.lineage.spark.dryrun;

import java.io.IOException;
import java.util.ServiceLoader;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * The second line of defence: file systems that refuse to write. RDDs, libraries and commands that the rule does
 * not see fail here, and the files stay as they are.
 */
final class ReadOnly {
  /** The implementation that a scheme had before. */
  private static final String BEFORE = "lineage.dryRun.fs.%s.impl";

  private ReadOnly() {}

  /** Makes the file systems read-only that are created with this configuration. */
  static void protect(Configuration conf) {
    protect(conf, "file", ReadOnlyLocalFileSystem.class);
    for (FileSystem fileSystem : ServiceLoader.load(FileSystem.class)) {
      String scheme = scheme(fileSystem);
      if (scheme != null && !scheme.equals("file")) {
        protect(conf, scheme, ReadOnlyFileSystem.class);
      }
    }
    for (String scheme : new String[] {"hdfs", "s3a", "s3", "gs", "abfs", "abfss", "wasb", "wasbs", "oss", "viewfs"}) {
      if (conf.get(key(scheme)) != null) {
        protect(conf, scheme, ReadOnlyFileSystem.class);
      }
    }
  }

  private static void protect(Configuration conf, String scheme, Class<?> readOnly) {
    String before = conf.get(key(scheme));
    if (readOnly.getName().equals(before)) {
      return;
    }
    if (before != null) {
      conf.set(String.format(BEFORE, scheme), before);
    }
    conf.set(key(scheme), readOnly.getName());
    conf.setBoolean("fs." + scheme + ".impl.disable.cache", true); // those in the cache can write
    conf.set("fs.AbstractFileSystem." + scheme + ".impl", ReadOnlyContext.class.getName());
  }

  private static String scheme(FileSystem fileSystem) {
    try {
      return fileSystem.getScheme();
    } catch (UnsupportedOperationException e) {
      return null;
    }
  }

  private static String key(String scheme) {
    return "fs." + scheme + ".impl";
  }

  /** Returns the configuration that creates the file system as it was before. */
  static Configuration before(Configuration conf, String scheme) {
    Configuration result = new Configuration(conf);
    String implementation = conf.get(String.format(BEFORE, scheme));
    if (implementation == null) {
      result.unset(key(scheme));
    } else {
      result.set(key(scheme), implementation);
    }
    return result;
  }

  static IOException refused(Object path) {
    return new IOException("Lineage: this is a dry run, which writes nothing. It refused to change " + path + ".");
  }
}
