#!/usr/bin/env python3
"""network.wire: from port to port of one machine, proved by the ports' counters, nothing left behind; two ports at once."""
import json
import pathlib
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "lib"))
import netns  # noqa: E402
from program import Case, children, main, result_of, totals, wait_for  # noqa: E402

LACKING = netns.lacking()


@unittest.skipIf(LACKING, LACKING)
class WireTest(Case):
    def setUp(self):
        super().setUp()
        self.machine = netns.Single()
        self.addCleanup(self.machine.close)

    def start(self, *words):
        return subprocess.Popen(self.machine.inside(*self.home.argv("run", *words)), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=self.home.env, stdin=subprocess.DEVNULL)

    def wire(self, *words, code=0):
        process = self.start("network.wire", "e0", *words, "--json")
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, err + out[-2000:])
        return json.loads(out) if out else err

    def test_the_data_goes_over_the_cable_and_nothing_is_changed(self):
        time.sleep(2)  # until the addresses are no longer tentative
        before, wire, loop = self.machine.state(), self.machine.counted("e0"), self.machine.counted("lo")
        run = self.wire("--peer=e1", "--time=2", "--bitrate=200M")
        payload = sum(totals(run, "sent").values())
        self.assertGreater(payload, 30e6)
        self.assertGreaterEqual(self.machine.counted("e0") - wire, payload)
        self.assertLess(self.machine.counted("lo") - loop, payload / 100)
        self.assertNotIn("wrong-path", run["facts"])
        self.assertIn("--bind-dev e1", run["facts"]["by-hand"])
        self.assertEqual(self.machine.state(), before)

    def test_both_ways_and_turns(self):
        for way in ("turns", "both", "in"):
            run = self.wire("--peer=e1", "--time=1", "--bitrate=50M", f"--direction={way}", "--parallel=2")
            for key in ("rate_out", "rate_in"):
                if way != "in" or key == "rate_in":
                    self.assertAlmostEqual(result_of(run, key) / 100e6, 1, delta=0.1)

    def test_a_kill_leaves_nothing_behind(self):
        time.sleep(2)
        before = self.machine.state()
        process = self.start("network.wire", "e0", "--peer=e1", "--time=30", "--bitrate=10M", "--jsonl")
        time.sleep(2.5)
        found = [process.pid]
        for pid in found:
            found += children(pid)
        for pid in reversed(found):
            try:
                pathlib.Path(f"/proc/{pid}/stat").read_text()
                subprocess.run(["kill", "-9", str(pid)], check=False, capture_output=True)
            except OSError:
                pass
        process.communicate(timeout=30)
        self.assertEqual(self.machine.state(), before)
        self.wire("--peer=e1", "--bytes=5M")

    def test_ports_that_will_not_do(self):
        self.assertIn("peer=PORT", str(self.wire(code=3)))
        self.assertIn("no network port", str(self.wire("--peer=e7", code=3)))
        self.assertIn("both ends", str(self.wire("--peer=e0", code=3)))
        self.machine.run("ip", "link", "set", "e1", "down")
        self.assertIn("ip link set e1 up", str(self.wire("--peer=e1", code=3)))

    def test_without_the_wire_the_result_is_marked(self):
        server = subprocess.Popen(self.machine.inside("iperf3", "-s", "-1"), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.assertTrue(wait_for(lambda: ":5201" in self.machine.run("ss", "-ltn"), 5))
        process = self.start("network.tcp", "e0", "--server=10.79.0.2", "--time=1", "--bitrate=50M", "--json")
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        verdict = json.loads(out)["verdict"]
        self.assertEqual(verdict["code"], "wrong-path")
        self.assertIn("did not use the port", verdict["text"])


@unittest.skipIf(LACKING, LACKING)
class TwoPortsTest(Case):
    """Two cables of 100 and 200 Mbit/s, a test on each at once, and again."""

    def setUp(self):
        super().setUp()
        self.pair = netns.Pair()
        self.addCleanup(self.pair.close)
        self.pair.second()
        self.pair.one_segment_a_frame()
        for port, rate in (("e0", "100mbit"), ("e1", "200mbit")):
            self.pair.run(self.pair.near, "tc", "qdisc", "add", "dev", port, "root", "tbf", "rate", rate, "burst", "64k",
                          "limit", "2m")

    def test_two_at_once_twice(self):
        for number in (1, 2):
            for server in ("10.77.0.2", "10.78.0.2"):
                process = self.pair.start(self.pair.far, "iperf3", "-s", "-1", "-B", server, stdout=subprocess.DEVNULL)
                self.addCleanup(process.wait)
                self.addCleanup(process.kill)
            self.assertTrue(wait_for(lambda: self.pair.run(self.pair.far, "ss", "-ltn").count(":5201") == 2, 5))
            began = time.monotonic()
            runs = [subprocess.Popen(self.pair.inside(self.pair.near, *self.home.argv(
                "run", "network.tcp", port, f"--server={server}", "--time=5", "--json")), stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, env=self.home.env, stdin=subprocess.DEVNULL)
                for port, server in (("e0", "10.77.0.2"), ("e1", "10.78.0.2"))]
            for process, low, high in zip(runs, (94e6, 188e6), (97e6, 194e6)):
                out, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 0, err)
                run = json.loads(out)
                phase = next(p for p in run["phases"] if p["name"] == "out")
                print(number, result_of(run, "rate"), phase["t1_s"] - phase["t0_s"])
                self.assertGreater(result_of(run, "rate"), low)
                self.assertLess(result_of(run, "rate"), high)
                self.assertLess(abs(phase["t1_s"] - phase["t0_s"] - 5), 0.25)
            self.assertLess(time.monotonic() - began, 60)


if __name__ == "__main__":
    main()
