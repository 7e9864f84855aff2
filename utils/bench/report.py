"""The report of a run: Markdown with plots beside it. Nothing is left out silently: what a server cannot do, says so."""
import math
import os

import plot
from measure import DISTURBED, SATURATED

MARK = "\\*"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(cells) + " |" for cells in rows]) + "\n"


def cell(one, show):
    if one is None:
        return ""
    if "error" in one:
        return "–"
    return show(one)


def names_of(saved):
    return [server["name"] for server in saved["servers"]]


def waited_for_load(one):
    """Not so where others kept server or load from running: that is another warning."""
    return "error" not in one and one["server_share"] < SATURATED and one["waited_share"] <= DISTURBED


def ratio_columns(names):
    """Peers against the first of ours: how many times its CPU time theirs is."""
    ours = next((name for name in names if name.startswith("rondo")), None)
    return ours, [name for name in names if not name.startswith("rondo")] if ours else []


def cpu_table(saved):
    names = names_of(saved)
    ours, peers = ratio_columns(names)
    rows = []
    for row, found in saved["rows"].items():
        cells = [row] + [cell(found.get(name), lambda one: ("%.0f" % one["cpu_ns"]) + (MARK if waited_for_load(one) else ""))
                         for name in names]
        for peer in peers:
            cells.append("**%.2f**" % ratio(found, peer, ours) if ratio(found, peer, ours) else "")
        rows.append(cells)
    return table(["CPU ns per request"] + names + ["%s ÷ %s" % (peer, ours) for peer in peers], rows)


def ratio(found, peer, ours):
    values = [found.get(name, {}).get("cpu_ns") for name in (peer, ours)]
    return values[0] / values[1] if all(values) else None


def figure_table(saved, title, show):
    names = names_of(saved)
    return table([title] + names, [[row] + [cell(found.get(name), show) for name in names] for row, found in saved["rows"].items()])


def refusals(saved):
    """What was skipped, and what the server said."""
    reasons = {}
    for row, found in saved["rows"].items():
        for name, one in found.items():
            if "error" in one:
                reasons.setdefault((name, one["error"]), []).append(row)
    lines = ["- %s, %s: %s" % (name, ", ".join(rows), text) for (name, text), rows in reasons.items()]
    return "Skipped (–), and what the server answered:\n\n" + "\n".join(lines) + "\n" if lines else ""


def shares(one):
    return "server %.0f %%, load %.0f %% of a core" % (100 * one["server_share"], 100 * one["load_share"])


def row_list(saved, wanted, show):
    lines = []
    for row, found in saved["rows"].items():
        late = ["%s (%s)" % (name, show(one)) for name, one in found.items() if "error" not in one and wanted(one)]
        if late:
            lines.append("- %s: %s" % (row, ", ".join(late)))
    return "\n".join(lines) + "\n" if lines else ""


def warnings(saved):
    """Rows in which the load was the bottleneck, and rows that other programs disturbed."""
    late = row_list(saved, waited_for_load, shares)
    disturbed = row_list(saved, lambda one: one["waited_share"] > DISTURBED, lambda one: "%.0f %%" % (100 * one["waited_share"]))
    parts = []
    if late:
        parts.append("%s **The load was the bottleneck**: the server used less than %.0f %% of its core. Throughput and latency are the "
                     "load's there, and the server's batches are smaller than they could be:\n\n%s" % (MARK, 100 * SATURATED, late))
    if disturbed:
        parts.append("**Other programs were running**: server and load had to wait for their processors, together for this part of the "
                     "time. Throughput and latency say little there, CPU times more:\n\n%s" % disturbed)
    return "\n".join(parts)


def special_table(saved, name, title, columns):
    found = saved.get(name)
    if not found:
        return ""
    rows = []
    for server in names_of(saved):
        one = found.get(server)
        if one:
            rows.append([server] + ([one["error"]] + [""] * (len(columns) - 1) if "error" in one else [show(one) for _, show in columns]))
    late = ["%s %.0f %%" % (server, 100 * one["waited_share"]) for server, one in found.items() if one.get("waited_share", 0) > DISTURBED]
    note = "\n**Other programs were running**, and kept server and load waiting: %s of the time.\n" % ", ".join(late) if late else ""
    return "## %s\n\n" % title + table(["server"] + [label for label, _ in columns], rows) + note


LATENCY_COLUMNS = [
    ("p50 µs", lambda one: "%.0f" % one["p50_us"]), ("p99 µs", lambda one: "%.0f" % one["p99_us"]),
    ("p99.9 µs", lambda one: "%.0f" % one["p999_us"]), ("slowest µs", lambda one: "%.0f" % one["max_us"]),
    ("CPU ns per request", lambda one: "%.0f" % one["cpu_ns"]), ("requests/s", lambda one: "%.0f" % one["rate"])]


def memory_table(saved):
    found = saved.get("memory")
    if not found:
        return ""
    names = names_of(saved)
    rows = [["%s bytes" % size] + [cell(one.get(name), lambda m: "%.1f" % m["bytes_per_key"]) for name in names]
            for size, one in found.items()]
    return "## Memory\n\nBytes of resident memory for each key of 16 bytes, by the value's size.\n\n" + table(["value"] + names, rows)


def others_table(saved):
    found = saved.get("others")
    if not found:
        return ""
    names = names_of(saved)
    rows = []
    for title, one in found.items():
        rows.append([title + ", CPU ns"] + [cell(one.get(name), lambda m: "%.0f%s" % (m["cpu_ns"], MARK if m["server_share"] < SATURATED
                                                                                      else "")) for name in names])
        rows.append([title + ", requests/s"] + [cell(one.get(name), lambda m: "%.0f" % m["rate"]) for name in names])
        rows.append([title + ", p99 µs"] + [cell(one.get(name), lambda m: "%.0f" % m["p99_us"]) for name in names])
    return "## Other load generators\n\n50 connections, 16 in flight, 100-byte values.\n\n" + table(["generator, row"] + names, rows)


def machine_text(saved):
    about = ", ".join("%s: %s" % (name, value) for name, value in saved["machine"].items())
    servers = "\n".join("- %s %s: `%s`" % (one["name"], one["version"], one["command"]) for one in saved["servers"])
    setting = saved["setting"]
    return ("Machine: %s. Server on processor %s, load on %s. %s mode, medians of %d interleaved rounds of %.2g s, each after %.2g s of "
            "warm-up. Load generator: %s.\n\n%s\n" % (about, setting["server_cpu"], setting["load_cpu"], setting["mode"], setting["rounds"],
                                                  setting["seconds"], setting["warmup"], setting["engine"], servers))


def compare_table(saved, old):
    """CPU per request against a run of before, server by server: below 1 is less than before."""
    names = [name for name in names_of(saved) if name in names_of(old)]
    rows = []
    for row, found in saved["rows"].items():
        before = old["rows"].get(row, {})
        cells = [row]
        for name in names:
            pair = [run.get(name, {}).get("cpu_ns") for run in (found, before)]
            cells.append("%.2f (%.0f → %.0f)" % (pair[0] / pair[1], pair[1], pair[0]) if all(pair) else "")
        rows.append(cells)
    return "## Against %s\n\nCPU per request, now ÷ then.\n\n" % old.get("when", "the saved run") + table(["row"] + names, rows)


def markdown(saved, images, old=None):
    parts = ["# Benchmark, %s\n" % saved["when"], machine_text(saved)]
    if saved["rows"]:
        parts += ["## CPU time per request\n\nAll threads of the server and its kernel workers. A ratio above 1: Rondo needs less.\n",
                  cpu_table(saved), warnings(saved), refusals(saved),
                  "## Throughput\n", figure_table(saved, "requests/s", lambda one: "%.0f" % one["rate"]),
                  "## 99th percentile of latency\n", figure_table(saved, "p99 µs", lambda one: "%.0f" % one["p99_us"])]
    parts += [special_table(saved, "half_load", "Half load: GET, open loop, 50 clients", LATENCY_COLUMNS), memory_table(saved),
              special_table(saved, "growth", "New keys at a fixed rate", LATENCY_COLUMNS),
              special_table(saved, "expiry", "GETs while keys expire at once", LATENCY_COLUMNS + [("not removed", lambda m: str(m["left"]))]),
              others_table(saved), compare_table(saved, old) if old else ""]
    parts += ["## Plots\n"] + ["![%s](%s)" % (title, name) for name, title in images] if images else []
    return "\n".join(part for part in parts if part) + "\n"


# ---- plots

def good(found):
    return {name: one for name, one in found.items() if "error" not in one}


def latency_plot(found):
    shares = [(0, "0"), (1, "90 %"), (2, "99 %"), (3, "99.9 %"), (4, "99.99 %")]
    series = {name: [(-math.log10(1 - share), us) for share, us in one["curve"] if share < 0.99995] for name, one in good(found).items()}
    return plot.lines("Latency at half load: GET, open loop, 50 clients", series, "share of requests that were at least as fast",
                      "µs", y_log=True, x_ticks=shares)


def plots(saved, folder):
    """Writes what there is to show; returns (file, title) of each."""
    names, made = names_of(saved), []

    def keep(name, title, svg):
        with open(os.path.join(folder, name), "w") as file:
            file.write(svg)
        made.append((name, title))

    for figure, title, label in (("cpu_ns", "CPU time per request", "ns per request, less is better"),
                                 ("rate", "Throughput", "requests per second, more is better")):
        rows = [(row, {name: one[figure] for name, one in good(found).items()}) for row, found in saved["rows"].items()]
        if rows:
            keep({"cpu_ns": "cpu.svg", "rate": "throughput.svg"}[figure], title, plot.dots(title, rows, names, label))
    if saved.get("half_load"):
        keep("latency.svg", "Latency", latency_plot(saved["half_load"]))
    if saved.get("memory"):
        groups = [("%s bytes" % size, {name: one["bytes_per_key"] for name, one in good(found).items()})
                  for size, found in saved["memory"].items()]
        keep("memory.svg", "Memory per key", plot.bars("Memory for a key of 16 bytes", groups, names, "bytes of the value", "bytes per key"))
    if saved.get("growth"):
        series = {name: [(keys, max(us, 1)) for keys, us in one["points"]] for name, one in good(saved["growth"]).items()}
        keep("growth.svg", "Tail while the table grows", plot.lines("Slowest request while keys are added at a fixed rate", series,
                                                                  "keys", "µs, slowest in 50 ms", y_log=True))
    return made
