package io.lineage.spark;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.AliasIdentifier;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.V1Table;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCRelation;
import org.apache.spark.sql.execution.datasources.v2.FileTable;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.DataSourceRegister;
import scala.Option;
import scala.Product;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * The writer of objects that identify a dataset: tables, files, connections. It reads only objects in memory.
 * It does not list files, query catalogs or open connections.
 */
final class Relations {
  private static final int MAX_PATHS = 1_000;
  private static final String KAFKA = "org.apache.spark.sql.kafka010.KafkaRelation";

  private final Values values;
  private final Nodes nodes;
  private final Redaction redaction;
  private final Rdds rdds;
  private final TableLocations locations;

  Relations(Values values, Nodes nodes, Redaction redaction, TableLocations locations) {
    this.values = values;
    this.nodes = nodes;
    this.redaction = redaction;
    this.rdds = new Rdds(redaction);
    this.locations = locations;
  }

  /** Writes the value if its class is supported. Returns whether it is. */
  boolean write(Object value, Json out) {
    if (value instanceof CatalogTable) {
      table((CatalogTable) value, out);
    } else if (value instanceof TableIdentifier) {
      identifier((TableIdentifier) value, out);
    } else if (value instanceof AliasIdentifier) {
      identifier(SparkReflection.qualifier((AliasIdentifier) value), ((AliasIdentifier) value).name(), out);
    } else if (value instanceof Identifier) {
      identifier((Identifier) value, out);
    } else if (value instanceof CatalogPlugin) {
      catalog((CatalogPlugin) value, out);
    } else if (value instanceof BaseRelation) {
      relation((BaseRelation) value, out);
    } else if (value instanceof Table) {
      connectorTable((Table) value, out);
    } else if (value instanceof RDD) {
      nodes.addRelation(value);
      rdds.write((RDD<?>) value, out);
    } else {
      return format(value, out);
    }
    return true;
  }

  private boolean format(Object value, Json out) {
    Table cloned = TableFormats.cloned(value);
    if (cloned != null) {
      connectorTable(cloned, out);
    } else if (value instanceof FileIndex) {
      out.object().key("files").object();
      paths(SparkReflection.rootPaths((FileIndex) value), out);
      out.endObject().endObject();
    } else if (value instanceof FileFormat) {
      out.string(provider(value));
    } else if (value instanceof DataSourceRegister) {
      out.object().key("source").object().field("provider", provider(value)).endObject().endObject();
    } else {
      return false;
    }
    return true;
  }

  private static String provider(Object source) {
    return source instanceof DataSourceRegister
        ? ((DataSourceRegister) source).shortName()
        : ClassInfo.of(source).fullName;
  }

  private void table(CatalogTable table, Json out) {
    nodes.addRelation(table);
    out.object().key("table").object();
    out.field("catalog", orNull(table.identifier().catalog()));
    out.field("database", redaction.text(orNull(table.identifier().database())));
    out.field("name", redaction.text(table.identifier().table())).field("type", table.tableType().name());
    out.field("provider", orNull(table.provider()));
    location(table, out);
    names("partitionColumns", SparkReflection.partitionColumns(table), out);
    properties(table, out);
    if (isInCommand() && table.schema().length() > 0) {
      out.key("columns").array();
      values.columns(table.schema(), out);
      out.endArray();
    }
    if (table.viewText().isDefined()) {
      out.field("viewText", redaction.statement(Values.capped(table.viewText().get(), 100_000)));
    }
    out.endObject().endObject();
  }

  private void location(CatalogTable table, Json out) {
    if (table.storage().locationUri().isDefined()) {
      out.field("location", redaction.text(table.storage().locationUri().get().toString()));
    } else if (isInCommand()) {
      out.field("location", redaction.text(locations.ofNew(nodes.current(), table)));
    }
    if (!isInCommand()) {
      locations.seen(table);
    }
  }

  private boolean isInCommand() {
    return nodes.current() instanceof Command;
  }

  /** Writes the properties, except those in which Spark stores schemas and the settings of views. */
  private void properties(CatalogTable table, Json out) {
    if (table.properties().isEmpty()) {
      return;
    }
    out.key("properties").object();
    Iterator<scala.Tuple2<String, String>> entries = table.properties().iterator();
    while (entries.hasNext()) {
      scala.Tuple2<String, String> entry = entries.next();
      if (!entry._1().startsWith("view.") && !entry._1().startsWith("spark.sql.sources.schema")) {
        out.field(entry._1(), redaction.value(entry._1(), entry._2()));
      }
    }
    out.endObject();
  }

  private void identifier(TableIdentifier identifier, Json out) {
    out.object().key("identifier").object().field("catalog", orNull(identifier.catalog()));
    out.key("namespace").array();
    if (identifier.database().isDefined()) {
      out.string(identifier.database().get());
    }
    out.endArray().field("name", redaction.text(identifier.table()));
    if (isInCommand()) {
      out.field("location", redaction.text(locations.of(nodes.current(), identifier)));
      managed(locations.isManaged(identifier), out);
    }
    out.endObject().endObject();
  }

  private void identifier(Seq<String> namespace, String name, Json out) {
    out.object().key("identifier").object();
    names("namespace", namespace, out);
    out.field("name", redaction.text(name)).endObject().endObject();
  }

  private void identifier(Identifier identifier, Json out) {
    out.object().key("identifier").object().key("namespace").array();
    for (String part : identifier.namespace()) {
      out.string(redaction.text(part));
    }
    out.endArray().field("name", redaction.text(identifier.name()));
    if (nodes.current() instanceof ResolvedIdentifier) {
      CatalogPlugin catalog = ((ResolvedIdentifier) nodes.current()).catalog();
      out.field("location", redaction.text(locations.of(catalog, identifier)));
      managed(locations.isManaged(catalog, identifier), out);
    }
    out.endObject().endObject();
  }

  private static void managed(Boolean isManaged, Json out) {
    if (isManaged != null) {
      out.key("managed").bool(isManaged);
    }
  }

  private void catalog(CatalogPlugin catalog, Json out) {
    out.object().key("catalog").object().field("name", catalog.name());
    out.field("class", ClassInfo.of(catalog).fullName).endObject().endObject();
  }

  private void relation(BaseRelation relation, Json out) {
    nodes.addRelation(relation);
    if (relation instanceof HadoopFsRelation) {
      files((HadoopFsRelation) relation, out);
    } else if (relation instanceof JDBCRelation) {
      jdbc(((JDBCRelation) relation).jdbcOptions(), out);
    } else if (TableFormats.isDelta(relation)) {
      changes(relation, out);
    } else {
      ClassInfo type = ClassInfo.of(relation);
      out.object().key("relation").object().field("class", type.fullName);
      if (type.fullName.equals(KAFKA)) {
        // no other object contains topics and servers
        Object given = SparkFacts.field(relation, relation.getClass(), "sourceOptions");
        options((scala.collection.Map<?, ?>) given, out);
      }
      out.endObject().endObject();
    }
  }

  private void files(HadoopFsRelation files, Json out) {
    // The scan has a copy of the relation with another location if partitions were pruned, and with another schema if
    // nested columns were. Relations without partitions share the empty schema.
    nodes.addRelation(files.dataSchema());
    nodes.addRelation(files.location());
    if (files.partitionSchema().length() > 0) {
      nodes.addRelation(files.partitionSchema());
    }
    boolean isDelta = TableFormats.isDelta(files.location());
    out.object().key("files").object();
    out.field("format", isDelta ? "delta" : provider(files.fileFormat()));
    paths(SparkReflection.rootPaths(files.location()), out);
    out.key("partitionColumns").array();
    for (String name : files.partitionSchema().fieldNames()) {
      out.string(redaction.text(name));
    }
    out.endArray();
    options(files.options(), out);
    out.endObject().endObject();
  }

  /** Writes the change feed of a Delta table, which is a separate relation over the table's files. */
  private void changes(BaseRelation relation, Json out) {
    Object table = SparkFacts.held(relation, "catalogTableOpt");
    Object path = TableFormats.pathOfChanges(relation);
    if (table instanceof CatalogTable) {
      table((CatalogTable) table, out);
    } else if (path != null) {
      out.object().key("files").object().field("format", "delta").key("paths").array();
      out.string(redaction.text(path.toString())).endArray().endObject().endObject(); // a Hadoop Path
    } else {
      out.object().key("relation").object().field("class", ClassInfo.of(relation).fullName);
      out.endObject().endObject();
    }
  }

  private void paths(Seq<?> paths, Json out) {
    out.key("paths").array();
    Iterator<?> iterator = paths.iterator();
    for (int i = 0; i < MAX_PATHS && iterator.hasNext(); i++) {
      out.string(redaction.text(iterator.next().toString())); // a String or a Hadoop Path
    }
    out.endArray();
    if (paths.size() > MAX_PATHS) {
      out.field("pathCount", paths.size());
    }
  }

  private void options(scala.collection.Map<?, ?> options, Json out) {
    if (!options.isEmpty()) {
      out.key("options");
      values.entries(options, out);
    }
  }

  private void jdbc(JDBCOptions options, Json out) {
    out.object().key("jdbc").object().field("url", redaction.text(options.url()));
    for (String name : new String[] {"dbtable", "query", "prepareQuery"}) {
      Option<String> text = options.parameters().get(name);
      if (text.isDefined()) {
        out.field(name, query(text.get(), options.url()));
      }
    }
    out.endObject().endObject();
  }

  private String query(String text, String url) {
    return redaction.recordsLiterals
        ? values.text(text)
        : values.text(SqlLiterals.replacedStrings(text, url));
  }

  private void connectorTable(Table table, Json out) {
    nodes.addRelation(table);
    tableItself(TableFormats.operated(table), out);
  }

  private void tableItself(Table table, Json out) {
    if (table instanceof V1Table) {
      table(((V1Table) table).v1Table(), out);
    } else if (table instanceof FileTable) {
      files((FileTable) table, out);
    } else {
      v2(table, out);
    }
  }

  /** Writes the resolved paths, or those specified by the user if Spark has not resolved them yet. */
  private void files(FileTable files, Json out) {
    out.object().key("files").object().field("format", files.formatName().toLowerCase());
    Object index = SparkFacts.field(files, FileTable.class, "fileIndex");
    if (index instanceof FileIndex) {
      paths(SparkReflection.rootPaths((FileIndex) index), out);
    } else if (files instanceof Product) {
      Product product = (Product) files;
      Object paths = product.productElement(ClassInfo.of(files).indexOf("paths", product));
      paths((Seq<?>) paths, out);
    }
    out.endObject().endObject();
  }

  /** Writes the table's state in memory. It does not call properties(), which may query a catalog. */
  private void v2(Table table, Json out) {
    out.object().key("v2").object().field("class", ClassInfo.of(table).fullName);
    out.field("name", redaction.text(table.name()));
    if (TableFormats.provider(table) != null) {
      out.key("properties").object().field("provider", TableFormats.provider(table));
      String location = TableFormats.location(table);
      out.field("location", location == null ? null : redaction.text(location)).endObject();
    }
    GeneratedColumns.write(table, out);
    if (TableFormats.isMetadata(table)) {
      out.key("metadata").bool(true);
    }
    out.endObject().endObject();
  }

  private void names(String key, Seq<String> names, Json out) {
    out.key(key).array();
    Iterator<String> iterator = names.iterator();
    while (iterator.hasNext()) {
      out.string(redaction.text(iterator.next()));
    }
    out.endArray();
  }

  private static String orNull(Option<String> text) {
    return text.isDefined() ? text.get() : null;
  }
}
