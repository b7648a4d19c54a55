"""A program that forks while a thread, which reads its first text of SQL, imports a module.

Its argument is the name of the module. The child reads a text too, and is killed if that hangs.
"""

import importlib.abc
import os
import signal
import sys
import threading

import lineage.hub.hub  # noqa: F401 - whose functions run before and after a fork
from lineage.hub.events import RelationalIo, RelationalOperation
from lineage.hub.run_content import RunContent

importing, forking, forked = threading.Event(), threading.Event(), threading.Event()


class SlowFinder(importlib.abc.MetaPathFinder):
    """Holds the import of a module until the program has forked, or waits for the import."""

    def find_spec(self, name, path, target=None):
        if name == sys.argv[1] and not importing.is_set():
            importing.set()
            assert forking.wait(60)
            forked.wait(1)


def read_text():
    text = RelationalIo(
        RelationalOperation.EXEC,
        "postgres://db:5432",
        sql="insert into mart select a from orders",
        catalog="d",
        schema="public",
    )
    content = RunContent()
    content.add_payload(text)
    assert content.outputs


sys.meta_path.insert(0, SlowFinder())
os.register_at_fork(before=forking.set, after_in_parent=forked.set)
thread = threading.Thread(target=read_text)
thread.start()
assert importing.wait(60), "the module is not imported by the thread"
child = os.fork()
if child == 0:
    signal.alarm(20)
    read_text()
    os._exit(0)
_, status = os.waitpid(child, 0)
thread.join()
sys.exit(status != 0)
