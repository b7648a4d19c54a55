"""The runs of a dataset or a job, and how a run is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from lineage.errors import NotFound
from lineage.questions.answers import Dataset, Job, Run
from lineage.questions.names import Names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

T = TypeVar("T")

# A run as a JSON array, in the order of answers.Run.
RUN = """jsonb_build_array(r.run_id, r.state, lineage.iso(r.last_seen), lineage.iso(r.started_at),
    lineage.iso(r.ended_at), r.facets #>> '{errorMessage,1,message}')"""

# The newest run of the job j, to be joined LATERAL. Of runs that ended at the same time the id
# decides, so that the same events give the same answer in whatever order they came.
LATEST_RUN = f"""(SELECT {RUN} AS run FROM lineage.execution x JOIN lineage.run r ON r.id = x.run
    WHERE x.job = j.id AND x.last_seen IS NOT NULL
    ORDER BY x.last_seen DESC, r.run_id LIMIT 1) AS latest"""  # noqa: S608 - constants

# Of what was at the same time the id decides what a limit leaves out.
_READ_OR_WROTE = """
SELECT {run}, j.id, j.namespace, j.name, c.id, c.namespace, c.name, a.output,
       lineage.plain_facets(a.facets), a.output AND lineage.has_committed(r, a.job)
FROM (SELECT a.* FROM lineage.dataset n JOIN lineage.access a ON a.dataset = n.id
      WHERE n.canonical = %(id)s
      ORDER BY a.last_seen DESC FETCH FIRST %(limit)s ROWS WITH TIES) AS a
JOIN lineage.run r ON r.id = a.run
JOIN lineage.job j ON j.id = a.job
JOIN lineage.dataset c ON c.id = %(id)s
ORDER BY a.last_seen DESC, r.run_id, a.output, j.namespace, j.name LIMIT %(limit)s
"""
_RUNS_OF_DATASET = _READ_OR_WROTE.replace("{run}", RUN)

_EXECUTED = """
SELECT {run}
FROM (SELECT x.* FROM lineage.execution x WHERE x.job = %(id)s
      ORDER BY x.last_seen DESC NULLS LAST FETCH FIRST %(limit)s ROWS WITH TIES) AS x
JOIN lineage.run r ON r.id = x.run
ORDER BY x.last_seen DESC NULLS LAST, r.run_id LIMIT %(limit)s
"""
_RUNS_OF_JOB = _EXECUTED.replace("{run}", RUN)


@dataclass(frozen=True, slots=True)
class Access:
    """A run that read or wrote a dataset, and what it said of it.

    ``is_output``: the run says that it writes it. ``wrote``: it has written it; a run that failed
    has not, nor a batch that goes on.
    """

    run: Run
    job: Job | None
    dataset: Dataset
    is_output: bool
    facets: Mapping[str, Any]
    wrote: bool

    @property
    def what(self) -> str:
        """What the run did: "read", "wrote", "writes" or "was to write"."""
        if not self.is_output:
            return "read"
        if self.wrote:
            return "wrote"
        return "was to write" if self.run.state in ("FAIL", "ABORT") else "writes"


class Runs(Names):
    """Runs, newest first."""

    def runs(self, name: str, limit: int = 20) -> tuple[Access, ...]:
        """Return the runs that read or wrote the dataset, newest first."""
        rows = self._rows(_RUNS_OF_DATASET, {"id": self.resolve(name).id, "limit": limit})
        return tuple(
            Access(Run(*row[0]), Job(*row[1:4]), Dataset(*row[4:7]), *row[7:10]) for row in rows
        )

    def runs_of_job(self, name: str, limit: int = 20) -> tuple[Run, ...]:
        """Return the runs of the job, newest first."""
        rows = self._rows(_RUNS_OF_JOB, {"id": self.resolve_job(name).id, "limit": limit})
        return tuple(Run(*run) for (run,) in rows)


def row_of_run(rows: Sequence[T], run_id: str) -> T:
    """Return the row that a statement about one run gave. Raises NotFound where there is none."""
    if not rows:
        raise NotFound(f'No run has the id "{run_id}".')
    return rows[0]
