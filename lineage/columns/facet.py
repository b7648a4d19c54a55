"""The columnLineage facet of OpenLineage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openlineage.client.facet_v2 import column_lineage_dataset as spec

from lineage.columns import algebra

if TYPE_CHECKING:
    from lineage.columns.algebra import Deps, How
    from lineage.columns.compaction import ColumnLineage


def column_lineage(lineage: ColumnLineage) -> spec.ColumnLineageDatasetFacet:
    """Build the facet; omit columns without sources."""
    inputs = {name: input_fields(deps) for name, deps in lineage.fields.items()}
    return spec.ColumnLineageDatasetFacet(
        fields={name: spec.Fields(inputFields=hows) for name, hows in inputs.items() if hows},
        dataset=input_fields(lineage.rows),
    )


def input_fields(deps: Deps) -> list[spec.InputField]:
    """Return each source once, with all its transformations."""
    return [
        spec.InputField(
            namespace=source.dataset.namespace,
            name=source.dataset.name,
            field=source.facet_path,
            transformations=[_to_transformation(how) for how in hows],
        )
        for source, hows in algebra.fields_of(deps).items()
    ]


def _to_transformation(how: How) -> spec.Transformation:
    return spec.Transformation(
        type="DIRECT" if how.kind.is_direct else "INDIRECT",
        subtype=how.kind.value,
        description="",
        masking=how.masking,
    )
