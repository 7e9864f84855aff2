"""What the measurements were taken on, and which processors server and load get."""
import os
import platform
import re
import subprocess


def read(path, default=""):
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError:
        return default


def describe():
    """A dict of words, for the report."""
    cpuinfo = read("/proc/cpuinfo")
    model = re.search(r"model name\s*:\s*(.*)", cpuinfo)
    memory = re.search(r"MemTotal:\s*(\d+)", read("/proc/meminfo"))
    return {
        "processor": model.group(1) if model else platform.machine(),
        "processors": os.cpu_count(),
        "virtual": "yes" if re.search(r"^flags.*\bhypervisor\b", cpuinfo, re.M) else "no",
        "memory": "%.1f GiB" % (int(memory.group(1)) / (1 << 20)) if memory else "unknown",
        "kernel": platform.release(),
        "governor": read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "not shown"),
        "transparent huge pages": (re.findall(r"\[(\w+)\]", read("/sys/kernel/mm/transparent_hugepage/enabled")) or ["unknown"])[0],
        "load average before": read("/proc/loadavg").split(" ")[0],
    }


def choose_cpus(given):
    """(server, load): two processors that are ours to use; on separate cores where there are some. None twice: only one is there."""
    if given:
        server, _, load = given.partition(",")
        return int(server), int(load)
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        return None, None
    server = usable[0]
    siblings = read("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list" % server)
    others = [cpu for cpu in usable[1:] if str(cpu) not in re.split("[,-]", siblings)] or usable[1:]
    return server, others[0]


def busy_jiffies():
    """(busy, all) of the whole machine since it started."""
    numbers = [int(word) for word in read("/proc/stat").splitlines()[0].split()[1:]]
    return sum(numbers) - numbers[3] - numbers[4], sum(numbers)


def stolen_share(before, after):
    """Share of the machine's time that was taken by others than this measurement's two processors could take: a hint only."""
    return (after[0] - before[0]) / max(1, after[1] - before[1])


def git_version(source):
    done = subprocess.run(["git", "-C", source, "describe", "--always", "--dirty"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True)
    return done.stdout.strip() or "unknown"
