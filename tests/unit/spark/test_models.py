"""Models of Spark ML: one dataset by its path, for models of any parts."""

from __future__ import annotations

import pytest
from support.events.plan_documents import (
    Json,
    Plans,
    ended,
    events,
    execution_end,
    read_by,
    unresolved,
    written_by,
)

ML = "org.apache.spark.ml."
PLAIN = [
    ML + "util.DefaultParamsWriter$.saveMetadata",
    ML + "classification.LogisticRegressionModel$LogisticRegressionModelWriter.saveImpl",
    ML + "util.MLWriter.save",
]
DATA = [ML + "util.ReadWriteUtils$.saveObject", *PLAIN[1:]]
SEARCH = ML + "tuning.CrossValidatorModel$CrossValidatorModelWriter.saveImpl"
PIPELINE = [
    ML + "util.DefaultParamsWriter$.saveMetadata",
    ML + "Pipeline$PipelineWriter.saveImpl",
    ML + "util.MLWriter.save",
]
LOAD = [
    ML + "util.DefaultParamsReader$.loadMetadata",
    ML + "classification.LogisticRegressionModel$LogisticRegressionModelReader.load",
]
STAGE = "stages/{}_LinearRegression_b0ab18868607/metadata"


def document(plan: Json, frames: list[str], **more: object) -> Json:
    made = execution_end(plan, **more)
    made["execution"]["ml"] = frames
    return made


def saved(path: str) -> Json:
    plans = Plans()
    rows = plans.node("LocalRelation", out=[])
    plans.node(
        "InsertIntoHadoopFsRelationCommand", rows, outputPath=path, mode="ErrorIfExists", out=[]
    )
    return plans.build()


def loaded(path: str) -> Json:
    plans = Plans()
    files = plans.files(path, columns=("value",), form="text", types={"value": "string"})
    plans.node("GlobalLimit", plans.node("LocalLimit", files))
    return plans.build()


@pytest.mark.parametrize("directory", ["plain", "estimator", "bestModel", "metadata"])
def test_a_saved_model_is_its_directory_whatever_its_name(directory: str) -> None:
    event = ended(document(saved(f"file:/m/{directory}/metadata"), PLAIN))
    assert written_by(event) == [f"file /m/{directory}"]
    assert unresolved(event) == ["LogisticRegressionModel"], "nobody says what it was fitted on"


def test_an_unfitted_pipeline_has_no_data_and_no_mark() -> None:
    event = ended(document(saved("file:/m/p/metadata"), PIPELINE))
    assert (written_by(event), unresolved(event)) == (["file /m/p"], [])


@pytest.mark.parametrize(
    ("path", "frames"),
    [("file:/m/plain/data", DATA), ("file:/m/search/bestModel/metadata", [*PLAIN, SEARCH])],
)
def test_other_parts_are_no_runs(path: str, frames: list[str]) -> None:
    assert events(document(saved(path), frames)) == []


def test_a_part_that_fails_is_a_failed_write_of_the_model() -> None:
    error = {"class": "java.io.IOException", "message": "no room", "stack": ""}
    failed = document(saved("file:/m/search/bestModel/data"), [*DATA, SEARCH])
    end = events({**failed, "outcome": "FAIL", "error": error})[-1]
    assert end["eventType"] == "FAIL"
    assert written_by(end) == ["file /m/search"]


def test_a_load_reads_the_model() -> None:
    assert read_by(ended(document(loaded("file:/m/plain/metadata"), LOAD))) == ["file /m/plain"]


def test_of_a_pipeline_that_python_loads_the_first_stage_reports() -> None:
    first = document(loaded("file:/m/p/" + STAGE.format(0)), LOAD)
    assert read_by(ended(first)) == ["file /m/p"]
    assert events(document(loaded("file:/m/p/" + STAGE.format(1)), LOAD)) == []


def test_a_directory_named_metadata_is_no_model_without_spark_ml() -> None:
    event = ended(execution_end(saved("file:/m/plain/metadata")))
    assert written_by(event) == ["file /m/plain/metadata"]


@pytest.mark.parametrize(("name", "runs"), [("metadata", 0), ("notes", 1)])
def test_the_look_of_python_at_metadata_is_no_run(name: str, runs: int) -> None:
    callsite = "org.apache.spark.sql.classic.Dataset.collectToPython(Dataset.scala:1)"
    look = execution_end(loaded(f"file:/m/p/{name}"), execution={"callsite": callsite})
    assert len({event["run"]["runId"] for event in events(look)}) == runs


FIT = [ML + "classification.LogisticRegression.train", ML + "Predictor.fit"]
OTHER_FIT = [ML + "clustering.KMeans.fit"]
FOREST = [ML + "classification.RandomForestClassifier.train", ML + "Predictor.fit"]
LOAD_PIPELINE = [
    ML + "util.DefaultParamsReader$.loadMetadata",
    ML + "feature.StringIndexerModel$StringIndexerModelReader.load",
    ML + "util.DefaultParamsReader$.loadParamsInstance",
    ML + "PipelineModel$PipelineModelReader.load",
]


def read_in(frames: list[str], *paths: str) -> Json:
    """Return a read during the fit or load of a model."""
    plans = Plans()
    for path in paths:
        plans.files(path, columns=("x",))
    if not paths:
        plans.node("LocalRelation", out=[])
    return {"ml": frames, "plan": plans.build()}


def models(*origins: Json, complete: bool = True) -> Json:
    return {"origins": list(origins), "complete": complete}


def predictions(*uses: tuple[str, bool | None]) -> Json:
    plans = Plans()
    files = plans.files("file:/fresh", columns=("x",))
    made = [
        plans.expr("ScalaUDF", {"model": cls} | ({} if fitted is None else {"fitted": fitted}))
        for cls, fitted in uses
    ]
    project = plans.node("Project", files, projectList=[{"expr": each} for each in made])
    plans.node("InsertIntoHadoopFsRelationCommand", project, outputPath="file:/out", out=[])
    return plans.build()


CUST, OTHER = read_in(FIT, "file:/cust"), read_in(FIT, "file:/other")
LOADED = read_in(LOAD, "file:/m/plain/metadata")


@pytest.mark.parametrize(
    ("origins", "read", "marks"),
    [
        ([CUST], ["file /cust"], []),
        ([CUST, CUST], ["file /cust"], []),
        ([CUST, read_in(OTHER_FIT, "file:/other")], ["file /cust"], []),
        ([CUST, OTHER], [], ["LogisticRegressionModel"]),
        ([CUST, read_in(FIT)], [], ["LogisticRegressionModel"]),  # or from rows of the driver
        ([read_in(FIT)], [], []),
        ([LOADED], ["file /m/plain"], []),  # it is saved again
        ([LOADED, CUST], [], ["LogisticRegressionModel"]),
        ([], [], ["LogisticRegressionModel"]),
    ],
)
def test_inputs_of_a_saved_model_are_those_of_all_its_candidates(
    origins: list[Json], read: list[str], marks: list[str]
) -> None:
    plan = saved("file:/m/copy/metadata")
    event = ended(document(plan, PLAIN, models=models(*origins)))
    assert (read_by(event), unresolved(event)) == (read, marks)


def test_nothing_is_followed_where_something_was_lost() -> None:
    plan = saved("file:/m/copy/metadata")
    event = ended(document(plan, PLAIN, models=models(CUST, complete=False)))
    assert (read_by(event), unresolved(event)) == ([], ["LogisticRegressionModel"])


@pytest.mark.parametrize(
    ("uses", "origins", "read", "marks"),
    [
        ([("LogisticRegressionModel", False)], [LOADED, CUST], ["file /m/plain"], []),
        ([("LogisticRegressionModel", True)], [LOADED, CUST], ["file /cust"], []),
        (
            [("LogisticRegressionModel", False)],
            [LOADED, read_in(LOAD, "file:/m/two/metadata")],
            [],
            ["LogisticRegressionModel"],
        ),
        (
            [("RandomForestClassificationModel", True)],
            [CUST, read_in(FOREST, "file:/wood")],
            ["file /wood"],
            [],
        ),
        # A model that can be built from values need not derive from loaded data.
        (
            [("StringIndexerModel", None)],
            [read_in(LOAD_PIPELINE, "file:/m/p/stages/0_strIdx_b0ab18868607/metadata")],
            [],
            ["StringIndexerModel"],
        ),
        ([("KMeansModel", True)], [CUST], [], ["KMeansModel"]),
    ],
)
def test_inputs_of_predictions_include_those_of_the_model(
    uses: list[tuple[str, bool | None]], origins: list[Json], read: list[str], marks: list[str]
) -> None:
    event = ended(execution_end(predictions(*uses), models=models(*origins)))
    assert read_by(event) == ["file /fresh", *read]
    assert unresolved(event) == marks
