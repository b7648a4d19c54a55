package tests;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A table with rows in the memory of the JVM, which driver and executor share in local mode. */
final class ShelfTable implements SupportsRead, SupportsWrite {
  private static final Map<String, ShelfTable> TABLES = new ConcurrentHashMap<>();

  private final String name;
  private final StructType schema;
  private final List<InternalRow> rows = Collections.synchronizedList(new ArrayList<>());

  private ShelfTable(String name, StructType schema) {
    this.name = name;
    this.schema = schema;
  }

  static ShelfTable named(String name) {
    return TABLES.get(name);
  }

  static ShelfTable make(String name, StructType schema) {
    ShelfTable made = new ShelfTable(name, schema);
    TABLES.put(name, made);
    return made;
  }

  static ShelfTable drop(String name) {
    return TABLES.remove(name);
  }

  void adopt(ShelfTable other) {
    rows.addAll(other.rows);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public StructType schema() {
    return schema;
  }

  @Override
  public Set<TableCapability> capabilities() {
    return EnumSet.of(
        TableCapability.BATCH_READ, TableCapability.BATCH_WRITE, TableCapability.TRUNCATE);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    Whole whole = new Whole(name, schema);
    return () -> whole;
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return new Writing(this);
  }

  /** A scan of all rows, in one partition. */
  private static final class Whole implements Scan, Batch {
    private final String name;
    private final StructType schema;

    Whole(String name, StructType schema) {
      this.name = name;
      this.schema = schema;
    }

    @Override
    public StructType readSchema() {
      return schema;
    }

    @Override
    public Batch toBatch() {
      return this;
    }

    @Override
    public InputPartition[] planInputPartitions() {
      return new InputPartition[] {new Part(name)};
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
      return new Readers();
    }
  }

  private static final class Part implements InputPartition {
    final String name;

    Part(String name) {
      this.name = name;
    }
  }

  private static final class Readers implements PartitionReaderFactory {
    @Override
    public PartitionReader<InternalRow> createReader(InputPartition part) {
      return new Reader(new ArrayList<>(named(((Part) part).name).rows));
    }
  }

  private static final class Reader implements PartitionReader<InternalRow> {
    private final List<InternalRow> rows;
    private int at = -1;

    Reader(List<InternalRow> rows) {
      this.rows = rows;
    }

    @Override
    public boolean next() {
      return ++at < rows.size();
    }

    @Override
    public InternalRow get() {
      return rows.get(at);
    }

    @Override
    public void close() {}
  }

  /** A write that appends rows, or replaces the existing ones. */
  private static final class Writing implements SupportsTruncate, BatchWrite {
    private final ShelfTable table;
    private boolean truncates;

    Writing(ShelfTable table) {
      this.table = table;
    }

    @Override
    public WriteBuilder truncate() {
      truncates = true;
      return this;
    }

    @Override
    public BatchWrite buildForBatch() {
      return this;
    }

    @Override
    public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
      return new Writers();
    }

    @Override
    public void commit(WriterCommitMessage[] messages) {
      if (truncates) {
        table.rows.clear();
      }
      for (WriterCommitMessage message : messages) {
        table.rows.addAll(((Rows) message).rows);
      }
    }

    @Override
    public void abort(WriterCommitMessage[] messages) {}
  }

  private static final class Writers implements DataWriterFactory {
    @Override
    public DataWriter<InternalRow> createWriter(int partition, long task) {
      return new Rows();
    }
  }

  /** The rows of one task, and the message that passes them to the commit. */
  private static final class Rows implements DataWriter<InternalRow>, WriterCommitMessage {
    final ArrayList<InternalRow> rows = new ArrayList<>();

    @Override
    public void write(InternalRow row) {
      rows.add(row.copy());
    }

    @Override
    public WriterCommitMessage commit() {
      return this;
    }

    @Override
    public void abort() {}

    @Override
    public void close() {}
  }
}
