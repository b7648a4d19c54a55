package io.lineage.spark.records;

import io.lineage.spark.Manifest;
import io.lineage.spark.PhysicalWalk;
import io.lineage.spark.QueryDocument;
import io.lineage.spark.ScanFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;

/**
 * The inputs of a query as they are now. Files that were added since the run whose manifests are known are left out,
 * if the others are those that the run read. Tables with versions are read in that of the run.
 */
public final class Inputs {
  private static final String RELATION = "org.apache.spark.sql.execution.datasources.HadoopFsRelation";

  private final SparkSession session;
  private final LogicalPlan query;
  private final String document;
  private final int leftOut;
  private List<String> earlierVersions = Collections.emptyList();
  private LogicalPlan changing;
  private final List<ListedFile> files = new ArrayList<>();

  private Inputs(SparkSession session, LogicalPlan query, SparkPlan physical, int leftOut) {
    PhysicalWalk.walk(physical, (scan, isOfCache) -> files.addAll(files(scan)));
    this.session = session;
    this.query = query;
    this.document = QueryDocument.of(session, query, physical);
    this.leftOut = leftOut;
    this.changing = query;
  }

  /**
   * Plans the query and compares its scans.
   *
   * @param stored the inputs of the runs that wrote the datasets of the question
   * @param written the names of the dataset that the query writes; empty for the one of the question
   */
  public static Inputs of(
      SparkSession session, LogicalPlan query, StoredManifests stored, Collection<String> written) {
    SparkPlan present = plan(session, query);
    EarlierVersions versions = new EarlierVersions(session, stored.versions(written), present);
    LogicalPlan earlier = versions.apply(query);
    SparkPlan physical = versions.replaced().isEmpty() ? present : plan(session, earlier);
    Inputs inputs = of(session, earlier, physical, stored.files);
    inputs.earlierVersions = versions.replaced();
    inputs.changing = versions.withoutReplaced(query);
    return inputs;
  }

  private static Inputs of(SparkSession session, LogicalPlan query, SparkPlan physical, List<Manifest> before) {
    Map<Object, Set<String>> newer = new IdentityHashMap<>();
    Set<String> all = new HashSet<>();
    PhysicalWalk.walk(
        physical,
        (scan, isOfCache) -> {
          Set<String> added = scan instanceof FileSourceScanExec ? newer(files(scan), before) : new HashSet<>();
          if (!added.isEmpty()) {
            all.addAll(added);
            for (Object part : parts(((FileSourceScanExec) scan).relation())) {
              newer.computeIfAbsent(part, each -> new HashSet<>()).addAll(added);
            }
          }
        });
    if (all.isEmpty()) {
      return new Inputs(session, query, physical, 0);
    }
    Map<HadoopFsRelation, Object> replaced = new IdentityHashMap<>();
    LogicalPlan restricted = Catalyst.transformLeaves(query, leaf -> without(newer, replaced, leaf));
    return new Inputs(session, restricted, plan(session, restricted), all.size());
  }

  /** Returns the plan of the query over the files that the run read, or over all. */
  public RecordPlan plan() {
    return RecordPlan.of(session, query);
  }

  /** Returns the plan document of the query. */
  public String document() {
    return document;
  }

  /** Returns the number of files that the query leaves out. */
  public int leftOut() {
    return leftOut;
  }

  /** Returns the versions of tables that the query reads instead of the present ones. */
  public List<String> earlierVersions() {
    return earlierVersions;
  }

  /** Returns the query without the tables of which it reads a fixed version. */
  public LogicalPlan changing() {
    return changing;
  }

  /** Returns the files that are no longer as they were when the frame of the query listed them. */
  public List<String> changedFiles() throws IOException {
    return ListedFile.changed(files, session.sparkContext().hadoopConfiguration());
  }

  /** Returns the files from which a frame has cached rows that are no longer as they were when Spark listed them. */
  static List<String> changedSinceCached(Dataset<?> frame) throws IOException {
    List<ListedFile> cached = new ArrayList<>();
    PhysicalWalk.walk(
        Catalyst.execution(frame).executedPlan(),
        (scan, isOfCache) -> {
          if (isOfCache) {
            cached.addAll(files(scan));
          }
        });
    return ListedFile.changed(cached, frame.sparkSession().sparkContext().hadoopConfiguration());
  }

  private static SparkPlan plan(SparkSession session, LogicalPlan query) {
    QueryExecution execution = Catalyst.execution(Catalyst.frame(session, query));
    return execution.executedPlan();
  }

  /** Returns the files that a scan selects; none for another operator. */
  private static List<ListedFile> files(SparkPlan scan) {
    List<ListedFile> files = new ArrayList<>();
    ScanFiles.select(scan, (path, size, modified) -> files.add(new ListedFile(path, size, modified)));
    return files;
  }

  /** Returns the files that were added to those of a run; none if they are those of a run, or others changed too. */
  private static Set<String> newer(List<ListedFile> files, List<Manifest> before) {
    Manifest now = manifest(files, Long.MAX_VALUE);
    Set<String> added = new HashSet<>();
    if (before.stream().anyMatch(now::isSame)) {
      return added;
    }
    for (Manifest run : before) {
      long older = files.stream().filter(file -> file.modified <= run.newest()).count();
      if (older > 0 && older == run.files() && manifest(files, run.newest()).isSame(run)) {
        files.stream().filter(file -> file.modified > run.newest()).forEach(file -> added.add(file.path));
        return added;
      }
    }
    return added;
  }

  private static Manifest manifest(List<ListedFile> files, long newest) {
    Manifest manifest = new Manifest();
    for (ListedFile file : files) {
      if (file.modified <= newest) {
        manifest.add(file.path, file.size, file.modified);
      }
    }
    return manifest;
  }

  private static LogicalPlan without(
      Map<Object, Set<String>> newer, Map<HadoopFsRelation, Object> replaced, LogicalPlan leaf) {
    Object relation = leaf instanceof LogicalRelation ? ((LogicalRelation) leaf).relation() : null;
    if (!(relation instanceof HadoopFsRelation)) {
      return leaf;
    }
    HadoopFsRelation files = (HadoopFsRelation) relation;
    Set<String> paths = new HashSet<>();
    parts(files).forEach(part -> paths.addAll(newer.getOrDefault(part, Collections.emptySet())));
    if (paths.isEmpty()) {
      return leaf;
    }
    Object other = replaced.computeIfAbsent(files, each -> without(each, paths));
    return Catalyst.with(leaf, 0, other);
  }

  /** Returns objects of which a copy of the relation that Spark made when it pruned columns or partitions has one. */
  private static List<Object> parts(HadoopFsRelation files) {
    List<Object> parts = new ArrayList<>(Arrays.asList(files.dataSchema(), files.location()));
    if (files.partitionSchema().length() > 0) { // relations without partitions share the empty schema
      parts.add(files.partitionSchema());
    }
    return parts;
  }

  private static Object without(HadoopFsRelation files, Set<String> paths) {
    FileIndex index = FilteredIndex.without(files.location(), paths);
    return Catalyst.make(
        RELATION, index, files.partitionSchema(), files.dataSchema(), files.bucketSpec(), files.fileFormat(),
        files.options(), Catalyst.call(files, "sparkSession"));
  }
}
