package io.lineage.spark;

import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata;
import org.apache.spark.sql.execution.datasources.PartitionDirectory;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.datasources.v2.FileScan;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * The files that a scan selected by its static filters on partitions. Spark has them in memory since the scan ran:
 * nothing is listed, and the scan of a plan that did not run has none.
 */
public final class ScanFiles {
  /** Receives each file, with its modification in milliseconds since the epoch. */
  public interface Visitor {
    void visit(String path, long size, long modified);
  }

  /** The result for a scan that has not selected files, and for other operators. */
  public static final long UNKNOWN = -1;

  private ScanFiles() {}

  /** Passes the files to the visitor if there are at most as many as the limit. Returns a number over it else. */
  static long visit(SparkPlan scan, long limit, Visitor visitor) {
    Object selection = selection(scan);
    if (selection instanceof PartitionDirectory[]) {
      return visitDirectories((PartitionDirectory[]) selection, limit, visitor);
    }
    return selection instanceof Seq ? visitPartitions((Seq<?>) selection, limit, visitor) : UNKNOWN;
  }

  /** Returns the object with the selected files, the same as long as the scan exists; null if there is none. */
  static Object selection(SparkPlan scan) {
    if (isV1(scan)) {
      Object selected = SparkFacts.field(scan, FileSourceScanExec.class, "selectedPartitions");
      // Spark 4 has the directories in another object
      return selected instanceof Object[] ? selected : SparkFacts.held(selected, "partitionDirectories");
    }
    return isV2(scan) ? SparkFacts.field(scan, BatchScanExec.class, "inputPartitions") : null;
  }

  /** Lets a scan select its files, which may list them, and passes all to the visitor. */
  public static long select(SparkPlan scan, Visitor visitor) {
    if (isV1(scan)) {
      SparkFacts.get(scan, "selectedPartitions");
    } else if (isV2(scan)) {
      SparkFacts.get(scan, "inputPartitions");
    }
    return visit(scan, Long.MAX_VALUE, visitor);
  }

  /** Returns whether it is a scan of files. Those of Delta Lake have a version instead. */
  private static boolean isV1(SparkPlan scan) {
    return scan instanceof FileSourceScanExec
        && !TableFormats.isDelta(((FileSourceScanExec) scan).relation().location());
  }

  private static boolean isV2(SparkPlan scan) {
    return scan instanceof BatchScanExec && ((BatchScanExec) scan).scan() instanceof FileScan;
  }

  private static long visitDirectories(PartitionDirectory[] directories, long limit, Visitor visitor) {
    long count = 0;
    for (PartitionDirectory directory : directories) {
      count += SparkReflection.files(directory).size();
      if (count > limit) {
        return count;
      }
    }
    for (PartitionDirectory directory : directories) {
      Iterator<FileStatusWithMetadata> files = SparkReflection.files(directory).iterator();
      while (files.hasNext()) {
        FileStatus file = files.next().fileStatus();
        visitor.visit(file.getPath().toString(), file.getLen(), file.getModificationTime());
      }
    }
    return count;
  }

  /** Passes the files of a scan of version 2, which are split among partitions. Each has one part that starts at 0. */
  private static long visitPartitions(Seq<?> partitions, long limit, Visitor visitor) {
    long count = 0;
    for (Iterator<?> each = partitions.iterator(); each.hasNext(); ) {
      count += ((FilePartition) each.next()).files().length;
      if (count > limit) {
        return count;
      }
    }
    for (Iterator<?> each = partitions.iterator(); each.hasNext(); ) {
      for (PartitionedFile file : ((FilePartition) each.next()).files()) {
        if (file.start() == 0) {
          visitor.visit(file.toPath().toString(), file.fileSize(), file.modificationTime());
        }
      }
    }
    return count;
  }
}
