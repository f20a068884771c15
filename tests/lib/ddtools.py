"""dd beside iodyno: dd's own figures, CPU seconds of a command, and memory that is warm for both.

On a virtual machine whose host takes back free pages, the first touch of such a page costs a thousand times a warm
one. warm_memory() before each timed run, alike for both, keeps that out of the comparison.
"""
import mmap
import os
import re
import subprocess

DD_LINE = re.compile(r"^(\d+) bytes? .*copied, ([0-9.e+-]+) s, ", re.MULTILINE)
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


def warm_memory(size):
    """Touches and frees that many bytes, so that the page cache finds them populated."""
    with mmap.mmap(-1, size) as memory:
        for at in range(0, size, mmap.PAGESIZE):
            memory[at] = 1
