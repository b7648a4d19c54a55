package tests;

import org.apache.spark.api.java.function.FilterFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.MapGroupsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.expressions.Aggregator;
import org.apache.spark.sql.functions;
import scala.Tuple2;

/** Features of the JVM only: compiled functions and typed Datasets. */
public final class Functions {
  private Functions() {}

  /** A function of one value, for {@code spark.udf.registerJavaFunction}. */
  public static final class Shout implements UDF1<String, String> {
    @Override
    public String call(String text) {
      return text + "!";
    }
  }

  /** Aggregates the longest text of a group. */
  public static final class Longest extends Aggregator<String, String, String> {
    @Override
    public String zero() {
      return "";
    }

    @Override
    public String reduce(String longest, String text) {
      return merge(longest, text);
    }

    @Override
    public String merge(String one, String other) {
      return other.length() > one.length() ? other : one;
    }

    @Override
    public String finish(String longest) {
      return longest;
    }

    @Override
    public Encoder<String> bufferEncoder() {
      return Encoders.STRING();
    }

    @Override
    public Encoder<String> outputEncoder() {
      return Encoders.STRING();
    }
  }

  public static void registerLongest(SparkSession spark) {
    spark.udf().register("longest", functions.udaf(new Longest(), Encoders.STRING()));
  }

  private static Dataset<Tuple2<Integer, String>> typed(Dataset<Row> people) {
    return people.select("id", "name").as(Encoders.tuple(Encoders.INT(), Encoders.STRING()));
  }

  /** Filters and maps objects of id and name. */
  public static Dataset<Row> mapped(Dataset<Row> people) {
    return typed(people)
        .filter((FilterFunction<Tuple2<Integer, String>>) person -> person._1() > 1)
        .map(
            (MapFunction<Tuple2<Integer, String>, String>) person -> person._2() + person._1(),
            Encoders.STRING())
        .toDF("made");
  }

  /** Groups objects of id and name by a function. */
  public static Dataset<Row> grouped(Dataset<Row> people) {
    return typed(people)
        .groupByKey(
            (MapFunction<Tuple2<Integer, String>, Integer>) person -> person._1() % 2,
            Encoders.INT())
        .mapGroups(
            (MapGroupsFunction<Integer, Tuple2<Integer, String>, String>)
                (key, group) -> key + group.next()._2(),
            Encoders.STRING())
        .toDF("made");
  }
}
