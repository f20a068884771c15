#!/usr/bin/env python3
"""kill -9 of all programs of a run at random moments, while other runs write the same database: it opens, what was told
more than 1.1 s before the kill is in it, and no finished run is missing.

    test_kill_all.py [KILLS]        without a number: 20 kills and twice that time, for a machine that is busy
"""
import concurrent.futures
import os
import pathlib
import random
import signal
import sqlite3
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import program  # noqa: E402

LOST_MOST_S = 1.1
AT_ONCE = 4
LIFE_S = (0.1, 3.5)
KILLS, SLACK = 20, 2


def family(pid):
    found = [pid]
    for child in program.children(pid):
        found.extend(family(child))
    return found


def key(line):
    return line["metric"], line["lane"], round(line["t0_s"], 6), round(line["t1_s"], 6)


class Told:
    """Lines of a run and when they came."""

    def __init__(self, process):
        self.lines = []
        self.thread = threading.Thread(target=self.read, args=(process.stdout,))
        self.thread.start()

    def read(self, stream):
        for line in stream:
            self.lines.append((time.monotonic(), line))


class KillAll(program.Case):
    def start(self, label, seconds):
        return self.home.start("run", "selftest.sine", "dram", f"--time={seconds}", "--interval=0.1", "--jsonl",
                               f"--label={label}")

    def play(self, number, seed):
        """One run killed, one finished meanwhile; when it was killed and what it had told."""
        chance = random.Random(seed)
        victim = self.start(f"killed {number}", "60s")
        told = Told(victim)
        finished = self.home.run("run", "selftest.sine", "dram", "--time=300ms", "--json", f"--label=done {number}") \
            if chance.random() < 0.5 else None
        time.sleep(chance.uniform(*LIFE_S))
        pids = family(victim.pid)
        names = [pathlib.Path(f"/proc/{pid}/comm").read_text().strip() for pid in pids]
        chance.shuffle(pids)
        moment = time.monotonic()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        victim.wait()
        told.thread.join()
        victim.stdout.close()
        victim.stderr.close()
        if finished:
            self.assertEqual(finished.code, 0, finished.err)
        return number, moment, told, names, finished and finished.json()

    def check_killed(self, stored, number, moment, told):
        """Age of the oldest line that is not in the record, 0 when all are."""
        entry = next((run for run in stored if run["label"] == f"killed {number}"), None)
        kept = set()
        if entry:
            self.assertEqual(entry["state"], "interrupted")
            run = self.home.run("show", str(entry["id"]), "--json").json()
            kept = {(key(line), line["value"]) for line in run["intervals"]}
        oldest = 0.0
        for at, text in told.lines:
            if at > moment or not text.endswith("\n"):
                continue
            line = program.json.loads(text)
            if line["type"] == "interval" and (key(line), line["value"]) not in kept:
                oldest = max(oldest, moment - at)
        return oldest

    def check_finished(self, stored, number, said):
        entry = next(run for run in stored if run["label"] == f"done {number}")
        self.assertEqual(entry["state"], "done")
        run = self.home.run("show", str(entry["id"]), "--json").json()
        self.assertEqual(run["intervals"], said["intervals"])
        self.assertEqual(run["results"], said["results"])

    def test_kills(self):
        seed = int.from_bytes(os.urandom(4), "little")
        print(f"seed {seed}", flush=True)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            played = list(pool.map(self.play, range(KILLS), range(seed, seed + KILLS)))
        with sqlite3.connect(self.home.database) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone()[0], "ok")
        stored = self.home.run("history", "--json", "--limit", str(4 * KILLS)).json()["runs"]
        finished = [(number, said) for number, _, _, _, said in played if said]
        for number, said in finished:
            self.check_finished(stored, number, said)
        lost = [self.check_killed(stored, number, moment, told) for number, moment, told, _, _ in played]
        complete = sum(sorted(names) == ["iodyno", "iodyno-store", "iodyno-worker"] for _, _, _, names, _ in played)
        print(f"{KILLS} kills ({complete} with all three programs alive); oldest lost frame {max(lost):.3f} s, bar "
              f"{LOST_MOST_S} s; {len(finished)} finished runs, all there", flush=True)
        self.assertLessEqual(max(lost), LOST_MOST_S * SLACK)
        self.assertGreater(complete, KILLS // 2)
        self.assertTrue(finished)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        KILLS, SLACK = int(sys.argv[1]), 1
    program.main()
