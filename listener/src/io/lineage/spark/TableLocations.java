package io.lineage.spark;

import java.net.URI;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTableType;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Identifier;

/**
 * The locations of session catalog tables that plans of this application contain. Commands such as TRUNCATE and
 * DROP contain only the name of a table. No catalog is queried, and uncertain locations are null. Used only on
 * the encoder's thread, which processes events in order.
 */
final class TableLocations {
  private static final int MOST = 10_000;
  private static final String SESSION_CATALOG = "spark_catalog";

  /** The place of a table that exists or may exist, but whose location is uncertain. */
  private static final Place UNKNOWN = new Place(null, null);

  private static final Place DROPPED = new Place(null, null);

  private static final String WAREHOUSE = "spark.sql.warehouse.dir";

  private final SparkConf conf;
  private final DroppedDocuments drops;
  private final Map<String, Place> tables = new HashMap<>();
  private final Map<String, Place> databases = new HashMap<>();

  private static final class Place {
    final String location;

    /** Whether Spark removes the files together with the table; null if this is uncertain. */
    final Boolean isManaged;

    Place(String location, Boolean isManaged) {
      this.location = location;
      this.isManaged = isManaged;
    }
  }

  TableLocations(SparkConf conf, DroppedDocuments drops) {
    this.conf = conf;
    this.drops = drops;
  }

  /** Returns the location of the table that a command names; null if it is uncertain. */
  String of(LogicalPlan command, TableIdentifier table) {
    String name = ClassInfo.of(command).simpleName;
    if (name.equals("AlterTableRenameCommand") && table == SparkFacts.get(command, "newName")) {
      TableIdentifier old = (TableIdentifier) SparkFacts.get(command, "oldName");
      return isOfSession(old) ? certain(renamed(old, table).location) : null;
    }
    if (!isOfSession(table)) {
      return null;
    }
    boolean isNew = name.equals("CreateTableLikeCommand");
    return isNew ? ofNew(command, table) : of(database(table), table.table());
  }

  /** Returns whether DROP removes the files of a table; null if this is uncertain. */
  Boolean isManaged(TableIdentifier table) {
    return isOfSession(table) ? isManaged(database(table), table.table()) : null;
  }

  Boolean isManaged(CatalogPlugin catalog, Identifier table) {
    boolean isOfSession = isOfSession(catalog) && table.namespace().length == 1;
    return isOfSession ? isManaged(table.namespace()[0], table.name()) : null;
  }

  private Boolean isManaged(String database, String table) {
    Place place = tables.get(key(database, table));
    return place == null || drops.total() > 0 ? null : place.isManaged;
  }

  String of(CatalogPlugin catalog, Identifier table) {
    boolean isOfSession = isOfSession(catalog) && table.namespace().length == 1;
    return isOfSession ? of(table.namespace()[0], table.name()) : null;
  }

  /** Returns the location of a new table without LOCATION; null if it is Spark's default or uncertain. */
  String ofNew(LogicalPlan command, CatalogTable table) {
    return isOfSession(table.identifier()) ? ofNew(command, table.identifier()) : null;
  }

  private String ofNew(LogicalPlan command, TableIdentifier table) {
    String there = CatalogCommands.targetMayExist(command) ? of(database(table), table.table()) : null;
    Place holder = databases.get(key(database(table)));
    boolean isElsewhere = holder != null && holder.location != null && Boolean.FALSE.equals(holder.isManaged);
    return there != null || !isElsewhere ? there : certain(below(holder.location, table.table()));
  }

  private String of(String database, String table) {
    Place place = tables.get(key(database, table));
    return place == null ? null : certain(place.location);
  }

  /** Returns the location; null if a document was lost, because its command may have changed the location. */
  private String certain(String location) {
    return drops.total() == 0 ? location : null;
  }

  /**
   * Records the location of a relation, unless one is recorded. A frame may be older than a command on its
   * table, such as DROP.
   */
  void seen(CatalogTable table) {
    if (isOfSession(table.identifier()) && table.storage().locationUri().isDefined()) {
      String location = table.storage().locationUri().get().toString();
      String key = key(database(table.identifier()), table.identifier().table());
      if (!tables.containsKey(key)) {
        put(tables, key, new Place(location, isManaged(table)));
      }
    }
  }

  /** Records that a command created a table, or left an existing one unchanged if it {@code mayExist}. */
  void made(TableIdentifier table, Object location, boolean isManaged, boolean mayExist, boolean failed) {
    if (!isOfSession(table)) {
      return;
    }
    Place there = tables.get(key(database(table), table.table()));
    if (failed || mayExist && there == null && !isComplete()) {
      put(table, UNKNOWN);
    } else if (!mayExist || there == null || there == DROPPED) {
      String place = location == null ? usual(database(table), table.table()) : absolute(location);
      put(table, new Place(place, isManaged));
    }
  }

  void moved(TableIdentifier table, Object location, boolean failed) {
    if (isOfSession(table)) {
      Place there = tables.get(key(database(table), table.table()));
      put(table, new Place(failed ? null : absolute(location), there == null ? null : there.isManaged));
    }
  }

  void dropped(TableIdentifier table, boolean failed) {
    put(table, failed ? UNKNOWN : DROPPED);
  }

  void renamed(TableIdentifier old, TableIdentifier renamed, boolean failed) {
    if (isOfSession(old)) {
      Place place = failed ? UNKNOWN : renamed(old, renamed);
      put(old, failed ? UNKNOWN : DROPPED);
      put(tables, key(database(old), renamed.table()), place);
    }
  }

  /** Returns the place of a renamed table. Only a managed table at the default location moves. */
  private Place renamed(TableIdentifier old, TableIdentifier renamed) {
    Place place = tables.get(key(database(old), old.table()));
    if (place == null || place.location == null) {
      return UNKNOWN;
    }
    String usual = usual(database(old), old.table());
    if (Boolean.FALSE.equals(place.isManaged)) {
      return place;
    }
    boolean isUsual = usual != null && isSame(new Path(usual).toUri(), new Path(place.location).toUri());
    return isUsual ? new Place(usual(database(old), renamed.table()), true) : UNKNOWN;
  }

  private static boolean isSame(URI one, URI other) {
    boolean bothHaveScheme = one.getScheme() != null && other.getScheme() != null;
    return bothHaveScheme ? one.equals(other) : one.getPath().equals(other.getPath());
  }

  /** Records a command of the connector API on the table. */
  void changed(CatalogPlugin catalog, Identifier table, boolean isDropped) {
    if (isOfSession(catalog) && table.namespace().length == 1) {
      put(tables, key(table.namespace()[0], table.name()), isDropped ? DROPPED : UNKNOWN);
    }
  }

  /** Records that the database was dropped or moved. */
  void changed(String database) {
    put(databases, key(database), UNKNOWN);
    tables.replaceAll((key, place) -> key.startsWith(key(database) + ".") ? UNKNOWN : place);
  }

  void made(String database, Object location, boolean mayExist, boolean failed) {
    String usual = below(conf.get(WAREHOUSE, null), database + ".db");
    Place place = location == null ? new Place(usual, true) : new Place(absolute(location), false);
    boolean isUnknown = failed || mayExist && !isComplete();
    if (!mayExist && !failed || !databases.containsKey(key(database))) {
      put(databases, key(database), isUnknown ? UNKNOWN : place);
    }
  }

  /** Returns Spark's default location of a table; null if that of its database is unknown. */
  private String usual(String database, String table) {
    if (key(database).equals("default")) {
      return below(conf.get(WAREHOUSE, null), table);
    }
    Place holder = databases.get(key(database));
    return holder == null ? null : below(holder.location, table);
  }

  private static String below(String directory, String name) {
    return directory == null ? null : directory.replaceAll("/+$", "") + "/" + name;
  }

  /** Returns the location; null if it is relative, because Spark resolves it by its own rules. */
  private static String absolute(Object location) {
    String text = location.toString(); // a String or a URI
    return text.matches("(?:[A-Za-z][\\w+.-]*:)?/.*") ? text : null;
  }

  /** Returns whether all tables are known, as in a catalog in memory, which belongs to this application. */
  private boolean isComplete() {
    boolean isInMemory = !conf.get("spark.sql.catalogImplementation", "in-memory").equals("hive");
    return isInMemory && tables.size() < MOST && databases.size() < MOST;
  }

  private void put(TableIdentifier table, Place place) {
    if (isOfSession(table)) {
      put(tables, key(database(table), table.table()), place);
    }
  }

  private static void put(Map<String, Place> into, String key, Place place) {
    if (into.size() < MOST || into.containsKey(key)) {
      into.put(key, place);
    }
  }

  static boolean isOfSession(CatalogPlugin catalog) {
    return catalog.name().equals(SESSION_CATALOG);
  }

  private static boolean isOfSession(TableIdentifier table) {
    boolean isSparks = table.catalog().isEmpty() || table.catalog().get().equals(SESSION_CATALOG);
    return isSparks && table.database().isDefined();
  }

  static boolean isManaged(CatalogTable table) {
    return table.tableType().equals(CatalogTableType.MANAGED());
  }

  private static String database(TableIdentifier table) {
    return table.database().get();
  }

  private static String key(String database, String table) {
    return key(database) + "." + table.toLowerCase(Locale.ROOT);
  }

  private static String key(String database) {
    return database.toLowerCase(Locale.ROOT);
  }
}
