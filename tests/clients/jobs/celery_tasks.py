"""A task of Celery that is a run, with a broker in the current directory."""

from celery import Celery

import lineage

app = Celery(
    "tasks",
    broker="filesystem://",
    broker_transport_options={
        "data_folder_in": "queue",
        "data_folder_out": "queue",
        "control_folder": "queue",
    },
)


@app.task(name="load")
@lineage.job(namespace="shop", name="load")
def load(day: int) -> int:
    run = lineage.current_run()
    run.reads(f"/landing/{day}.csv")
    run.writes(f"/lake/{day}.csv")
    return day
