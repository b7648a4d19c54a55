"""Events of Python programs, queued and passed to sinks."""

from __future__ import annotations

from lineage.lazy_exports import export_lazily

_MODULES = {
    "Hub": "hub",
    "LineageSink": "delivery",
    "Rejected": "report",
    "Report": "report",
    "Retries": "delivery",
    "Settings": "configuration",
    "SinkReport": "report",
    "TryLater": "report",
    "configure": "emitter",
    "encode_document": "documents",
    "get_emitter": "emitter",
    "portable_key": "locations",
    "to_openlineage": "documents",
    **dict.fromkeys(
        (
            "Column",
            "ContentSchema",
            "Context",
            "Dataset",
            "Direction",
            "FileIo",
            "FileOperation",
            "HttpIo",
            "Job",
            "Kind",
            "LineageEvent",
            "ParentRun",
            "Phase",
            "RelationalIo",
            "RelationalOperation",
            "Run",
            "RunEvent",
            "RunLifecycle",
            "SchemaSource",
            "Side",
            "StructureNode",
            "SubjectType",
            "TransformSchema",
        ),
        "events",
    ),
}

__getattr__, __dir__ = export_lazily("lineage.hub", _MODULES)
