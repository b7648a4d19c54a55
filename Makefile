.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow test-lowest test-crash test-abuse test-clients test-connectors test-matrix oracle test-records compare lint docs bench bench-growth bench-questions bench-memory bench-openlineage bench-records bench-web wheel lock clean

help:  ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 31

setup:  ## Create .venv with the packages for development, and build the listener's jar and the web page
	@scripts/setup

demo: setup  ## Run a real Spark pipeline with the listener and query the lineage of its tables
	@demo/run

test: setup  ## Run all but the slow tests, on a real PostgreSQL with AGE, a real Spark and a real browser
	@scripts/system-packages --browser
	@.venv/bin/python web/build.py --test
	@.venv/bin/pytest -n 2 --dist loadfile --no-loadscope-reorder -m 'not slow'

test-slow: setup  ## Run the slow tests: further endings of a driver, faults, floods, the installed wheel, all examples of properties
	@EXAMPLES_PERCENT=100 .venv/bin/pytest -n 2 --dist loadfile --no-loadscope-reorder -m 'slow or sampled'

test-lowest: setup  ## Run the tests without Spark on the lowest allowed versions of the dependencies
	@scripts/test-lowest

test-crash: setup  ## Kill collector and PostgreSQL 50 times while events arrive, and folds 20 times; no event may be lost
	@CRASH_ROUNDS=50 .venv/bin/pytest tests/integration/collector/test_crash.py tests/spark/test_lake_kills.py

test-abuse: setup  ## Send 100,000 mutated events, 15,000 unusual requests, bombs and floods to the collector
	@ABUSE_INPUTS=100000 ABUSE_EXAMPLES=5000 .venv/bin/pytest -s tests/integration/collector/test_fuzzing.py tests/integration/collector/test_schemathesis.py tests/integration/collector/test_bombs.py tests/integration/collector/test_limits.py tests/integration/collector/test_namespaces.py

test-clients: setup  ## Fill one graph from Airflow, dbt, openlineage-python and openlineage-spark (PyPI, Maven Central)
	@scripts/system-packages --browser
	@.venv/bin/pytest tests/clients

test-connectors: setup  ## Run the tests that need packages from Maven Central and other releases of Spark
	@.venv/bin/pytest -n 2 --dist loadfile tests/connectors

test-matrix: setup  ## Run the tests of Spark on 3.5 (Scala 2.12 and 2.13), 4.0, 4.1, 4.2 and 4.3
	@scripts/test-matrix

oracle: setup  ## Run the column cases and TPC-H again with changed values in each input column
	@.venv/bin/pytest -n 2 --dist loadfile tests/oracle

test-records: setup  ## Run the oracles of record lineage: all operators, TPC-H, TPC-DS (PyPI), all subsets of small tables, broken rules
	@.venv/bin/pytest -n 2 --dist loadfile tests/record_oracle

compare: setup  ## Compare with openlineage-spark (Maven Central) and with other readers of SQL (PyPI)
	@.venv/bin/pytest tests/comparison

lint: setup  ## Check style and types
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy
	@.venv/bin/python web/build.py --types

docs: setup  ## Generate pages of docs/reference
	@.venv/bin/python scripts/docs

bench: setup  ## Run the benchmarks and print the tables of benchmarks/RESULTS.md that have no target of their own
	@.venv/bin/lineage up > /dev/null
	@.venv/bin/python -m benchmarks

bench-growth: setup  ## Measure writing a million events: the last tenth compared with the first
	@.venv/bin/lineage up > /dev/null
	@.venv/bin/python -m benchmarks.growth

bench-questions: setup  ## Measure queries on 100,000 datasets, a million runs and 12 million run edges
	@.venv/bin/lineage up > /dev/null
	@.venv/bin/python -m benchmarks.questions

bench-openlineage: setup  ## Measure a job without a listener, with the listener and with openlineage-spark (Maven Central)
	@.venv/bin/python -m benchmarks.openlineage

bench-records: setup  ## Measure captured ids, traces and trails of rows on a million flights
	@.venv/bin/python -m benchmarks.records

bench-web: setup  ## Measure the web page in Chromium on 100,000 datasets; elkjs comes from npm for comparison
	@scripts/system-packages --browser
	@.venv/bin/lineage up > /dev/null
	@.venv/bin/python -m benchmarks.web

bench-memory: setup  ## Measure the driver's heap over 10,000 executions
	@.venv/bin/python -m benchmarks.memory

wheel:  ## Build the wheel into dist/; needs a JDK, and Spark's jars from PyPI if Spark is not installed
	@scripts/wheel

lock: setup  ## Generate requirements-dev.lock from pyproject.toml
	@scripts/lock

clean:  ## Remove the files that the other targets created in this directory
	@rm -rf .venv .venv-lowest build dist demo/lake demo/spool demo/*.log lineage/jars/*.jar lineage/http/web/static web/node_modules web/.node benchmarks/page/node_modules listener/build ./*.egg-info
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@find . -name __pycache__ -prune -exec rm -rf {} +
