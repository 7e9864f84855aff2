#!/usr/bin/env python3
# time-limit: 120
# builds: first
"""RQ, the job queue: queues, workers, results, failures, and jobs that wait for others or for their time."""
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, os.pardir, "cmd"))
sys.path.insert(0, FOLDER)  # workers import the jobs from here
sys.dont_write_bytecode = True

import datetime

import harness
from harness import Report, Server, expect

DEBIAN_PYTHON = "/usr/bin/python3"  # where the package python3-rq puts it
try:
    import redis
    import rq
    from rq.job import Job, Retry
    from rq.registry import FailedJobRegistry, FinishedJobRegistry, ScheduledJobRegistry
except ImportError:
    if os.path.exists(DEBIAN_PYTHON) and os.path.realpath(sys.executable) != os.path.realpath(DEBIAN_PYTHON):
        os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON] + sys.argv)
    rq = None


# ---- jobs

def add(a, b):
    return a + b


def fail():
    raise ValueError("on purpose")


def equal(wanted, got):
    expect(wanted == got, "wanted %r, got %r" % (wanted, got))


def work(connection, *queues, **more):
    rq.SimpleWorker([rq.Queue(name, connection=connection) for name in queues], connection=connection).work(burst=True, logging_level="CRITICAL", **more)


# ---- tests

def results(connection):
    queue = rq.Queue("default", connection=connection)
    jobs = [queue.enqueue("test_rq.add", i, i) for i in range(20)]
    equal(20, len(queue))
    equal([job.id for job in jobs], queue.job_ids)
    work(connection, "default")
    equal([2 * i for i in range(20)], [job.refresh() or job.result for job in jobs])
    equal(20, FinishedJobRegistry(queue=queue).count)
    equal(0, len(queue))


def failures(connection):
    queue = rq.Queue("failing", connection=connection)
    job = queue.enqueue("test_rq.fail", retry=Retry(max=2))
    work(connection, "failing")
    equal("failed", job.get_status())
    expect("on purpose" in job.exc_info, job.exc_info)
    registry = FailedJobRegistry(queue=queue)
    equal([job.id], registry.get_job_ids())
    registry.requeue(job.id)
    equal(1, len(queue))
    queue.empty()  # a Lua script
    equal(0, len(queue))


def dependencies(connection):
    queue = rq.Queue("chain", connection=connection)
    first = queue.enqueue("test_rq.add", 1, 2)
    second = queue.enqueue("test_rq.add", 3, 4, depends_on=first)
    equal("deferred", second.get_status())
    work(connection, "chain")
    second.refresh()
    equal(7, second.result)


def schedules(connection):
    queue = rq.Queue("later", connection=connection)
    job = queue.enqueue_in(datetime.timedelta(hours=1), "test_rq.add", 1, 1)
    registry = ScheduledJobRegistry(queue=queue)
    equal([job.id], registry.get_job_ids())
    equal("scheduled", job.get_status())
    registry.remove(job)
    equal(0, registry.count)
    job.delete()
    expect(not Job.exists(job.id, connection=connection), "the job is gone")


def priorities(connection):
    for name in ("low", "high", "low", "high"):
        rq.Queue(name, connection=connection).enqueue("test_rq.add", 1, 1)
    work(connection, "high", "low", max_jobs=2)
    equal((0, 2), (len(rq.Queue("high", connection=connection)), len(rq.Queue("low", connection=connection))))


def main():
    report = Report()
    if rq is None:
        report.skip("compat/rq", "the module rq is not installed (Debian: python3-rq)")
        return 0
    usable, refused = harness.backends()
    for backend, why in refused:
        report.skip("compat/rq on %s" % backend, why)
    for backend in usable:
        with Server(backend) as server:
            connection = redis.Redis(port=server.port)
            for function in (results, failures, dependencies, schedules, priorities):
                connection.flushall()
                report.run("compat/rq %s %s (%s)" % (rq.VERSION, function.__name__, backend), function, connection)
            connection.connection_pool.disconnect()
    return report.status()


if __name__ == "__main__":
    sys.exit(main())
