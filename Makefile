.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow test-lowest test-crash test-abuse test-clients test-connectors test-matrix oracle compare lint docs bench bench-growth bench-questions bench-memory bench-openlineage wheel lock clean

help:  ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 31

setup:  ## Make .venv with all that development needs, and the listener's jar
	@scripts/setup

demo: setup  ## Run a real Spark pipeline with the listener and ask where its tables came from
	@demo/run

test: setup  ## Run all but the slow tests, on a real PostgreSQL with AGE and a real Spark
	@.venv/bin/pytest -n 2 --dist loadfile --no-loadscope-reorder -m 'not slow'

test-slow: setup  ## Run the cases that take longest: other endings of a driver, faults, floods, the installed wheel
	@.venv/bin/pytest -n 2 --dist loadfile --no-loadscope-reorder -m slow

test-lowest: setup  ## Run the tests without Spark on the lowest versions of our dependencies
	@scripts/test-lowest

test-crash: setup  ## Kill collector and PostgreSQL 50 times while events come in; all acknowledged must be there
	@CRASH_ROUNDS=50 .venv/bin/pytest tests/integration/collector/test_crash.py

test-abuse: setup  ## Throw 100,000 mutated events, 15,000 odd requests, bombs and floods at the collector: no 5xx, nothing let in
	@ABUSE_INPUTS=100000 ABUSE_EXAMPLES=5000 .venv/bin/pytest -s tests/integration/collector/test_fuzzing.py tests/integration/collector/test_schemathesis.py tests/integration/collector/test_bombs.py tests/integration/collector/test_limits.py tests/integration/collector/test_namespaces.py

test-clients: setup  ## Let Airflow, dbt, openlineage-python and openlineage-spark fill one graph (PyPI, Maven Central)
	@.venv/bin/pytest tests/clients

test-connectors: setup  ## Run the tests that take packages from Maven Central and other releases of Spark
	@.venv/bin/pytest -n 2 --dist loadfile tests/connectors

test-matrix: setup  ## Run the tests of Spark on 3.5 (Scala 2.12 and 2.13), 4.0, 4.1, 4.2 and 4.3
	@scripts/test-matrix

oracle: setup  ## Change each input column alone in all column cases and TPC-H: none may be missed
	@.venv/bin/pytest -n 2 --dist loadfile tests/oracle

compare: setup  ## Compare with openlineage-spark, whose jar comes from Maven Central
	@.venv/bin/pytest tests/comparison

lint: setup  ## Check style and types
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy

docs: setup  ## Write the generated pages of docs/reference anew
	@.venv/bin/python scripts/docs

bench: setup  ## Measure, and print the tables of benchmarks/RESULTS.md
	@.venv/bin/lineage up > /dev/null
	@.venv/bin/python -m benchmarks

bench-growth: setup  ## Measure writing a million events: the last tenth against the first
	@.venv/bin/lineage up > /dev/null
	@.venv/bin/python -m benchmarks.growth

bench-questions: setup  ## Measure questions on 100,000 datasets, a million runs and 12 million run edges
	@.venv/bin/lineage up > /dev/null
	@.venv/bin/python -m benchmarks.questions

bench-openlineage: setup  ## Measure a job without a listener, with ours and with openlineage-spark (Maven Central)
	@.venv/bin/python -m benchmarks.openlineage

bench-memory: setup  ## Measure the driver's heap over 10,000 executions
	@.venv/bin/python -m benchmarks.memory

wheel:  ## Build the wheel into dist/; needs a JDK, and takes Spark's jars from PyPI where no Spark is
	@scripts/wheel

lock: setup  ## Write requirements-dev.lock anew from pyproject.toml
	@scripts/lock

clean:  ## Remove what the other targets made in this directory
	@rm -rf .venv build dist demo/lake demo/spool lineage/jars/*.jar listener/build ./*.egg-info
