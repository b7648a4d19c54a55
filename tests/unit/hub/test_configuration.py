"""Variables of the environment, and the sinks that they choose."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.services.sinks import MemorySink, event

import lineage
from lineage.hub import configure
from lineage.hub.configuration import Settings, read_settings
from lineage.hub.emitter import choose_sinks

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/how-to/write-a-sink.md"
_VARIABLES = ("LINEAGE_DSN", "LINEAGE_URL", "OPENLINEAGE_URL", "OPENLINEAGE_CONFIG")


@pytest.mark.parametrize(
    ("text", "enabled"),
    [("Y", True), ("1", True), ("true", True), ("yes", True), ("N", False), ("", False)],
)
def test_the_switch(text: str, enabled: bool):
    assert read_settings({"LINEAGE_ENABLED": text}).enabled is enabled
    disabled = {"LINEAGE_ENABLED": text, "OPENLINEAGE_DISABLED": "true"}
    assert read_settings(disabled).enabled is False


def test_invalid_values_are_logged_and_replaced_by_the_default(caplog: pytest.LogCaptureFixture):
    settings = read_settings(
        {"LINEAGE_QUEUE_CAPACITY": "ten", "LINEAGE_BATCH_MAX": "0", "LINEAGE_ENABLED": "maybe"}
    )
    assert (settings.capacity, settings.batch_size) == (Settings.capacity, Settings.batch_size)
    assert settings.enabled is False
    assert (
        'LINEAGE_QUEUE_CAPACITY is "ten" and should be a whole number from 1 on. 10000 is used.'
        in caplog.messages
    )


def test_sinks_are_chosen_by_id_in_any_case(caplog: pytest.LogCaptureFixture):
    ids = read_settings({"LINEAGE_SINK_IDS": "Graph, kafka,graph"}).sink_ids
    assert ids == ("graph", "kafka")
    assert list(choose_sinks(ids)) == ["graph"]
    assert (
        'No sink "kafka" is installed, which LINEAGE_SINK_IDS names. There are: collector, file,'
        " graph, logging, openlineage." in caplog.messages
    )


@pytest.mark.parametrize(
    ("variable", "sink"),
    [
        ("LINEAGE_DSN", "graph"),
        ("LINEAGE_URL", "collector"),
        ("OPENLINEAGE_URL", "openlineage"),
        ("HOME", "file"),
    ],
)
def test_the_default_sinks_are_those_that_are_configured(
    monkeypatch: pytest.MonkeyPatch, variable: str, sink: str
):
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, "x")
    assert list(choose_sinks(())) == [sink]


def test_a_new_configuration_sends_what_the_previous_hub_has(tmp_path: Path):
    first, second = MemorySink(), MemorySink()
    previous = configure({"first": lambda: first}, spool=tmp_path, linger_ms=3_600_000)
    previous.emit(event(1))
    current = configure({"second": lambda: second}, spool=tmp_path, linger_ms=0)
    assert (len(first.events), first.closed) == (1, 1)
    assert lineage.get_emitter() is current
    lineage.get_emitter().emit(event(2))
    assert current.shutdown(20).sinks["second"].sent == 1
    assert len(first.events) == 1
    configure({}, enabled=False)


def test_the_variables_of_the_page_are_those_that_are_read():
    page = (ROOT / "docs/reference/python-hub.md").read_text()
    table = page.split("## Variables")[1].split("## Sinks")[0]
    documented = set(re.findall(r"`(LINEAGE_\w+)`", table))
    modules = [
        file
        for package in ("hub", "sinks", "observe", "metaflow")
        for file in (ROOT / "lineage" / package).glob("*.py")
    ]
    read = {name for file in modules for name in re.findall(r'"(LINEAGE_\w+)"', file.read_text())}
    assert documented == read


def test_importing_and_switching_on_loads_no_sink():
    script = (
        "import sys, lineage; hub = lineage.get_emitter(); hub.emit({});"
        "print(*(n for n in ('psycopg', 'requests', 'asyncio', 'msgspec') if n in sys.modules))"
    )
    for switch in ("Y", "N"):
        env = {**os.environ, "LINEAGE_ENABLED": switch, "LINEAGE_SINK_IDS": "none"}
        done = subprocess.run(
            [sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == ""


PROGRAM = """
import lineage
from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, INVALID_SPAN_CONTEXT

class Span(NonRecordingSpan):
    def set_attribute(self, key, value): print(key, value)
    def set_status(self, status, description=None): print(status.name)
    def end(self, end_time=None): print(end_time >= self.started)

class Tracer(trace.Tracer):
    def start_span(self, name, start_time=None, **_):
        print("span", name)
        span = Span(INVALID_SPAN_CONTEXT)
        span.started = start_time
        return span
    def start_as_current_span(self, *args, **named): raise NotImplementedError

class Provider(trace.TracerProvider):
    def get_tracer(self, *args, **named): return Tracer()

trace.set_tracer_provider(Provider())
with lineage.run("report", namespace="shop") as run:
    run.reads("/in")
try:
    with lineage.run("broken"): 1 / 0
except ZeroDivisionError: pass
"""


def test_the_sink_of_the_how_to_is_loaded_by_its_entry_point(tmp_path: Path):
    blocks = re.findall(r"^```(?:python|toml)\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    module, table = blocks[:2]
    (tmp_path / "lineage_opentelemetry.py").write_text(module)
    information = tmp_path / "lineage_opentelemetry-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Name: lineage-opentelemetry\nVersion: 1.0\n")
    entry = table.replace("project.entry-points.", "").replace('"', "")
    (information / "entry_points.txt").write_text(entry)
    env = {name: text for name, text in os.environ.items() if name not in _VARIABLES}
    env |= {"LINEAGE_ENABLED": "Y", "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True
    )
    lines = [line for line in done.stdout.splitlines() if not line.startswith("lineage.run_id")]
    assert lines == [
        "span report", "lineage.inputs ['file//in']", "lineage.outputs []", "True",
        "span broken", "lineage.inputs []", "lineage.outputs []", "ERROR", "True",
    ], done.stderr  # fmt: skip


def test_the_fixture_of_the_how_to_records_the_runs_of_a_test(tmp_path: Path):
    files = re.findall(
        r"^<!-- file: (\S+) -->\n```python\n(.*?)^```", PAGE.read_text(), re.M | re.S
    )
    for name, text in files[1:]:
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
