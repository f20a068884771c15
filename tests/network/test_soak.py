#!/usr/bin/env python3
"""A long run: 600 intervals on an absolute grid, memory that stays, and what a soak is read for."""
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from test_client import NetCase  # noqa: E402
from program import children, main, wait_for  # noqa: E402

STEP_S, COUNT = 0.1, 600
OFF_S = 0.010
PULLED_S = 20
RINGS_KB = 6144


class SoakTest(NetCase):
    def weigh(self, pid):
        """Resident kB of each program of the run, by its name."""
        found, weights = [pid], {}
        for one in found:
            found += children(one)
        for one in found:
            status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{one}/status").read_text().splitlines())
            name = status["Name"].strip()
            if name.startswith("iodyno"):
                weights[name] = weights.get(name, 0) + int(status["VmRSS"].split()[0])
        return weights

    def test_the_grid_the_memory_and_the_worst_interval(self):
        self.serve()
        shown = open(self.home.path / "lines", "w+", encoding="utf-8")  # a pipe that nobody reads would be full
        self.addCleanup(shown.close)
        process = subprocess.Popen(self.argv("network.tcp", f"--time={STEP_S * COUNT + 1}", f"--interval={STEP_S}",
                                             "--bitrate=50M", "--jsonl"), stdout=shown, text=True,
                                   stderr=subprocess.PIPE, env=self.home.env, stdin=subprocess.DEVNULL)
        self.addCleanup(self.end, process)
        time.sleep(12)
        before = self.weigh(process.pid)
        time.sleep(PULLED_S - 12)
        for state in ("down", "up"):  # a cable that is loose for a second
            self.pair.run(self.pair.far, "ip", "link", "set", "e0", state)
            time.sleep(1)
        time.sleep(STEP_S * COUNT - PULLED_S - 5)
        after = self.weigh(process.pid)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        shown.seek(0)
        lines = [json.loads(line) for line in shown]
        sent = [line for line in lines if line["type"] == "interval" and line["metric"] == "sent"]
        start = sent[0]["t0_s"]
        off = [line["t1_s"] - start - STEP_S * number for number, line in enumerate(sent[:COUNT], 1)]
        print(f"{len(sent)} intervals, the grid is off by {min(off) * 1e3:.2f} to {max(off) * 1e3:.2f} ms, after {COUNT} "
              f"by {off[-1] * 1e3:.2f} ms; kB {before} {after}")
        self.assertGreaterEqual(len(sent), COUNT)
        self.assertLess(abs(off[-1]), OFF_S)
        self.assertLess(max(map(abs, off)), 2 * STEP_S)
        for name, weight in before.items():  # rings and caches still fill, to a bound
            self.assertLess(after[name], weight + RINGS_KB, name)
        nothing = [line for line in sent if line["value"] == 0]
        self.assertGreater(len(nothing), 3)
        self.assertLess(min(line["t0_s"] for line in nothing) - start, PULLED_S + 3)
        kept = self.home.run("show", "1")
        self.assertEqual(kept.code, 0, kept.err)
        self.assertIn("zero intervals", kept.out)
        self.assertIn("the link dropped 1 time", kept.out)

    def test_it_goes_on_when_its_terminal_is_gone(self):
        self.serve()
        process = subprocess.Popen(self.argv("network.tcp", "--time=3", "--bitrate=20M", "--detach"), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.home.env,
                                   stdin=subprocess.DEVNULL, start_new_session=True)
        out, err = process.communicate(timeout=30)
        self.assertEqual((process.returncode, out.strip()), (0, "run 1"), err)
        done = wait_for(lambda: json.loads(self.home.run("show", "1", "--json").out or "{}").get("state") == "done", 20, 0.2)
        self.assertTrue(done)


if __name__ == "__main__":
    main()
