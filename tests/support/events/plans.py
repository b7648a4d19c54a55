"""Plans without a database, for tests of their output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.orchestration.accesses import Access, JobAccesses, KindRow
from lineage.orchestration.arrangement import Arrangement
from lineage.orchestration.job_graph import build_job_graph
from lineage.orchestration.records import Plan
from lineage.query.records import Dataset

if TYPE_CHECKING:
    from collections.abc import Mapping

TIME = "2026-01-01T00:00:00.000000Z"
ACCESS = Access(TIME, TIME, None, (), declared=False)

# Names that a shell, YAML, Jinja, dag-factory or Airflow would interpret.
HOSTILE_NAMES = [
    "x'; touch /tmp/lineage-pwned; echo '", 'a"b`id`$(id)', "$HOME ${PATH}", "{{ 7*7 }}",
    "{% raw %}", "{# no #}", "{{{", "__type__", "task.sh", "true", "null", "1e3", "2026-01-01",
    " blanks  ", "naïve—täsk", "line\nfeed", "return\r\nfeed\r", "tab\t", "\x01\x7f\x85\u2028",
    "\U0001d518\U0010ffff", "\\x24 \\", "-n", "--", "*", "~", "!!python/object/apply:os.system",
    "&a", "{name}{namespace}", "'", "load orders", "load-orders", "%s %d", "#",
]  # fmt: skip


def plan_of(
    jobs: Mapping[str, tuple[str, str]], namespace: str = "etl", kind: str | None = None
) -> Plan:
    """Return the plan of jobs with the datasets, divided by blanks, that each reads and writes.

    ``kind``: the type of the jobs.
    """
    accesses = JobAccesses()
    datasets: dict[str, Dataset] = {}
    for id, (name, both) in enumerate(jobs.items(), start=1):
        accesses.kinds[id] = KindRow(
            id, namespace, name, kind, None, is_stream=False, is_check=kind == "TEST"
        )
        for names, output in zip(both, (False, True), strict=True):
            for each in names.split():
                dataset = datasets.setdefault(each, Dataset(1000 + len(datasets), "lake", each))
                accesses.add_access(id, dataset.id, ACCESS, output=output)
    graph = build_job_graph(accesses)
    good = dict.fromkeys(graph.jobs)
    by_id = {each.id: each for each in datasets.values()}
    fields = Arrangement(graph, accesses, {}, by_id, good).describe_order({}, None, is_ordered=True)
    return Plan((), "upstream", TIME, TIME, cycles=(), omitted_jobs=(), feedback=(), workers=None,
                **fields)  # fmt: skip
