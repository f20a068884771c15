#!/usr/bin/env python3
"""What finding devices costs, printed: 256 disks of 16 partitions from a made tree, this machine's list, and how the
time grows. Usage: discovery.py BUILD_DIR, a Release build.
"""
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lib"), str(HERE.parent / "sysroots")]

if len(sys.argv) > 1:
    os.environ["IODYNO_BUILD_DIR"] = sys.argv[1]

import make  # noqa: E402
import program  # noqa: E402

ROUNDS = 9
BAR_SCAN_MS, BAR_HERE_MS = 100, 20


def median_ms(*words):
    """Median and best wall time, and the median of the CPU time, which other programs disturb less."""
    argv = [program.BUILD / "bin/iodyno", "list", *words]
    times, cpu = [], []
    for _ in range(ROUNDS):
        used, before = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        # Without a timeout: with one, Python looks only after 64 and 114 ms whether a process has ended.
        subprocess.run(argv, stdout=subprocess.DEVNULL, check=True)
        times.append((time.monotonic() - before) * 1000)
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append((now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime) * 1000)
    return statistics.median(times), min(times), statistics.median(cpu)


def row(name, figures):
    print(f"{name:<28} {figures[0]:>10.1f} {figures[1]:>10.1f} {figures[2]:>10.1f}")
    return figures


def alone():
    """Root gets a mount namespace of its own, for a file system like sysfs: in memory, without device nodes."""
    if os.geteuid() == 0 and shutil.which("unshare") and not os.environ.get("IODYNO_BENCH_ALONE"):
        os.environ["IODYNO_BENCH_ALONE"] = "1"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])


def main():
    alone()
    memory = pathlib.Path("/dev/shm")  # as sysfs: no disk's file system below
    folder = pathlib.Path(tempfile.mkdtemp(prefix="iodyno-bench-", dir=memory if memory.is_dir() else None))
    is_mounted = bool(os.environ.get("IODYNO_BENCH_ALONE")) and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "nosuid,nodev,noexec", "tmpfs", folder], check=False).returncode == 0
    try:
        print(f"made trees in memory, {'mounted nodev as sysfs is' if is_mounted else folder.parent}")
        print(f"{'tree':<28} {'median ms':>10} {'best ms':>10} {'CPU ms':>10}")
        row("no disk", median_ms("--sysroot", make.make_many(folder / "none", 0, 0)))
        for disks, parts in ((64, 16), (128, 16), (256, 16)):
            root = make.make_many(folder / f"{disks}x{parts}", disks, parts)
            many = row(f"{disks} disks x {parts} partitions", median_ms("--sysroot", root))
        row("the same as JSON", median_ms("--json", "--sysroot", root))
        here = row("this machine", median_ms())
        for name, figures, bar in (("256 x 16", many, BAR_SCAN_MS), ("this machine", here, BAR_HERE_MS)):
            print(f"bar: {name} < {bar} ms: median {figures[0]:.1f} {'met' if figures[0] < bar else 'MISSED'}, "
                  f"best {figures[1]:.1f}, CPU {figures[2]:.1f}")
    finally:
        if is_mounted:
            subprocess.run(["umount", folder], check=False)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
