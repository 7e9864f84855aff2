#!/usr/bin/env python3
# time-limit: 180
# builds: first
"""The Node clients (redis, ioredis) and libraries that live by scripts (BullMQ, rate-limiter-flexible, Redlock) against the server. They come from npm into the build folder; without npm, or without a
registry, this says so and is left out."""
import os
import shutil
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, os.pardir, "cmd"))
sys.dont_write_bytecode = True

import harness
from harness import Report, Server

MODULES = os.path.join(harness.BUILD, "compat")
SCRIPTS = ("clients.mjs", "libraries.mjs")
INSTALL_S, RUN_S = 120, 60


def installed():
    """None, or why the clients are not there. What was installed from the same list is kept."""
    if not shutil.which("node") or not shutil.which("npm"):
        return "there is no node and npm here"
    os.makedirs(MODULES, exist_ok=True)
    names = ("package.json", "package-lock.json")
    done = os.path.join(MODULES, "node_modules", ".package-lock.json")
    if os.path.exists(done) and all(open(os.path.join(FOLDER, n)).read() == open(os.path.join(MODULES, n)).read() for n in names):
        return None
    for name in names:
        shutil.copy(os.path.join(FOLDER, name), MODULES)
    try:
        npm = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=MODULES, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=INSTALL_S)
    except subprocess.TimeoutExpired:
        return "npm ci took longer than %d s" % INSTALL_S
    if npm.returncode != 0:
        return "npm ci failed: " + " ".join(npm.stdout.split())[-200:]
    return None


def run(report, script, backend):
    failed_before = report.failed
    with Server(backend) as server:
        node = subprocess.run(["node", os.path.join(FOLDER, script), str(server.port), os.path.join(MODULES, "node_modules")],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=RUN_S)
    for line in node.stdout.splitlines():
        if line.startswith("ok "):
            report.ok(line[3:] + " (%s)" % backend)
        elif line.startswith("not ok "):
            report.fail(line[7:] + " (%s)" % backend)
        else:
            print("# " + line.lstrip("# "))
    if node.returncode != 0 and report.failed == failed_before:
        report.fail("compat/node %s (%s)" % (script, backend), "node ended with %d" % node.returncode)


def main():
    report = Report()
    why = installed()
    if why:
        report.skip("compat/node clients", why)
        return 0
    usable, refused = harness.backends()
    for backend, reason in refused:
        report.skip("compat/node clients on %s" % backend, reason)
    for backend in usable:
        for script in SCRIPTS:
            run(report, script, backend)
    return report.status()


if __name__ == "__main__":
    sys.exit(main())
