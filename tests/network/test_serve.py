#!/usr/bin/env python3
"""network.serve with Debian's iperf3 as the client: every cell to the byte, several at once, ends, bad peers."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from test_client import NetCase  # noqa: E402
import netns  # noqa: E402
from program import children, main, totals, wait_for  # noqa: E402

LEAK_TESTS = int(os.environ.get("IODYNO_LEAK_TESTS", "40"))


class ServeCase(NetCase):
    """iodyno serves in `far`, clients come from `near`."""

    def setUp(self):
        super().setUp()
        self.server, self.said, self.idle = None, None, 0

    def open(self, *words, command=("serve",)):
        argv = self.pair.inside(self.pair.far, *self.home.argv(*command, *words, "--jsonl"))
        self.said = open(self.home.path / "said", "w+", encoding="utf-8")  # a pipe that nobody reads would be full
        self.addCleanup(self.said.close)
        self.server = subprocess.Popen(argv, stdout=self.said, stderr=subprocess.PIPE, text=True, env=self.home.env,
                                       stdin=subprocess.DEVNULL)
        self.addCleanup(self.end, self.server)
        self.assertTrue(wait_for(lambda: ":5201" in self.pair.run(self.pair.far, "ss", "-ltn"), 20), "nobody listens")
        time.sleep(0.3)  # until its sampler is there
        self.idle = len(list(pathlib.Path(f"/proc/{self.worker()}/task").iterdir()))

    def close(self, code=130):
        """Ctrl-C; the lines of the run."""
        if code == 130:
            self.server.send_signal(signal.SIGINT)
        _, err = self.server.communicate(timeout=30)
        self.assertEqual(self.server.returncode, code, err)
        self.said.seek(0)
        lines = [json.loads(line) for line in self.said]
        self.assertEqual(lines[-1]["type"], "end")
        return lines

    def come(self, *words, server=netns.FAR):
        return self.pair.start(self.pair.near, "iperf3", "-c", server, "-J", *words, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)

    def left(self, process, code=0):
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, err + out[-2000:])
        return json.loads(out)

    def is_sanitized(self):
        return "libasan" in pathlib.Path(f"/proc/{self.worker()}/maps").read_text()

    def worker(self):
        """The pid of the worker, below the `iodyno` that this test started."""
        found = [self.server.pid]
        for pid in found:
            found += children(pid)
        return next(pid for pid in found if pathlib.Path(f"/proc/{pid}/comm").read_text().startswith("iodyno-worker"))


def events(lines, code):
    return [line["text"] for line in lines if line["type"] == "event" and line["code"] == code]


def sums(lines, key):
    """Of each lane, all intervals of a metric."""
    return totals({"intervals": [line for line in lines if line["type"] == "interval"]}, key)


class MatrixTest(ServeCase):
    """Each cell: exit status 0, and what we counted is what the client printed, to the byte."""

    def cell(self, protocol, way, streams):
        self.open("--once")
        words = {"out": [], "in": ["-R"], "both": ["--bidir"]}[way]
        answer = self.left(self.come("-t", "2", "-b", "50M", "-P", str(streams), *words,
                                     *(["-u"] if protocol == "udp" else [])))
        self.assertNotIn("error", answer)
        lines = self.close(code=0)
        told = {"sent": 0, "received": 0}
        for stream in answer["end"]["streams"]:
            ends = stream.get("udp") or stream["receiver"]
            if protocol == "tcp":
                is_out = stream["sender"]["sender"]
                told["received" if is_out else "sent"] += stream["receiver" if is_out else "sender"]["bytes"]
            elif not ends["sender"]:
                told["sent"] += ends["bytes"]
        here = {key: sum(sums(lines, key).values()) for key in told}
        if protocol == "tcp":
            self.assertEqual(here, told)
        if way != "in":
            self.assertAlmostEqual(here["received"] * 8 / (100e6 * streams), 1, delta=0.1)
        if way != "out":
            self.assertAlmostEqual(here["sent"] * 8 / (100e6 * streams), 1, delta=0.1)
        self.assertEqual(len(events(lines, "client-came")), 1)
        self.assertEqual(len(events(lines, "client-left")), 1)

    def test_every_cell(self):
        for protocol in ("tcp", "udp"):
            for way in ("out", "in", "both"):
                for streams in (1, 3):
                    with self.subTest(protocol=protocol, way=way, streams=streams):
                        self.cell(protocol, way, streams)

    def test_options_of_iperf3(self):
        self.open()
        for words in (["-n", "20M"], ["-k", "50"], ["-O", "1", "-t", "1"], ["-w", "256K", "-M", "1000", "-N", "-n", "5M"],
                      ["-C", "reno", "-n", "5M"], ["-Z", "-R", "-n", "20M"], ["-u", "-b", "20M", "-n", "1M", "-R"],
                      ["--get-server-output", "-n", "1M"], ["-6", "-n", "5M"], ["-l", "1000", "-n", "1M"]):
            with self.subTest(words=words):
                answer = self.left(self.come(*words, server=netns.FAR6 if "-6" in words else netns.FAR))
                self.assertNotIn("error", answer)
        lines = self.close()
        self.assertEqual(len(events(lines, "client-left")), 10)

    def test_our_own_client_in_all_directions(self):
        self.open()
        for test in ("network.tcp", "network.udp"):
            for way in ("out", "in", "turns", "both"):
                with self.subTest(test=test, way=way):
                    run = self.client(test, "--time=1", "--bitrate=20M", f"--direction={way}", "--parallel=2")
                    self.assertEqual(run["state"], "done")
        self.close()

    def test_128_streams(self):
        self.open("--once")
        answer = self.left(self.come("-P", "128", "-t", "1", "-b", "1M"))
        self.assertEqual(len(answer["end"]["streams"]), 128)
        lines = self.close(code=0)
        self.assertIn("128 streams", events(lines, "client-came")[0])


class SeveralTest(ServeCase):
    def test_two_at_once_twice(self):
        """Each has a lane of its own, and its own rate; the second pair finds the first one's lanes free."""
        self.open()
        for _ in range(2):
            slow, fast = self.come("-t", "3", "-b", "20M"), self.come("-t", "3", "-b", "60M", "-R")
            udp = self.come("-t", "3", "-u", "-b", "10M", "-P", "2")
            for process, rate in ((slow, 20e6), (fast, 60e6), (udp, 20e6)):
                end = self.left(process)["end"]
                seen = (end.get("sum_received") or end["sum"])["bits_per_second"] or end["sum"]["bits_per_second"]
                self.assertAlmostEqual(seen / rate, 1, delta=0.1)
            time.sleep(1.5)  # a lane is free again after its last interval
        lines = self.close()
        self.assertEqual(len(events(lines, "client-left")), 6)
        lanes = {line["lane"] for line in lines if line["type"] == "interval" and line["metric"] in ("sent", "received")}
        self.assertLessEqual(lanes, {0, 1, 2})

    def test_more_than_lanes_are_told_that_we_are_busy(self):
        self.open("--clients=1")
        first = self.come("-t", "3", "-b", "1M")
        time.sleep(0.7)
        out, _ = self.come("-t", "1").communicate(timeout=20)
        self.assertIn("busy", out)
        self.left(first)
        self.left(self.come("-n", "1M"))
        self.close()

    def test_limits_turn_a_client_away(self):
        self.open("--most-time=5s", "--most-rate=50M")
        for words in (["-t", "10", "-b", "1M"], ["-t", "2"], ["-t", "2", "-b", "40M", "-P", "2"]):
            out, _ = self.come(*words).communicate(timeout=20)
            self.assertIn("error", json.loads(out), words)
        self.left(self.come("-t", "1", "-b", "20M", "-P", "2"))
        lines = self.close()
        self.assertEqual(sum("turned away" in text for text in events(lines, "client-left")), 3)

    def test_short_tests_leak_nothing(self):
        self.open()
        worker = self.worker()

        def weigh():
            status = pathlib.Path(f"/proc/{worker}/status").read_text()
            fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
            return (len(list(pathlib.Path(f"/proc/{worker}/fd").iterdir())), int(fields["Threads"]),
                    int(fields["VmRSS"].split()[0]))

        def some(count):
            for number in range(count):
                words = ["-u", "-b", "0"] if number % 4 == 3 else ["-P", str(1 + number % 3)]
                self.left(self.come("-n", "200K", *words, *(["-R"] if number % 2 else [])))

        some(10)
        wait_for(lambda: weigh()[1] <= 4, 5)
        before = weigh()
        some(LEAK_TESTS)
        wait_for(lambda: weigh()[:2] <= before[:2], 5)
        after = weigh()
        print(f"{LEAK_TESTS} tests: files {before[0]} {after[0]}, threads {before[1]} {after[1]}, kB {before[2]} {after[2]}")
        self.assertLessEqual(after[:2], before[:2])
        if not self.is_sanitized():  # which keeps what was freed
            self.assertLess(after[2], before[2] * 1.1 + 1000)
        self.close()


class EndTest(ServeCase):
    def test_a_pulled_cable_frees_it_and_the_next_is_served(self):
        self.open()
        first = self.come("-t", "60", "-b", "10M")
        back = self.come("-t", "60", "-R")
        time.sleep(1.5)
        self.pair.run(self.pair.near, "ip", "link", "set", netns.PORT, "down")
        began = time.monotonic()
        for process in (first, back):
            process.kill()
            process.communicate()
        tasks = pathlib.Path(f"/proc/{self.worker()}/task")
        gone = wait_for(lambda: len(list(tasks.iterdir())) <= self.idle, 25, 0.2)
        took = time.monotonic() - began
        self.assertTrue(gone)
        self.assertLess(took, 16)
        self.pair.run(self.pair.near, "ip", "link", "set", netns.PORT, "up")
        time.sleep(0.3)
        self.left(self.come("-n", "1M"))
        lines = self.close()
        self.assertEqual(len(events(lines, "client-left")), 3)

    def test_a_client_that_is_interrupted_or_killed(self):
        self.open()
        for number in (signal.SIGINT, signal.SIGKILL):
            process = self.come("-t", "60", "-b", "10M")
            time.sleep(1)
            pid = next(iter(children(process.pid)), process.pid)
            os.kill(pid, number)
            process.communicate(timeout=20)
            self.left(self.come("-n", "1M"))
        lines = self.close()
        texts = events(lines, "client-left")
        self.assertTrue(any("interrupted" in text for text in texts), texts)
        self.assertEqual(len(texts), 4)

    def test_its_end_is_told_to_clients(self):
        self.open()
        process = self.come("-t", "60", "-b", "10M")
        time.sleep(1)
        self.server.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=20)
        self.assertIn("the server has terminated", out)
        self.close(code=143)

    def test_a_taken_port_is_said(self):
        self.open()
        done = subprocess.run(self.pair.inside(self.pair.far, *self.home.argv("serve", "--json")), capture_output=True,
                              text=True, timeout=60, check=False, env=self.home.env, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("another program does", done.stderr + done.stdout)
        self.close()

    def test_it_serves_as_nobody(self):
        self.open()
        path = pathlib.Path(f"/proc/{self.worker()}/status")
        wait_for(lambda: "Uid:\t65534" in path.read_text(), 5)
        status = path.read_text()
        self.assertIn("Uid:\t65534\t65534\t65534\t65534", status)
        self.assertIn("CapEff:\t0000000000000000", status)
        self.close()


class StrangerTest(ServeCase):
    """Peers that are no clients: a sentence, in time, and a good client beside them is undisturbed."""

    CODE = """
import json, os, socket, struct, sys, time
COOKIE = b"%036d\\0" % os.getpid()
def dial():
    s = socket.create_connection(("{server}", 5201), 5); s.settimeout(20); return s
def text(s, t): s.sendall(struct.pack(">I", len(t)) + t)
def ok(s): s.sendall(COOKIE); assert s.recv(1) == b"\\x09"
GOOD = dict(tcp=True, omit=0, time=5, num=0, blockcount=0, parallel=1, len=131072, pacing_timer=1000, client_version="x")
def silent(s): pass
def half(s): s.sendall(b"abc")
def noise(s): s.sendall(os.urandom(5000))
def none(s): ok(s)
def empty(s): ok(s); text(s, b"")
def huge(s): ok(s); s.sendall(b"\\xff\\xff\\xff\\xff")
def deep(s): ok(s); text(s, b"[" * 8000)
def wide(s): ok(s); text(s, b"[" + b"1," * 4000 + b"1]")
def other(s): ok(s); text(s, b'"iperf3"')
def many(s): ok(s); text(s, json.dumps(dict(GOOD, parallel=100000)).encode())
def types(s): ok(s); text(s, json.dumps(dict(GOOD, parallel="x", len=[], time={{}})).encode())
def nostreams(s): ok(s); text(s, json.dumps(GOOD).encode())
def wrong(s):
    ok(s); text(s, json.dumps(GOOD).encode()); assert s.recv(1) == b"\\x0a"
    d = dial(); d.sendall(b"b" * 36 + b"\\0"); d.recv(1)
def never(s):
    ok(s); text(s, json.dumps(dict(GOOD, time=1)).encode()); assert s.recv(1) == b"\\x0a"
    global keep; keep = dial(); keep.sendall(COOKIE); s.recv(2, socket.MSG_WAITALL); keep.sendall(b"x" * 100000)
def lies(s):
    never(s); s.sendall(b"\\x04"); assert s.recv(1) == b"\\x0d"; text(s, b'{{"streams": 7}}')
s = dial()
globals()[sys.argv[1]](s)
try:
    while s.recv(65536): pass
except OSError: pass
"""

    def stranger(self, manner):
        return self.pair.start(self.pair.near, sys.executable, "-c", self.CODE.format(server=netns.FAR), manner,
                               stderr=subprocess.PIPE, text=True)

    def test_each_ends_in_a_sentence(self):
        self.open()
        manners = ("silent", "half", "noise", "none", "empty", "huge", "deep", "wide", "other", "many", "types",
                   "nostreams", "wrong", "never", "lies")
        good = self.come("-t", "5", "-b", "20M")
        strangers = [(manner, self.stranger(manner)) for manner in manners]
        for manner, process in strangers:
            with self.subTest(manner=manner):
                _, err = process.communicate(timeout=40)
                self.assertEqual(process.returncode, 0, err)
        self.assertAlmostEqual(self.left(good)["end"]["sum_received"]["bits_per_second"] / 20e6, 1, delta=0.1)
        self.left(self.come("-n", "1M"))
        lines = self.close()
        texts = events(lines, "client-left")
        print("\n".join(texts))
        # two said no cookie and were let go; a stream with a wrong one is a client of its own, that says no more
        self.assertEqual(len(texts), len(manners) - 2 + 1 + 2)


if __name__ == "__main__":
    main()
