"""Parameters of several tools, as clients see them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

Dataset = Annotated[
    str,
    Field(description="Full name, alias, or any ending of these that fits no other dataset."),
]
Run = Annotated[
    str,
    Field(description="Id of a run, the beginning of it, or a job or dataset for its last run."),
]
Column = Annotated[str, Field(description="Name of the column; in a struct its path: a.b.")]
Way = Literal["upstream", "downstream"]
Depth = Annotated[
    int | None,
    Field(
        ge=1, le=1_000_000, description="Maximum number of edges to follow; unlimited by default."
    ),
]
Limit = Annotated[int, Field(ge=1, le=500, description="Maximum number of rows.")]
Offset = Annotated[
    int, Field(ge=0, description="Number of rows to skip: next_offset of the page before.")
]
Observed = Annotated[
    bool, Field(description="Only what runs showed, not what designs alone state (declared).")
]
ByRun = Annotated[bool, Field(description="Return a row for each run, not for each job.")]
Perhaps = Annotated[
    bool,
    Field(description="Also follow writes that a newer one of the same job may have replaced."),
]
