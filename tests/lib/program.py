"""The built programs as tests use them: a temporary home with its own database, JSON answers, exit codes.

A test file calls main(): unittest over its module, exit 77 when every test was skipped (ctest counts that).
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = pathlib.Path(os.environ.get("IODYNO_BUILD_DIR", "build")).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
HANG_LIMIT_S = 120


class Result:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def json(self):
        return json.loads(self.out)

    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]


class Home:
    """A temporary folder as HOME, with its own results.db and runtime folder."""

    def __init__(self, base=None):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="iodyno-test-", dir=base))
        self.files = self.path / "files"
        self.files.mkdir()
        self.database = self.path / "data/iodyno/results.db"
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("IODYNO_", "XDG_", "LC_"))}
        self.env.update(HOME=str(self.path), XDG_DATA_HOME=str(self.path / "data"), LANG="C.UTF-8",
                        XDG_RUNTIME_DIR=str(self.path / "runtime"), XDG_CONFIG_HOME=str(self.path / "config"),
                        ASAN_OPTIONS="handle_segv=0:detect_leaks=0")
        (self.path / "runtime").mkdir(mode=0o700)

    def close(self):
        shutil.rmtree(self.path, ignore_errors=True)

    def argv(self, *words):
        return [str(BUILD / "bin/iodyno"), *map(str, words)]

    def run(self, *words, limit=HANG_LIMIT_S, env=None, cwd=None):
        return Result(subprocess.run(self.argv(*words), capture_output=True, text=True, timeout=limit, check=False,
                                     env={**self.env, **(env or {})}, cwd=cwd, stdin=subprocess.DEVNULL))

    def start(self, *words, **kwargs):
        return subprocess.Popen(self.argv(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=self.env, stdin=subprocess.DEVNULL, **kwargs)


class Case(unittest.TestCase):
    """A test case with a home of its own."""

    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.close)

    def run_json(self, *words, code=0, **kwargs):
        result = self.home.run("run", *words, "--json", **kwargs)
        self.assertEqual(result.code, code, result.err + result.out[-2000:])
        return result.json()


def totals(run, key):
    """Sum of the intervals of a metric, by lane."""
    sums = {}
    for interval in run["intervals"]:
        if interval["metric"] == key:
            sums[interval["lane"]] = sums.get(interval["lane"], 0) + interval["value"]
    return sums


def result_of(run, key):
    return next((r["value"] for r in run["results"] if r["metric"] == key and r["lane"] is None), None)


def wait_for(what, limit_s, step_s=0.02):
    """Polls what() until it is true; its value, or None when the limit passed."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        value = what()
        if value:
            return value
        time.sleep(step_s)
    return None


def processes(name):
    """pids of live (not zombie) processes whose program has this file name."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if os.path.basename(os.readlink(entry / "exe")) == name:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def children(pid):
    try:
        return [int(p) for p in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def main():
    program = unittest.main(verbosity=2, exit=False, argv=[sys.argv[0]])
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun and len(result.skipped) == result.testsRun:
        sys.exit(77)
    sys.exit(0)
