"""Fits, saves, loads and uses models of Spark ML.

Usage: models.py DIRECTORY save|use [DIRECTORY OF THE MODELS]
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.classification import LogisticRegression, LogisticRegressionModel
from pyspark.ml.evaluation import RegressionEvaluator
from pyspark.ml.feature import StringIndexer, VectorAssembler
from pyspark.ml.regression import LinearRegression, LinearRegressionModel
from pyspark.ml.tuning import CrossValidator, CrossValidatorModel, ParamGridBuilder
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DIRECTORY, ACT, *MORE = sys.argv[1:]
DATA = MORE[0] if MORE else DIRECTORY


def people(name: str) -> DataFrame:
    """Read a table of people."""
    return spark.read.parquet(f"{DATA}/{name}")


def features() -> VectorAssembler:
    """Return the assembler of the columns into a vector."""
    return VectorAssembler(inputCols=["age", "spent"], outputCol="features")


def case(name: str) -> None:
    """Begin a case, whose runs have its name as job group."""
    spark.sparkContext.setJobGroup(name, name)


def prepare() -> None:
    """Write the training data."""
    rows = spark.range(60).select(
        "id",
        (F.col("id") % 50 + 18).cast("double").alias("age"),
        (F.col("id") * 3 % 7).cast("double").alias("spent"),
        (F.col("id") % 2).cast("double").alias("label"),
        F.when(F.col("id") % 3 == 0, "a").otherwise("b").alias("kind"),
    )
    for name in ("cust", "other", "fresh"):
        rows.write.parquet(f"{DATA}/{name}")


def fit() -> None:
    """Fit and save models."""
    case("plain")
    plain = LogisticRegression(maxIter=3).fit(features().transform(people("cust")))
    plain.save(f"{DATA}/plain")
    case("again")
    plain.write().overwrite().save(f"{DATA}/plain")
    case("unfitted")
    stages = [
        StringIndexer(inputCol="kind", outputCol="k"),
        features(),
        LinearRegression(maxIter=2),
    ]
    Pipeline(stages=stages).save(f"{DATA}/unfitted")
    case("pipeline")
    Pipeline(stages=stages).fit(people("cust")).save(f"{DATA}/pipeline")
    case("in memory")
    plain.transform(features().transform(people("fresh"))).drop("features").select(
        "id", "prediction"
    ).write.parquet(f"{DATA}/at_once")


def cross() -> None:
    """Search for the best parameters and save the best model."""
    case("cross")
    line = LinearRegression(maxIter=2)
    grid = ParamGridBuilder().addGrid(line.regParam, [0.0, 0.1]).build()
    search = CrossValidator(
        estimator=line, estimatorParamMaps=grid, evaluator=RegressionEvaluator(), numFolds=2
    )
    search.fit(features().transform(people("cust"))).save(f"{DATA}/cross")


def two() -> None:
    """Fit two models of one class on different data and save both."""
    case("first of two")
    one = LogisticRegression(maxIter=2).fit(features().transform(people("cust")))
    other = LogisticRegression(maxIter=2).fit(features().transform(people("other")))
    one.save(f"{DATA}/one")
    case("second of two")
    other.save(f"{DATA}/two")


def use() -> None:
    """Load the models in another application, and use them."""
    case("use plain")
    plain = LogisticRegressionModel.load(f"{DATA}/plain")
    plain.transform(features().transform(people("fresh"))).select("id", "prediction").write.parquet(
        f"{DATA}/by_plain"
    )
    case("use pipeline")
    pipeline = PipelineModel.load(f"{DATA}/pipeline")
    pipeline.transform(people("fresh")).select("id", "prediction").write.parquet(
        f"{DATA}/by_pipeline"
    )


def use_more() -> None:
    """Load two models of one class, and a search."""
    case("use two")
    one = LogisticRegressionModel.load(f"{DATA}/one")
    second = LogisticRegressionModel.load(f"{DATA}/two")
    one.transform(features().transform(people("fresh"))).select("id", "prediction").write.parquet(
        f"{DATA}/by_one"
    )
    second.transform(features().transform(people("fresh"))).select(
        "id", "prediction"
    ).write.parquet(f"{DATA}/by_two")
    case("use cross")
    cross = CrossValidatorModel.load(f"{DATA}/cross")
    assert isinstance(cross.bestModel, LinearRegressionModel)
    cross.transform(features().transform(people("fresh"))).select("id", "prediction").write.parquet(
        f"{DATA}/by_cross"
    )


ACTS = {
    "save": (prepare, fit, cross, two),
    "use": (use, use_more),
}

spark = SparkSession.builder.appName("models").getOrCreate()
for act in ACTS[ACT]:
    act()
spark.stop()
