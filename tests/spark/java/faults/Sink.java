package faults;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Map;

/** Data sources that work for Spark, and fail in threads of the listener that read their name. */
public abstract class Sink implements CreatableRelationProvider, DataSourceRegister {
  @Override
  public BaseRelation createRelation(
      SQLContext context, SaveMode mode, Map<String, String> parameters, Dataset<Row> data) {
    data.foreach(row -> {});
    return new BaseRelation() {
      @Override
      public SQLContext sqlContext() {
        return context;
      }

      @Override
      public StructType schema() {
        return data.schema();
      }
    };
  }

  @Override
  public String shortName() {
    if (Thread.currentThread().getName().startsWith("lineage-")) {
      fail();
    }
    return "sink";
  }

  abstract void fail();

  public static final class Throws extends Sink {
    @Override
    void fail() {
      throw new IllegalStateException("no name");
    }
  }

  public static final class LacksClass extends Sink {
    @Override
    void fail() {
      throw new NoClassDefFoundError("faults/Name");
    }
  }

  public static final class Breaks extends Sink {
    @Override
    void fail() {
      throw new AssertionError("no name");
    }
  }
}
