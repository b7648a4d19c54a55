"""Parameters that several tools have, as clients see them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

Dataset = Annotated[
    str,
    Field(description="Full name, alias, or any ending of these that fits no other dataset."),
]
Run = Annotated[
    str,
    Field(description="Id of a run, the beginning of it, or a job or dataset: then its last run."),
]
Column = Annotated[str, Field(description="Name of the column; in a struct its path: a.b.")]
Way = Literal["upstream", "downstream"]
Depth = Annotated[
    int | None,
    Field(ge=1, le=1_000_000, description="At most so many steps away; all where left out."),
]
Limit = Annotated[int, Field(ge=1, le=500, description="At most so many rows in this answer.")]
Offset = Annotated[int, Field(ge=0, description="Leave out so many rows: next_offset of before.")]
Observed = Annotated[
    bool, Field(description="Only what runs showed, not what designs alone state (declared).")
]
