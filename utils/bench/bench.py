#!/usr/bin/env python3
"""Measures Rondo, on each of its backends, beside the servers that it is to replace, and writes tables and plots.

    utils/bench/bench.py [--build build] [--quick] [--rows WORD] [--peer NAME=COMMAND] [--out FOLDER]
    utils/bench/bench.py experiment NAME...       pending-writes, one-call, echo, kqueue, polling, or all
    utils/bench/bench.py show results.json        writes tables and plots of a saved run again

`make bench` runs the full mode. README.md beside this file says what each figure means."""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import time

import experiments
import generators
import machine
import measure
import report
import rows as row_table
import servers
import special

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODES = {  # seconds, warm-up, rounds, keys for memory, keys and rate of growth, keys that expire at once, requests of other generators
    "full": dict(seconds=0.6, warmup=0.15, rounds=3, memory=1000000, growth=1500000, rate=150000, expiry=500000, requests=1000000),
    "quick": dict(seconds=0.5, warmup=0.1, rounds=1, memory=300000, growth=400000, rate=150000, expiry=100000, requests=300000),
    "smoke": dict(seconds=0.1, warmup=0.02, rounds=1, memory=2000, growth=2000, rate=10000, expiry=1000, requests=5000),
}
EXTRAS = ("half-load", "memory", "growth", "expiry", "others")


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", help="nothing; experiment NAME...; show FILE")
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"), help="folder with rondo-server and bench-load")
    parser.add_argument("--out", help="folder for results.json, report.md and the plots (BUILD/bench)")
    parser.add_argument("--quick", dest="mode", action="store_const", const="quick", default="full", help="a minute instead of twelve")
    parser.add_argument("--smoke", dest="mode", action="store_const", const="smoke", help="seconds: says only whether everything works")
    parser.add_argument("--rows", help="only rows and extras (%s) that this regular expression finds" % ", ".join(EXTRAS))
    parser.add_argument("--list", action="store_true", help="name the rows and end")
    parser.add_argument("--rounds", type=int, help="interleaved rounds of each row")
    parser.add_argument("--seconds", type=float, help="measured in each round")
    parser.add_argument("--keys", type=int, help="keys that memory, growth and expiry fill in, instead of the mode's number")
    parser.add_argument("--backend", action="append", help="io_uring, epoll (both)")
    parser.add_argument("--option", action="append", default=[], help="passed to rondo-server, as in --option=--turn-window=32")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND",
                        help="another server; %%PORT%% stands for its port. NAME= leaves out one that would be found")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--cpus", help="SERVER,LOAD processors")
    parser.add_argument("--epoll-load", action="store_true", help="the load generator uses epoll")
    parser.add_argument("--compare", metavar="FILE", help="results.json of an earlier run")
    return parser.parse_intermixed_args(words)


def raise_descriptor_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def load_program(build):
    path = os.path.join(build, "bench-load")
    if not os.access(path, os.X_OK):
        sys.exit("%s is missing: run make bench-programs B=%s" % (path, build))
    return path


def setting_of(options):
    mode = MODES[options.mode]
    server_cpu, load_cpu = machine.choose_cpus(options.cpus)
    if server_cpu is None:
        measure.say("one processor only: server and load share it, and the figures say little")
    return measure.Setting(load_program(options.build), server_cpu, load_cpu, options.seconds or mode["seconds"], mode["warmup"],
                           options.rounds or mode["rounds"], options.epoll_load)


def chosen_rows(options):
    rows = row_table.all_rows()
    if options.rows:
        return [row for row in rows if re.search(options.rows, row.name)]
    return [row for row in rows if options.mode == "full" or row.name in row_table.QUICK]


def extra_wanted(options, name):
    if options.rows:
        return re.search(options.rows, name)
    return options.mode == "full" or name in ("half-load", "memory")


def option_words(options):
    return [word for text in options.option for word in text.split("=", 1)]


def kinds_of(options):
    peers = [name + "=" for name in servers.PEERS] if options.no_peers else options.peer
    kinds = servers.find_kinds(options.build, options.backend or ["io_uring", "epoll"], peers, option_words(options))
    measure.say("measuring %s" % ", ".join(kind.name for kind in kinds))
    return kinds


def run_extras(options, kinds, setting, saved):
    mode = dict(MODES[options.mode])
    if options.keys:
        mode.update(memory=options.keys, growth=options.keys, expiry=options.keys)
    if extra_wanted(options, "half-load"):
        saved["half_load"] = special.half_load(kinds, setting, mode["memory"])
    if extra_wanted(options, "memory"):
        saved["memory"] = special.memory(kinds, setting, mode["memory"])
    if extra_wanted(options, "growth"):
        saved["growth"] = special.growth(kinds, setting, mode["growth"], mode["rate"])
    if extra_wanted(options, "expiry"):
        saved["expiry"] = special.expiry(kinds, setting, mode["expiry"], min(20000, mode["rate"]))
    if extra_wanted(options, "others"):
        saved["others"] = special.other_generators(kinds, setting, generators.find(), mode["requests"])


def describe(options, kinds, setting):
    return {
        "when": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "source": machine.git_version(SOURCE),
        "machine": machine.describe(),
        "setting": {"mode": options.mode, "rounds": setting.rounds, "seconds": setting.seconds, "warmup": setting.warmup,
                    "server_cpu": setting.server_cpu, "load_cpu": setting.load_cpu,
                    "engine": "bench-load, " + ("epoll" if setting.epoll else "io_uring where there is one")},
        "servers": [{"name": kind.name, "version": kind.version(), "command": " ".join(kind.command)} for kind in kinds],
    }


def write(options, saved):
    folder = options.out or os.path.join(options.build, "bench")
    os.makedirs(folder, exist_ok=True)
    old = None
    if options.compare:
        with open(options.compare) as file:
            old = json.load(file)
    with open(os.path.join(folder, "results.json"), "w") as file:
        json.dump(saved, file, indent=1)
    text = report.markdown(saved, report.plots(saved, folder), old)
    with open(os.path.join(folder, "report.md"), "w") as file:
        file.write(text)
    print(text)
    measure.say("written: %s/{report.md,results.json,*.svg}" % folder)


def run(options):
    start = time.monotonic()
    kinds, setting = kinds_of(options), setting_of(options)
    saved = describe(options, kinds, setting)
    saved["rows"] = measure.run_rows(kinds, setting, chosen_rows(options))
    run_extras(options, kinds, setting, saved)
    saved["took_s"] = round(time.monotonic() - start)
    write(options, saved)


def show(options, path):
    with open(path) as file:
        saved = json.load(file)
    options.out = options.out or os.path.dirname(os.path.abspath(path))
    write(options, saved)


def main():
    options = parse(sys.argv[1:])
    options.build = os.path.abspath(options.build)
    raise_descriptor_limit()
    if options.list:
        print("\n".join([row.name for row in row_table.all_rows()] + list(EXTRAS)))
    elif not options.what:
        run(options)
    elif options.what[0] == "experiment":
        setting = setting_of(options)
        experiments.run(options, setting, options.what[1:], report.machine_text(describe(options, [], setting)))
    elif options.what[0] == "show" and len(options.what) == 2:
        show(options, options.what[1])
    else:
        sys.exit("what is %s? See --help" % " ".join(options.what))


if __name__ == "__main__":
    try:
        main()
    except (servers.Trouble, subprocess.TimeoutExpired) as why:
        sys.exit("bench: %s" % why)
    except KeyboardInterrupt:
        sys.exit(130)
