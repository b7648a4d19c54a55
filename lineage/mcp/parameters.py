"""Parameters that several tools share, with their descriptions for clients."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lineage.parameters import MAX_DEPTH, OBSERVED

Dataset = Annotated[
    str,
    Field(description="Full name or alias of a dataset, or an unambiguous ending of either."),
]
Run = Annotated[
    str,
    Field(description="Run id or the beginning of one; a job or dataset stands for its last run."),
]
Column = Annotated[str, Field(description="Name of the column; path of a field in a struct: a.b.")]
Way = Literal["upstream", "downstream"]
Depth = Annotated[
    int | None,
    Field(
        ge=1, le=MAX_DEPTH, description="Maximum number of edges to follow; unlimited by default."
    ),
]
Limit = Annotated[int, Field(ge=1, le=500, description="Maximum number of rows.")]
Offset = Annotated[
    int, Field(ge=0, description="Number of rows to skip: next_offset of the previous page.")
]
Observed = Annotated[bool, Field(description=OBSERVED)]
Confidence = Annotated[
    float, Field(ge=0, le=1, description="Follow no declared edge of a lower confidence, 0 to 1.")
]
ByRun = Annotated[bool, Field(description="Return a row for each run, not for each job.")]
Perhaps = Annotated[
    bool,
    Field(description="Also follow writes that a newer write of the same job may have replaced."),
]
