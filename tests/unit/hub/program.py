"""A program with a hub, which ends as its first argument names; events go to a file.

It prints the numbers of the events that it has emitted.
"""

import importlib
import json
import multiprocessing
import os
import signal
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from lineage import hub

COUNT = 250
TARGET = Path(os.environ["TARGET"])


class LineSink:
    """Appends lines to a file, which several processes share."""

    def init(self, settings):
        if name := settings.get("SLOW_MODULE"):
            importlib.import_module(name).NAME.title()
        self.file = TARGET.open("ab", buffering=0)

    def accept(self, events):
        self.file.write(b"".join(json.dumps(each).encode() + b"\n" for each in events))

    def shutdown(self):
        self.file.close()


def emit_some(first=0):
    for number in range(first, first + COUNT):
        hub.get_emitter().emit({"eventType": "COMPLETE", "number": number})
    return os.getpid()


def emit_slowly():
    number = 0
    while True:
        hub.get_emitter().emit({"eventType": "COMPLETE", "number": number})
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        number += 1
        if "WAITS_FOR_BATCHES" in os.environ and number % 100 == 0:
            while count_lines() < number:
                time.sleep(0.0005)
        time.sleep(0.0005)  # a trickle: the batches are limited by the linger


def count_lines():
    return TARGET.read_bytes().count(b"\n") if TARGET.exists() else 0


def fork(nested):
    emit_some()
    child = os.fork()
    if child == 0:
        emit_some(COUNT)
        if nested:
            grandchild = os.fork()
            if grandchild == 0:
                emit_some(2 * COUNT)
                sys.exit(0)
            os.waitpid(grandchild, 0)
        sys.exit(0)
    os.waitpid(child, 0)


def use_processes(method, kind):
    context = multiprocessing.get_context(method)
    emit_some()
    if kind == "workers":
        pool = context.Pool(1)
        pool.apply(emit_some, (COUNT,))
        pool.close()
        pool.join()
    elif kind == "pool":
        with ProcessPoolExecutor(1, mp_context=context) as executor:
            executor.submit(emit_some, COUNT).result()
    else:
        process = context.Process(target=emit_some, args=(COUNT,))
        process.start()
        process.join()


def main(ending):
    if ending == "kill":
        emit_slowly()
    elif ending in ("fork", "nested-fork"):
        fork(ending == "nested-fork")
    elif "-" in ending:
        method, _, kind = ending.partition("-")
        use_processes(method, kind)
    else:
        if ending == "interrupt":  # a shell has its background processes ignore it
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if ending == "term":
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        emit_some()
        if ending == "exit":
            sys.exit(3)
        if ending == "abrupt":
            os._exit(7)
        if ending == "exception":
            raise ValueError(ending)
        if ending in ("interrupt", "term"):
            os.kill(os.getpid(), signal.SIGINT if ending == "interrupt" else signal.SIGTERM)
            time.sleep(60)


hub.configure({"lines": LineSink})
if __name__ == "__main__":
    main(sys.argv[1])
