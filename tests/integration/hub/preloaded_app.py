"""A program of WSGI that has emitted events before gunicorn forks its workers."""

import json
import os
from pathlib import Path

import lineage
from lineage import hub

TARGET = Path(os.environ["TARGET"])


class LineSink:
    """Appends lines to a file, which several processes share."""

    def init(self, settings):
        self.file = TARGET.open("ab", buffering=0)

    def accept(self, events):
        lines = [json.dumps(each) for each in hub.to_openlineage(events)]
        self.file.write("".join(f"{line}\n" for line in lines).encode())

    def shutdown(self):
        self.file.close()


hub.configure({"lines": LineSink})
with lineage.run("preload"):
    pass
hub.get_emitter().flush(20)
# In the queue, or on its way, while the workers are forked.
with lineage.run("preload"):
    pass


def answer(environ, start_response):
    """Answer with the number of the process, then wait for the byte that is the body."""
    lineage.current_run().writes(f"/data/{os.getpid()}")
    start_response("200 OK", [("Content-Type", "text/plain")])
    yield f"{os.getpid()}\n".encode()
    environ["wsgi.input"].read(1)


app = lineage.observe.wsgi(answer, name="shop")
