"""A flow whose only task fails as the variable FAILURE names."""

import os
import signal
import sys
import threading

from metaflow import Parameter, retry, step

import lineage
from lineage.metaflow import LineageFlow


class FailingFlow(LineageFlow):
    """Fail twice."""

    rate = Parameter("rate", default=2, type=int)

    @retry(times=1, minutes_between_retries=0)
    @step
    def start(self):
        self.lineage.writes("s3://lake/never")
        failure = os.environ["FAILURE"]
        if failure == "raises":
            raise ValueError("token=abcdef0123456789abcdef0123456789")
        if failure == "killed":
            lineage.get_emitter().flush(60)
            os.kill(os.getpid(), signal.SIGKILL)
        if failure == "exits":
            sys.exit(0)
        self.lock = threading.Lock()
        self.next(self.end)

    @step
    def end(self):
        pass


if __name__ == "__main__":
    FailingFlow()
