package io.lineage.spark;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.ArrayMax;
import org.apache.spark.sql.catalyst.expressions.ArrayMin;
import org.apache.spark.sql.catalyst.expressions.ArraySort;
import org.apache.spark.sql.catalyst.expressions.ArraysZip;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetArrayStructFields;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.Greatest;
import org.apache.spark.sql.catalyst.expressions.Least;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.OuterReference;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.expressions.ScalaUDF;
import org.apache.spark.sql.catalyst.expressions.SortArray;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.expressions.UpdateFields;
import org.apache.spark.sql.catalyst.expressions.UserDefinedExpression;
import org.apache.spark.sql.catalyst.expressions.WithField;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import scala.Product;
import scala.collection.Iterator;
import scala.collection.Seq;

/** The tables of expressions and types of one plan. Each distinct one is written once. */
final class Expressions {
  /** Returned for an expression that this level of detail omits. */
  static final int LEFT_OUT = -1;

  /** Functions that compare values; structs are compared field by field. */
  private static final Set<Class<?>> COMPARING =
      new HashSet<>(Arrays.asList(
              ArrayMax.class, ArrayMin.class, ArraySort.class, Greatest.class, Least.class, Max.class,
              Min.class, SortArray.class));

  /** The last attribute with an id. Attributes with the same id may differ in name or type. */
  private static final class Attribute {
    final String name;
    final DataType type;
    final int index;

    Attribute(AttributeReference attribute, int index) {
      this.name = attribute.name();
      this.type = attribute.dataType();
      this.index = index;
    }

    boolean is(AttributeReference attribute) {
      return type == attribute.dataType() && name.equals(attribute.name());
    }
  }

  private final Detail detail;
  private final Nodes nodes;
  private final References references;
  private final Json exprs;
  private final Json types;
  private final ColumnNames names;
  private final Json entry = new Json();
  private final IdentityHashMap<Object, Integer> seen = new IdentityHashMap<>();
  private final Map<Long, Attribute> attributes = new HashMap<>();
  private final Map<String, Integer> byText = new HashMap<>();
  private final IdentityHashMap<DataType, Integer> seenTypes = new IdentityHashMap<>();
  private final Map<String, Integer> typesByText = new HashMap<>();

  Expressions(
      Nodes nodes, Detail detail, int limit, ColumnNames names, References references) {
    this.names = names;
    this.nodes = nodes;
    this.references = references;
    this.detail = detail;
    this.exprs = new Json(limit).array();
    this.types = new Json(limit).array();
  }

  Json exprs() {
    return exprs.endArray();
  }

  Json types() {
    return types.endArray();
  }

  int size() {
    return exprs.size() + types.size();
  }

  /** Returns the index of the expression, which is written on first use. */
  int index(Expression expression) {
    if (expression instanceof AttributeReference) {
      return attribute((AttributeReference) expression);
    }
    Integer known = seen.get(expression);
    if (known == null) {
      known = other(expression);
      seen.put(expression, known);
    }
    return known;
  }

  /** Returns the index of an attribute by its id, because each call of output() creates new attributes. */
  private int attribute(AttributeReference attribute) {
    if (detail == Detail.RELATIONS) {
      return LEFT_OUT;
    }
    Attribute known = attributes.get(attribute.exprId().id());
    if (known == null || !known.is(attribute)) {
      known = new Attribute(attribute, add(attribute));
      attributes.put(attribute.exprId().id(), known);
    }
    return known.index;
  }

  private int add(AttributeReference attribute) {
    int type = type(attribute.dataType());
    entry.reset(Integer.MAX_VALUE).array().string("#").number(attribute.exprId().id());
    return add(entry.string(names.of(attribute.name())).number(type).endArray());
  }

  private int other(Expression expression) {
    int[] children = children(expression);
    int plan = planOf(expression);
    int[] outer = outer(expression);
    if (detail != Detail.ALL) {
      return LEFT_OUT; // visited only for the plans of subqueries
    }
    int type = hasType(expression) ? typeOf(expression) : LEFT_OUT;
    entry.reset(Integer.MAX_VALUE).array().string(ClassInfo.of(expression).simpleName);
    for (int child : children) {
      entry.number(child);
    }
    facts(expression, type, plan, outer);
    return add(entry.endArray());
  }

  private int[] children(Expression expression) {
    if (expression instanceof OuterReference) {
      return new int[] {index((Expression) ((OuterReference) expression).e())};
    }
    return indexes(SparkReflection.children(expression));
  }

  private int[] indexes(Seq<? extends Expression> expressions) {
    int[] indexes = new int[expressions.size()];
    Iterator<? extends Expression> iterator = expressions.iterator();
    for (int i = 0; i < indexes.length; i++) {
      indexes[i] = index(iterator.next());
    }
    return indexes;
  }

  private int planOf(Expression expression) {
    if (!(expression instanceof PlanExpression)) {
      return LEFT_OUT;
    }
    Object plan = ((PlanExpression<?>) expression).plan();
    if (!(plan instanceof LogicalPlan)) {
      return LEFT_OUT;
    }
    int index = nodes.index((LogicalPlan) plan);
    nodes.addInner(index);
    return index;
  }

  @SuppressWarnings("unchecked")
  private int[] outer(Expression expression) {
    if (!(expression instanceof SubqueryExpression && expression instanceof Product)) {
      return new int[0];
    }
    Product product = (Product) expression; // Spark 3.5 has no method for outer attributes
    int element = ClassInfo.of(expression).indexOf("outerAttrs", product);
    return element < 0 ? new int[0] : indexes((Seq<Expression>) product.productElement(element));
  }

  private static boolean hasType(Expression expression) {
    return expression instanceof NamedExpression
        || expression instanceof Literal
        || expression instanceof Cast;
  }

  private int typeOf(Expression expression) {
    try {
      return type(expression.dataType());
    } catch (Exception e) { // Scala also throws undeclared checked exceptions, such as AnalysisException
      return LEFT_OUT; // an unresolved expression has no type
    }
  }

  private int type(DataType type) {
    Integer known = seenTypes.get(type);
    if (known == null) {
      String text = type.catalogString();
      known = typesByText.get(text);
      if (known == null) {
        known = typesByText.size();
        typesByText.put(text, known);
        types.string(text);
      }
      seenTypes.put(type, known);
    }
    return known;
  }

  private void facts(Expression expression, int type, int plan, int[] outer) {
    int size = entry.size();
    boolean comma = entry.pendingComma();
    entry.object();
    int empty = entry.size();
    try {
      named(expression);
      if (type != LEFT_OUT) {
        entry.field("type", type);
      }
      access(expression);
      subquery(plan, outer);
    } catch (Exception e) {
      entry.rewind(empty, false); // an unresolved expression has no details
    }
    if (entry.size() == empty) {
      entry.rewind(size, comma);
    } else {
      entry.endObject();
    }
  }

  private void named(Expression expression) {
    if (expression instanceof NamedExpression) {
      NamedExpression named = (NamedExpression) expression;
      entry.field("id", named.exprId().id()).field("name", names.of(named.name()));
    }
    if (expression instanceof UserDefinedExpression) {
      entry.field("function", ((UserDefinedExpression) expression).name());
      model(expression);
    } else if (expression instanceof StaticInvoke) {
      entry.field("function", ((StaticInvoke) expression).functionName());
    }
    String name = ClassInfo.of(expression).simpleName;
    if (name.equals("DeltaMergeAction")) {
      assigned((Seq<?>) SparkFacts.held(expression, "targetColNameParts"));
    } else if (name.equals("VariableReference")) {
      String variable = EarlierPlans.name(expression);
      entry.field("name", variable);
      references.variable(variable, entry);
    }
  }

  /** Writes the Spark ML model that a function applies. */
  private void model(Expression expression) {
    if (expression instanceof ScalaUDF && Models.writeUse(((ScalaUDF) expression).function(), entry)) {
      references.model();
    }
  }

  /** Writes the column that a clause of Delta's MERGE assigns. */
  private void assigned(Seq<?> path) {
    entry.key("names").array();
    Iterator<?> parts = path.iterator();
    while (parts.hasNext()) {
      entry.string(names.of((String) parts.next()));
    }
    entry.endArray();
  }

  private void access(Expression expression) {
    if (expression instanceof GetStructField) {
      GetStructField access = (GetStructField) expression;
      StructType struct = (StructType) access.child().dataType();
      entry.field("ordinal", access.ordinal()).field("field", names.of(struct.fields()[access.ordinal()].name()));
    } else if (expression instanceof GetArrayStructFields) {
      GetArrayStructFields access = (GetArrayStructFields) expression;
      // the struct has the original case of the name, which the access may not have
      StructType struct = (StructType) ((ArrayType) access.child().dataType()).elementType();
      entry.field("ordinal", access.ordinal()).field("field", names.of(struct.fields()[access.ordinal()].name()));
    } else if (expression instanceof WithField) {
      entry.field("field", names.of(((WithField) expression).name()));
    } else if (expression instanceof CreateNamedStruct || expression instanceof UpdateFields) {
      fieldNames((StructType) expression.dataType());
    } else if (expression instanceof ArraysZip) {
      fieldNames((StructType) ((ArrayType) expression.dataType()).elementType());
    } else if (COMPARING.contains(expression.getClass())) {
      compared(expression);
    } else if (expression instanceof Cast) {
      source((Cast) expression);
    } else if (expression instanceof AggregateExpression && ((AggregateExpression) expression).isDistinct()) {
      entry.key("distinct").bool(true);
    }
  }

  private void fieldNames(StructType struct) {
    entry.key("names").array();
    for (String name : struct.fieldNames()) {
      entry.string(names.of(name));
    }
    entry.endArray();
  }

  /** Writes the struct fields that determine a comparison or an order. */
  private void compared(Expression expression) {
    boolean sorts = expression instanceof ArraySort || expression instanceof SortArray;
    DataType type = expression.dataType();
    DataType compared = sorts ? ((ArrayType) type).elementType() : type;
    if (compared instanceof StructType) {
      fieldNames((StructType) compared);
    }
  }

  /**
   * Writes the source type of a cast of nested values, whose fields are matched by position. It is omitted for
   * an attribute, which is written with its type.
   */
  private void source(Cast cast) {
    DataType to = cast.dataType();
    boolean isNested = to instanceof StructType || to instanceof ArrayType || to instanceof MapType;
    if (isNested && !(cast.child() instanceof AttributeReference)) {
      entry.field("from", type(cast.child().dataType()));
    }
  }

  private void subquery(int plan, int[] outer) {
    if (plan >= 0) {
      entry.field("plan", plan);
    }
    if (outer.length > 0) {
      entry.key("outer").array();
      for (int attribute : outer) {
        entry.number(attribute);
      }
      entry.endArray();
    }
  }

  private int add(Json text) {
    byte[] bytes = text.toBytes();
    String key = new String(bytes, StandardCharsets.ISO_8859_1);
    Integer known = byText.get(key);
    if (known == null) {
      known = byText.size();
      byText.put(key, known);
      exprs.raw(bytes);
    }
    return known;
  }
}
