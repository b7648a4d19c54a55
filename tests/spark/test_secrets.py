"""Secrets of a job: none leaves its driver in any form."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from openlineage.client.serde import Serde
from support.cases.secrets import KEPT, NAMES, NAMES_KEPT, TEXTS, planted, secret
from support.spark.java_functions import spark_classpath

from lineage.redaction import is_secret_name, redact_sql, redact_text
from lineage.spark.conversion.applications import convert_applications
from lineage.spark.document.spool import find_applications
from lineage.spark.launcher import jar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.fixtures.spark import SparkSubmit, Submitted

    AskListener = Callable[[str, str], Any]

STATEMENTS = (
    "SELECT aes_encrypt(v, 'x') FROM t2 WHERE a = 5.2e-3 AND b=.5 -- don't\n LIMIT 10",
    "SET spark.hadoop.fs.s3a.secret.key=a b",
    "SELECT `a b`, 2024_t.x, t.1a FROM parquet.`/x?sig=1`",
    "SELECT r'C:\\' , 'it''s', \"a\\\"b\" /* c */ /*+ BROADCAST(t) */ FROM t",
    "SELECT DATE '2020-01-01', X'41', 1L, $$a$$ FROM t",
    "MERGE INTO t USING s ON t.token = s.token WHEN MATCHED THEN UPDATE SET a = 'x'",
)
CONF = {
    "spark.sql.ansi.enabled": "true",  # the default since Spark 4
    "spark.hadoop.fs.s3a.secret.key": secret(2),
    "spark.lineage.tags": f"team:sales,apiToken:{secret(3)}",
    "spark.lineage.namespace": f"https://me:{secret(4)}@h",
    "spark.openlineage.job.owners.team": f"https://h/?token={secret(5)}",
    "spark.sql.catalog.other.uri": f"https://me:{secret(6)}@catalog",
    "spark.my.endpoint": f"Authorization: Bearer {secret(7)}",
}


@pytest.fixture(scope="module")
def job(spark_submit: SparkSubmit) -> Submitted:
    parent = f"https://me:{secret(8)}@airflow/dag/0190a7e2-5d5b-7c3e-8f00-000000000001"
    submitted = spark_submit.start("secretive.py", conf=CONF, env={"OPENLINEAGE_PARENT_ID": parent})
    assert submitted.finish() == 0, submitted.log[-3000:]
    return submitted


@pytest.fixture(scope="module")
def secrets(job: Submitted) -> list[str]:
    return [secret(number) for number in range(int((job.directory / "planted").read_text()))]


@pytest.fixture(scope="module")
def told(job: Submitted) -> list[str]:
    """Return the events of the job as JSON."""
    return [
        Serde.to_json(event)
        for event in convert_applications(
            find_applications(job.spool), lambda bad: pytest.fail(str(bad))
        )
    ]


def test_no_secret_is_in_the_spool(job: Submitted, secrets: list[str]):
    assert len(secrets) > 200
    spooled = "".join(file.read_text() for file in job.spool.glob("*.jsonl"))
    assert [found(each, spooled) for each in secrets if each in spooled] == []


def test_no_secret_is_in_an_event(secrets: list[str], told: list[str]):
    text = "\n".join(told)
    assert [found(each, text) for each in secrets if each in text] == []


def found(secret: str, text: str) -> str:
    at = text.index(secret)
    return text[max(0, at - 120) : at + 40]


def test_datasets_are_distinguished_without_their_secrets(told: list[str]):
    outputs = {
        output["name"].rpartition("/lake/")[2]
        for event in map(json.loads, told)
        for output in event["outputs"]
    }
    assert {"signed", "bought"} <= outputs
    inputs = {item["name"] for event in map(json.loads, told) for item in event["inputs"]}
    assert "CUST" in inputs, "the query of a database is still read for its tables"


def test_an_error_still_says_what_is_wrong(job: Submitted):
    messages = [
        end["error"]["message"] for end in job.documents(kind="execution_end", outcome="FAIL")
    ]
    assert any("ValueError" in message for message in messages)
    assert any(message.startswith("[CAST_INVALID_INPUT]") for message in messages)
    assert any("AES" in message or "INVALID_PARAMETER_VALUE" in message for message in messages)


def test_statements_are_recorded_without_their_literals(job: Submitted):
    statements = {d["sql"] for d in job.documents(kind="execution_end") if "sql" in d}
    assert "SELECT aes_encrypt(v, ?) FROM cust" in statements
    assert "SELECT * FROM cust WHERE id = (SELECT max(id) FROM cust WHERE v <> ?)" in statements


@pytest.mark.slow
def test_literals_are_recorded_if_the_application_sets_it(spark_submit: SparkSubmit):
    job = spark_submit.start("literals.py", conf={"spark.lineage.sqlLiterals": "true"})
    assert job.finish() == 0, job.log[-3000:]
    (end,) = [d for d in job.documents(kind="execution_end") if "sql" in d]
    assert end["sql"] == "SELECT concat('a-', id) c /* a comment */ FROM range(3)"
    told = [
        Serde.to_dict(event)
        for event in convert_applications(find_applications(job.spool), pytest.fail)
    ]
    facets = [
        event["job"]["facets"]["sql"]["query"] for event in told if "sql" in event["job"]["facets"]
    ]
    assert set(facets) == {end["sql"]}


def test_the_listener_and_the_converter_have_one_list(ask_listener: AskListener):
    texts = [*planted(TEXTS, 0), *KEPT, *STATEMENTS, "\n".join(planted(TEXTS, 0))]
    asked = [*texts, *STATEMENTS, *NAMES, *NAMES_KEPT]
    kinds = ["text"] * len(texts) + ["sql"] * len(STATEMENTS) + ["name"] * len(NAMES + NAMES_KEPT)
    here = {"text": redact_text, "sql": redact_sql, "name": is_secret_name}
    for kind, text in zip(kinds, asked, strict=True):
        assert ask_listener(kind, text) == here[kind](text), text


def test_an_error_loses_all_literals_of_the_statement_that_it_quotes(ask_listener: AskListener):
    """A database driver quotes the whole statement; the stack trace is not part of it."""
    columns = ", ".join(f"column_{n}" for n in range(2_000))
    quoted = f"no such table: SELECT {columns} FROM t WHERE a IN ('near', 'it''s far')"
    stack = "\n\tat Job.run('main')"
    clean = ask_listener("error", quoted + stack)
    assert clean == quoted.replace("'near'", "?").replace("'it''s far'", "?") + stack


def failures(ask_listener: AskListener, texts: list[str]) -> list[Any]:
    """Return the records of errors: thrown, reported as text, and passed by Python."""
    return [
        ask_listener(kind, f"ValueError: {text}" if kind == "python" else text)
        for text in texts
        for kind in ("thrown", "told", "python")
    ]


@pytest.mark.slow
def test_a_long_error_keeps_its_first_and_last_lines_without_secrets(ask_listener: AskListener):
    """The omitted middle may begin or end before, in or after a secret."""
    texts = []
    for length in (10_000, 40_000, 90_000):
        frames = 'File "job.py", line 5, in even\n' * (length // 31)
        statement = f"SELECT {'c, ' * (length // 3)} FROM t WHERE a = 'Pl4nted'"
        for middle in (f"password=Pl4nted {'x' * 50}", "password=Pl4nted", statement):
            texts.append(f"First line\n{frames}{middle}\n{frames}Error: the last")
        texts.append(f"First line password={'Pl4nted' * (length // 7)}\nError: the last")
    for error in failures(ask_listener, [text for text in texts if len(text) < 199_000]):
        assert error["message"].startswith("First line")
        assert error["message"].endswith("Error: the last")
        assert len(error["message"]) <= 8_100
        assert len(error["stack"]) <= 32_100
        assert "Pl4nted" not in json.dumps(error)


def test_a_truncated_text_ends_before_an_incomplete_literal(ask_listener: AskListener):
    begun = f"SELECT 1 WHERE a = '{'Pl4nted' * 100_000}'"
    for error in failures(ask_listener, [f"First line {begun}", f"First line\n{begun}"]):
        assert error["message"].startswith("First line")
        assert "the rest is left out" in error["message"]
        assert "Pl4nted" not in json.dumps(error)


def test_a_plan_of_many_lines_leaves_an_error(ask_listener: AskListener):
    lines = "".join(f"{' ' * (n % 50)}+- Filter (a = {n})\n" for n in range(4_000))
    text = f"No column\nProject [a]\n{lines}Error: the last"
    error = ask_listener("thrown", text)
    assert error["message"] == "No column\nError: the last"


@pytest.mark.parametrize(
    ("description", "clean"),
    [
        ("INSERT in a database's catalog", "INSERT in a database's catalog"),
        ("load what we don't have", "load what we don't have"),
        ("DROP the team's users where key = 'Pl4nted'", "DROP the team's users where key = ?"),
        ("SELECT * FROM t WHERE a = 'Pl4nted", "SELECT * FROM t WHERE a = ?"),
        ("SELECT * FROM t WHERE a IN ('it''s', 'Pl4nted')", "SELECT * FROM t WHERE a IN (?, ?)"),
    ],
)
def test_an_apostrophe_in_a_description_begins_no_literal(
    ask_listener: AskListener, description: str, clean: str
):
    assert ask_listener("description", description) == clean


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("round(sum(a), 2)", "round(sum(a), 2)"),
        ("count(DISTINCT a, b)", "count(DISTINCT a, b)"),
        ("sum((a * (1 - b)))", "sum((a * (1 - b)))"),
        ("percentile_approx(a, 0.5, 10000)", "percentile_approx(a, 0.5, ?)"),
        ("date_format(a, yyyy-MM)", "date_format(a, yyyy-MM)"),
        ("get_json_object(a, $.b.c)", "get_json_object(a, $.b.c)"),
        ("CAST(sum(a) AS DECIMAL(10,2))", "CAST(sum(a) AS DECIMAL(10,2))"),
        ("max(struct(a, b AS c)).c", "max(struct(a, b AS c)).c"),
        ("sum(a) OVER (ORDER BY b ASC NULLS FIRST)", "sum(a) OVER (ORDER BY b ASC NULLS FIRST)"),
        ("Price(EUR)", "Price(EUR)"),
        ("Price(per kg)", "Price(per kg)"),
        ("Total (EUR)", "Total (EUR)"),
        ("sha2(concat(a, Pl4nted), 256)", "sha2(concat(?, ?), 256)"),
        ("hex(aes_encrypt(a, Pl4nted))", "hex(aes_encrypt(a, ?))"),
        ("coalesce(a, Pl4nted)", "coalesce(a, ?)"),
        ("split(a, Pl4nted)[Pl4nted]", "split(a, ?)[?]"),
        ("mine(a, Pl4nted)", "mine(?, ?)"),
        ("unhex(Pl4nted)", "unhex(?)"),
        ("CAST(Pl4nted AS INT)", "CAST(?)"),
        ("TRIM(BOTH Pl4nted FROM a)", "TRIM(?)"),
        ("raise_error(no Pl4nted (a))", "raise_error(?)"),
        ("sum(CASE WHEN (a = Pl4nted) THEN b END)", "sum(?)"),
        ("sum(a) FILTER (WHERE (b = Pl4nted))", "sum(a) FILTER (WHERE ?)"),
        ("count(a LIKE Pl4nted)", "count(?)"),
        ("(a + (b = Pl4nted))", "(a + (?))"),
        ("(a = F32.1 - Pl4nted)", "(?)"),
        ("sum(CAST((a = Z21 - Pl4nted) AS INT))", "sum(CAST((?) AS INT))"),
        ("xxhash64(a, Pl4nted)", "xxhash64(a, ?)"),
        ("base64(CAST(Pl4nted AS BINARY))", "base64(?)"),
        ("CAST(lower(Pl4nted) AS STRING)", "CAST(?)"),
        ("hex(sha2(a, 256))", "hex(sha2(a, 256))"),
        ("speed(km/h)", "speed(km/h)"),
        ("area(m²)", "area(m²)"),
        ("concat(a, Pl4nted) )", "concat(?)"),
    ],
)
def test_a_generated_name_keeps_columns_where_no_literal_is_useful(
    ask_listener: AskListener, name: str, clean: str
):
    assert ask_listener("column", name) == clean


@pytest.fixture(scope="module")
def ask_listener(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskListener]:
    """Start a program in one JVM that calls the classes of the listener's jar."""
    directory = tmp_path_factory.mktemp("ask")
    source = directory / "Ask.java"
    source.write_text(ASK)
    path = f"{jar.packaged_jar()}:{spark_classpath()}:{directory}"
    compiled = ["javac", "-nowarn", "-proc:none", "-cp", path, "-d", str(directory), str(source)]
    subprocess.run(compiled, check=True)
    options = ["-Dfile.encoding=UTF-8", "-XX:+UseSerialGC"]
    with subprocess.Popen(
        ["java", *options, "-cp", path, "io.lineage.spark.Ask"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as java:
        assert java.stdin, "it is a pipe"
        assert java.stdout, "it is a pipe"
        questions, answers = java.stdin, java.stdout

        def ask(kind: str, text: str) -> Any:
            questions.write(f"{json.dumps([kind, text])}\n")
            questions.flush()
            return json.loads(answers.readline())

        yield ask
        questions.close()
    assert java.returncode == 0


ASK = """
package io.lineage.spark;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Set;
import org.apache.spark.SparkConf;

public final class Ask {
  public static void main(String[] args) throws Exception {
    ObjectMapper json = new ObjectMapper();
    Redaction redaction = new Redaction(new SparkConf(false));
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] asked = json.readValue(line, String[].class);
      Object answer =
          asked[0].equals("name") ? (Object) redaction.isSecret(asked[1])
          : asked[0].equals("sql") ? redaction.statement(asked[1])
          : asked[0].equals("column") ? new ColumnNames(redaction).of(asked[1])
          : asked[0].equals("description") ? redaction.description(asked[1])
          : asked[0].equals("error") ? new ErrorText(redaction, Set.of()).of(asked[1])
          : asked[0].equals("thrown") ? written(Failure.of(new Exception(asked[1])))
          : asked[0].equals("told") ? written(Failure.ofText("a.B: " + asked[1] + "\\n\\tat a.C"))
          : asked[0].equals("python") ? python(asked[1])
          : redaction.text(asked[1]);
      System.out.println(json.writeValueAsString(answer));
      System.out.flush();
    }
  }

  private static Object python(String text) throws Exception {
    System.setProperty(DriverExit.PROPERTY, text);
    return written(DriverExit.look().failure);
  }

  private static Object written(Failure failure) throws Exception {
    Json out = new Json().object();
    failure.write(new Redaction(new SparkConf(false)), out);
    return new ObjectMapper().readTree(out.endObject().toBytes()).get("error");
  }
}
"""
