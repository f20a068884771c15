"""dd beside iodyno: dd's own figures, CPU seconds of a command, and memory that is warm for both.

On a virtual machine whose host takes back free pages, a run that meets such pages spends three to ten times the CPU
seconds of one that does not, whoever runs. warm_memory() around the timed runs keeps that out of the comparison.
"""
import contextlib
import mmap
import os
import pathlib
import re
import subprocess

DD_LINE = re.compile(r"^(\d+) bytes? .*copied, ([0-9.e+-]+) s, ", re.MULTILINE)
HOST_BLOCK = 2 << 20
REPORTING_ORDER = pathlib.Path("/sys/module/page_reporting/parameters/page_reporting_order")
REPORTING_NEVER = 11  # above the largest block the kernel keeps (2^10 pages), so that none is reported
ENV = {**os.environ, "LC_ALL": "C"}


class DdRun:
    def __init__(self, text, cpu_s):
        found = DD_LINE.search(text)
        if not found:
            raise ValueError(f"no line of dd in: {text!r}")
        self.bytes, self.seconds, self.cpu_s = int(found[1]), float(found[2]), cpu_s
        self.rate = self.bytes / self.seconds
        self.line = next(line for line in text.splitlines() if "copied" in line)


def run_dd(*words, inside=None):
    """dd with its figures; `inside` maps argv to the argv of a group."""
    argv = ["dd", *map(str, words)]
    process = subprocess.Popen(inside(argv) if inside else argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True, env=ENV)
    text = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode:
        raise OSError(f"dd {' '.join(map(str, words))}: {text.strip()}")
    return DdRun(text, usage.ru_utime + usage.ru_stime)


def _available():
    with open("/proc/meminfo", encoding="ascii") as info:
        return next(int(line.split()[1]) * 1024 for line in info if line.startswith("MemAvailable:"))


@contextlib.contextmanager
def _reporting_off():
    """Yields whether free pages stay with this machine while the block lasts (the kernel's own switch, root's)."""
    try:
        before = REPORTING_ORDER.read_text(encoding="ascii").strip()
        REPORTING_ORDER.write_text(str(REPORTING_NEVER), encoding="ascii")
    except OSError:
        yield False
        return
    try:
        yield True
    finally:
        REPORTING_ORDER.write_text(before, encoding="ascii")


@contextlib.contextmanager
def warm_memory(size):
    """Free pages for files of that size which the host does not take back while the block lasts.

    Where the kernel's reporting of free pages cannot be switched off: a host is given whole free blocks of 2 MiB; so
    every 2 MiB of a touched area one page is kept and the rest freed. Half of what is freed suits the 1 MiB pieces that
    the page cache asks for, hence the factor. That helps, but not always.
    """
    area = 5 * size
    if _available() < 2 * area:
        yield
        return
    with (_reporting_off() as is_off,
          mmap.mmap(-1, area, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory):
        memory.madvise(15)  # MADV_NOHUGEPAGE: a huge page would not be freed in parts
        for at in range(0, area, mmap.PAGESIZE):
            memory[at] = 1
        kept = 0 if is_off else mmap.PAGESIZE
        for at in range(0, area, HOST_BLOCK):
            memory.madvise(mmap.MADV_DONTNEED, at + kept, HOST_BLOCK - kept)
        yield
