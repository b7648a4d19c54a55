"""Steps that end in all ways in which the flow goes on."""

import os
import signal

from metaflow import catch, current, retry, step, timeout

import lineage
from lineage.metaflow import LineageFlow


class EndingsFlow(LineageFlow):
    """Retry and catch what raises, hangs and is killed."""

    @step
    def start(self):
        self.next(self.recovered, self.caught, self.late, self.killed_once, self.killed)

    @retry(times=1, minutes_between_retries=0)
    @step
    def recovered(self):
        if current.retry_count == 0:
            raise ValueError("the first attempt")
        with lineage.run("helper"):
            self.lineage.writes("s3://lake/recovered")
        self.next(self.merge)

    @catch(var="problem")
    @retry(times=1, minutes_between_retries=0)
    @step
    def caught(self):
        self.lineage.reads("s3://lake/source")
        self.lineage.writes("s3://lake/half-written")
        if current.task_id:
            raise ValueError("each attempt")
        self.next(self.merge)

    @catch(var="problem")
    @timeout(seconds=1)
    @step
    def late(self):
        signal.pause()
        self.next(self.merge)

    @retry(times=1, minutes_between_retries=0)
    @step
    def killed_once(self):
        if current.retry_count == 0:
            lineage.get_emitter().flush(60)
            os.kill(os.getpid(), signal.SIGKILL)
        self.next(self.merge)

    @catch(var="problem")
    @step
    def killed(self):
        lineage.get_emitter().flush(60)
        os.kill(os.getpid(), signal.SIGKILL)
        self.next(self.merge)

    @step
    def merge(self, inputs):
        self.next(self.end)

    @step
    def end(self):
        self.lineage.writes("s3://lake/endings")


if __name__ == "__main__":
    EndingsFlow()
