"""Variables of the environment, and the sinks that they choose."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_the_sink_of_the_how_to_is_found_by_its_entry_point(tmp_path: Path):
    blocks = re.findall(r"^```(?:python|toml)\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    module, table = blocks
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
