package io.lineage.spark;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.StringUtils;
import org.apache.spark.Dependency;
import org.apache.spark.rdd.HadoopRDD;
import org.apache.spark.rdd.NewHadoopRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.FileScanRDD;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * The sources of an RDD's rows: the RDDs at its roots. They are read only from fields, because methods may list
 * files and compute partitions.
 */
final class Rdds {
  private static final int MAX_RDDS = 1_000;
  private static final int MAX_FILES = 10_000;
  private static final String INPUT = "mapreduce.input.fileinputformat.inputdir";

  /** The fields in which RDDs hold parents that are not among their dependencies. */
  private static final String[] PARENTS = {"rdds", "prev", "sqlRDD", "rdd1", "rdd2"};

  private final Redaction redaction;

  Rdds(Redaction redaction) {
    this.redaction = redaction;
  }

  /**
   * Writes the RDD and its roots. Operators with the same RDD, according to its id, have the same rows. Returns
   * whether one of the roots reads files.
   */
  boolean write(RDD<?> rdd, Json out) {
    boolean readsFiles = false;
    out.object().key("rdd").object().field("id", rdd.id());
    out.field("class", ClassInfo.of(rdd).fullName);
    if (Topics.areRowsOf(rdd)) {
      out.field("source", "kafka");
    }
    out.key("roots").array();
    Set<RDD<?>> all = Collections.newSetFromMap(new IdentityHashMap<>());
    for (RDD<?> root : roots(rdd, all)) {
      out.object().field("class", ClassInfo.of(root).fullName);
      if (root instanceof FileScanRDD) {
        files((FileScanRDD) root, out);
        readsFiles = true;
      } else if (root instanceof HadoopRDD || root instanceof NewHadoopRDD) {
        paths(root, out);
        readsFiles = true;
      }
      out.endObject();
    }
    Object broadcast = Broadcasts.into(all);
    if (broadcast != null) {
      out.object().field("class", ClassInfo.of(broadcast).fullName).endObject();
    }
    out.endArray().endObject().endObject();
    return readsFiles;
  }

  /** Returns the RDDs without known parents. At the limit, the pending RDDs become roots. */
  private static List<RDD<?>> roots(RDD<?> rdd, Set<RDD<?>> seen) {
    Deque<RDD<?>> pending = new ArrayDeque<>();
    List<RDD<?>> roots = new ArrayList<>();
    pending.add(rdd);
    while (!pending.isEmpty()) {
      RDD<?> next = pending.poll();
      if (!seen.add(next)) {
        continue;
      }
      List<RDD<?>> parents = seen.size() > MAX_RDDS ? Collections.emptyList() : parents(next);
      if (parents.isEmpty()) {
        roots.add(next);
      }
      pending.addAll(parents);
    }
    return roots;
  }

  private static List<RDD<?>> parents(RDD<?> rdd) {
    List<RDD<?>> parents = new ArrayList<>();
    add(SparkFacts.field(rdd, RDD.class, "deps"), parents);
    add(SparkFacts.field(rdd, RDD.class, "dependencies_"), parents);
    for (Class<?> type = rdd.getClass(); type != RDD.class; type = type.getSuperclass()) {
      if (type.getName().startsWith("org.apache.spark.")) {
        for (String field : PARENTS) {
          add(SparkFacts.field(rdd, type, field), parents);
        }
      }
    }
    return parents;
  }

  private static void add(Object held, List<RDD<?>> parents) {
    if (held instanceof RDD) {
      parents.add((RDD<?>) held);
    } else if (held instanceof Dependency) {
      // the method rdd() only reads a field, also of a shuffle dependency
      parents.add(((Dependency<?>) held).rdd());
    } else if (held instanceof Seq) {
      Iterator<?> items = ((Seq<?>) held).iterator();
      while (items.hasNext()) {
        add(items.next(), parents);
      }
    }
  }

  /** Writes the directories of the files that a scan reads. */
  private void files(FileScanRDD scan, Json out) {
    Set<String> directories = new LinkedHashSet<>();
    int files = 0;
    Iterator<FilePartition> partitions = SparkReflection.filePartitions(scan).iterator();
    while (partitions.hasNext() && files < MAX_FILES) {
      PartitionedFile[] of = partitions.next().files();
      for (int i = 0; i < of.length && files < MAX_FILES; i++, files++) {
        directories.add(redaction.text(of[i].toPath().getParent().toString()));
      }
    }
    paths(directories, out);
    if (files == MAX_FILES) {
      out.key("more").bool(true);
    }
  }

  /**
   * Writes the paths of an RDD over files. A NewHadoopRDD has them in a configuration in memory, a HadoopRDD in
   * the function that sets them. The name of the RDD is not used, because the program may have changed it.
   */
  private void paths(RDD<?> rdd, Json out) {
    Object conf = SparkFacts.held(rdd, "_conf");
    String input = conf instanceof Configuration ? ((Configuration) conf).get(INPUT) : null;
    if (input != null) {
      List<String> paths = new ArrayList<>();
      for (String path : StringUtils.split(input)) {
        paths.add(redaction.text(StringUtils.unEscapeString(path)));
      }
      paths(paths, out);
      return;
    }
    Object setter = SparkFacts.held(rdd, "initLocalJobConfFuncOpt");
    for (Object value : setter == null ? Collections.emptyList() : RddJob.captured(setter)) {
      if (value instanceof String) {
        paths(Arrays.asList(redaction.text((String) value).split(",")), out);
        return;
      }
    }
  }

  private static void paths(Collection<String> paths, Json out) {
    out.key("paths").array();
    paths.forEach(out::string);
    out.endArray();
  }
}
