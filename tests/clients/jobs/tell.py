"""Emits the events of a run by the client in its configured form: ``tell.py JOB READ WRITTEN``.

Datasets are given as ``NAMESPACE NAME``.
"""

from __future__ import annotations

import sys
from datetime import datetime, timezone

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.uuid import generate_new_uuid

job, read, written = sys.argv[1:]
client = OpenLineageClient()
run = Run(str(generate_new_uuid()))
for state in (RunState.START, RunState.COMPLETE):
    client.emit(
        RunEvent(
            eventType=state,
            eventTime=datetime.now(timezone.utc).isoformat(),
            run=run,
            job=Job("python", job),
            producer="https://example.com/tell",
            inputs=[InputDataset(*read.split(" "))],
            outputs=[OutputDataset(*written.split(" "))],
        )
    )
if not client.close(30):
    sys.exit("not all was sent")
