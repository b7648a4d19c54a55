package io.lineage.spark;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sender of documents that earlier applications could not send. An application without a lock file has
 * ended, and one whose lock can be acquired has died. Two drivers may send the same file; the collector stores
 * its documents once.
 */
final class UnsentSpoolSender {
  private static final Logger LOG = LoggerFactory.getLogger(LineageListener.class);
  private static final Pattern FILE = Pattern.compile("(.+?)(?:-\\d{4,}\\.jsonl|\\" + Lock.ENDING + ")");

  /** Sends a file and deletes it. Returns false if sending must stop. */
  interface FileSender {
    boolean send(Path file) throws InterruptedException;
  }

  private final Path directory;
  private final String own;
  private boolean done;

  UnsentSpoolSender(Path directory, String own) {
    this.directory = directory;
    this.own = own;
  }

  /** Sends all files, on the first call only. */
  void sendOnce(FileSender sender) throws InterruptedException {
    if (done) {
      return;
    }
    done = true;
    for (Map.Entry<String, List<Path>> application : applications().entrySet()) {
      try {
        if (!send(application.getKey(), application.getValue(), sender)) {
          return;
        }
      } catch (IOException e) {
        LOG.debug(
            "Lineage: the lock of {} in {} cannot be read. Its documents are not sent.",
            application.getKey(), directory, e);
      }
    }
  }

  private boolean send(String name, List<Path> files, FileSender sender)
      throws IOException, InterruptedException {
    Path lockFile = directory.resolve(name + Lock.ENDING);
    Lock lock = Files.exists(lockFile) ? Lock.takeOfDead(lockFile) : null;
    if (lock == null && Files.exists(lockFile)) {
      return true; // the application is alive
    }
    try {
      for (Path file : files) {
        if (!sender.send(file)) {
          return false;
        }
      }
      if (lock != null) {
        lock.release();
      }
      return true;
    } finally {
      if (lock != null) {
        lock.letGo();
      }
    }
  }

  /** Returns the files of each other application, in the order in which they were written. */
  private Map<String, List<Path>> applications() {
    Map<String, List<Path>> applications = new TreeMap<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        Matcher matcher = FILE.matcher(entry.getFileName().toString());
        if (matcher.matches() && !matcher.group(1).equals(own)) {
          List<Path> files = applications.computeIfAbsent(matcher.group(1), name -> new ArrayList<>());
          if (!entry.toString().endsWith(Lock.ENDING)) {
            files.add(entry);
          }
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      LOG.debug("Lineage: {} cannot be listed.", directory, e);
    }
    applications.values().forEach(Collections::sort);
    return applications;
  }
}
