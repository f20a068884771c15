#!/usr/bin/env python3
"""The write methods make dd's system calls: same calls, same sizes, same order, seen by strace."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import program  # noqa: E402
import slowdisk  # noqa: E402

CALLS = "openat,write,fsync,fdatasync,sync,fcntl"
METHODS = {
    "dd-fsync": ["conv=fsync"],
    "dd-fdatasync": ["conv=fdatasync"],
    "dd-direct": ["oflag=direct"],
    "dd-direct-fsync": ["oflag=direct", "conv=fsync"],
    "dd-then-sync": [],
}
CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += (-?\w+)")
RESUMED = re.compile(r"^(\d+) +<\.\.\. (\w+) resumed>(.*)$")


def joined(text):
    """strace's lines with unfinished and resumed halves put together."""
    halves = {}
    for line in text.splitlines():
        if line.endswith("<unfinished ...>"):
            pid = line.split()[0]
            halves[pid] = line[:-len("<unfinished ...>")].rstrip()
            continue
        resumed = RESUMED.match(line)
        yield halves.pop(resumed[1], "") + resumed[3] if resumed else line


def calls(trace, folder, name):
    """(call, amount or flags) of all calls on the data file of that name below the folder (None: nameless)."""
    path = re.compile(re.escape(f"{folder}/") + (re.escape(name) if name else r"#\d+"))
    found = []
    for line in joined(trace):
        match = CALL.match(line)
        if not match:
            continue
        call, arguments, result = match.groups()
        if call == "sync":
            found.append(("sync", None))
        elif call == "openat" and not any(kind == "write" for kind, _ in found) and (path.search(line) or "O_TMPFILE" in arguments) and \
                int(result.split("<")[0], 0) >= 0 and ("O_CREAT" in arguments or "O_TMPFILE" in arguments):
            found = [("open", "O_DIRECT" in arguments)]  # a probe of O_TMPFILE may come before
        elif path.search(arguments.split(",")[0]):
            if call == "write":
                found.append(("write", int(result)))
            elif call == "fcntl" and "F_SETFL" in arguments:
                found.append(("direct", "O_DIRECT" in arguments))
            elif call in ("fsync", "fdatasync"):
                found.append((call, None))
    return found


@unittest.skipUnless(shutil.which("strace"), "needs strace")
class Syscalls(program.Case):
    def setUp(self):
        super().setUp()
        self.folder = slowdisk.own_folder(self)

    def trace(self, argv, cwd, **kwargs):
        out = self.home.path / "trace"
        done = subprocess.run(["strace", "-f", "-qq", "-y", "-s", "0", "-o", str(out), "-e", f"trace={CALLS}", *argv],
                              capture_output=True, text=True, cwd=cwd, timeout=120, check=False,
                              stdin=subprocess.DEVNULL, **kwargs)
        if "Operation not permitted" in done.stderr and "ptrace" in done.stderr:
            self.skipTest("ptrace is not permitted here")
        self.assertEqual(done.returncode, 0, done.stderr)
        return out.read_text(errors="replace")

    def compare(self, method, size, amount):
        folder = self.folder
        dd = self.trace(["dd", "if=/dev/zero", f"of={folder}/by-dd", "bs=64K", *amount, *METHODS[method]], folder,
                        env={**os.environ, "LC_ALL": "C"})
        expected = calls(dd, folder, "by-dd")
        self.assertGreater(len(expected), 2)
        if method == "dd-then-sync":
            expected += [("fsync", None), ("sync", None)]  # ours asks the file too, so that no error hides
        elif method == "dd-direct" and expected[-1] != ("fsync", None):
            expected += [("fsync", None)]  # the check, outside the time
        for name, words in ((None, []), ("ours", ["--file=ours"])):
            ours = self.trace(self.home.argv("run", "storage.write", folder, f"--method={method}", "--bs=64K",
                                             f"--size={size}", "--no-record", "--json", *words), folder,
                              env=self.home.env)
            self.assertEqual(calls(ours, folder, name), expected, f"{method} {size} {name}")

    def test_whole_blocks(self):
        for method in METHODS:
            with self.subTest(method):
                self.compare(method, 4 * 65536, ["count=4"])

    def test_last_block_partial(self):
        for method in METHODS:
            with self.subTest(method):
                size = 3 * 65536 + 1000
                self.compare(method, size, [f"count={size}", "iflag=count_bytes"])


if __name__ == "__main__":
    program.main()
