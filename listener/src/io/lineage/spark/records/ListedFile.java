package io.lineage.spark.records;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/** A file as an index of Spark has it, with its modification in milliseconds since the epoch. */
final class ListedFile {
  final String path;
  final long size;
  final long modified;

  ListedFile(String path, long size, long modified) {
    this.path = path;
    this.size = size;
    this.modified = modified;
  }

  /** Lists the directories of the files again, and returns the paths of those that have changed or are missing. */
  static List<String> changed(List<ListedFile> files, Configuration conf) throws IOException {
    Map<Path, Map<String, FileStatus>> directories = new HashMap<>();
    List<String> changed = new ArrayList<>();
    for (ListedFile file : files) {
      Path directory = new Path(file.path).getParent();
      Map<String, FileStatus> now = directories.get(directory);
      if (now == null) {
        now = list(directory, conf);
        directories.put(directory, now);
      }
      FileStatus status = now.get(file.path);
      if (status == null || status.getLen() != file.size || status.getModificationTime() != file.modified) {
        changed.add(file.path);
      }
    }
    return changed;
  }

  private static Map<String, FileStatus> list(Path directory, Configuration conf) throws IOException {
    Map<String, FileStatus> files = new HashMap<>();
    try {
      for (FileStatus status : directory.getFileSystem(conf).listStatus(directory)) {
        files.put(status.getPath().toString(), status);
      }
    } catch (FileNotFoundException e) {
      return files; // none of its files is there
    }
    return files;
  }
}
