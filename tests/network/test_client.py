#!/usr/bin/env python3
"""network.tcp and network.udp against Debian's iperf3: every cell to the byte, retransmits to the segment, ends."""
import json
import pathlib
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "lib"))
import netns  # noqa: E402
from program import Case, main, result_of, totals, wait_for  # noqa: E402

LACKING = netns.lacking()
RATE_BPS = 50e6


@unittest.skipIf(LACKING, LACKING)
class NetCase(Case):
    def setUp(self):
        super().setUp()
        self.pair = netns.Pair()
        self.addCleanup(self.pair.close)

    def serve(self, *words):
        """A server for one test; ends by itself or with the test case."""
        server = self.pair.start(self.pair.far, "iperf3", "-s", "-1", "-J", *words, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, server)
        listens = wait_for(lambda: ":5201" in self.pair.run(self.pair.far, "ss", "-ltn"), 5)
        self.assertTrue(listens, "iperf3 does not listen")
        return server

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def argv(self, test, *words, server=netns.FAR):
        return self.pair.inside(self.pair.near, *self.home.argv("run", test, netns.PORT, f"--server={server}", *words))

    def client(self, test, *words, code=0, server=netns.FAR):
        done = subprocess.run(self.argv(test, *words, "--json", server=server), capture_output=True, text=True,
                              timeout=100, check=False, env=self.home.env, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout[-2000:])
        return json.loads(done.stdout)

    def answer(self, server):
        out, err = server.communicate(timeout=20)
        self.assertEqual(server.returncode, 0, err)
        answer = json.loads(out)
        self.assertNotIn("error", answer)
        return answer


def far_bytes(answer, is_udp):
    """(received, sent) of each stream as the server prints them, in their order."""
    received, sent = [], []
    for stream in answer["end"]["streams"]:
        ends = [stream["udp"]] if is_udp else [stream["sender"], stream["receiver"]]
        if ends[0]["sender"]:
            sent.append(ends[0]["bytes"])
        else:
            received.append(ends[-1]["bytes"])
    return received, sent


class InteropTest(NetCase):
    """Each cell: what the receiver's side printed is what we show, to the byte."""

    def cell(self, protocol, direction, streams):
        is_udp = protocol == "udp"
        server = self.serve()
        run = self.client(f"network.{protocol}", f"--direction={direction}", f"--parallel={streams}", "--time=2",
                          "--bitrate=50M", "--interval=0.5")
        answer = self.answer(server)
        received, sent = far_bytes(answer, is_udp)
        told = {(r["metric"], r["lane"]): r["value"] for r in run["results"]}
        lanes_out = list(range(streams)) if direction != "in" else []
        first_in = streams if direction == "both" else 0
        lanes_in = list(range(first_in, first_in + streams)) if direction != "out" else []
        here_sent, here_received = totals(run, "sent"), totals(run, "received")
        self.assertEqual(sorted(here_sent), lanes_out)
        self.assertEqual(sorted(here_received), lanes_in)
        if lanes_out and not is_udp:  # of UDP it prints the sender's figure, which it does not know
            self.assertEqual([told["received", lane] for lane in lanes_out], received)
        if lanes_in:
            self.assertEqual([told["sent", lane] for lane in lanes_in], sent)
            for lane in lanes_in:
                self.assertGreaterEqual(told["sent", lane], here_received[lane])
        for lane in lanes_out:
            self.assertGreater(told["received", lane], 0)
            self.assertGreaterEqual(here_sent[lane], told["received", lane])
        for key, lanes in (("rate_out", lanes_out), ("rate_in", lanes_in)):
            if lanes:
                self.assertAlmostEqual(result_of(run, key) / (RATE_BPS * streams), 1, delta=0.08)
        rates = [result_of(run, key) for key in ("rate_out", "rate_in") if result_of(run, key) is not None]
        self.assertEqual(result_of(run, "rate"), min(rates))
        if is_udp and lanes_out:
            self.assertAlmostEqual(answer["end"]["sum_received"]["bytes"],
                                   sum(told["received", lane] for lane in lanes_out))

    def test_every_cell(self):
        for protocol in ("tcp", "udp"):
            for direction in ("out", "in", "both"):
                for streams in (1, 3):
                    with self.subTest(protocol=protocol, direction=direction, streams=streams):
                        self.cell(protocol, direction, streams)

    def test_bytes_are_exact_over_ipv6(self):
        server = self.serve()
        run = self.client("network.tcp", "--bytes=10000001", "--parallel=3", "--bitrate=100M", server=netns.FAR6)
        received, _ = far_bytes(self.answer(server), False)
        self.assertEqual(sum(totals(run, "sent").values()), 10000001)
        self.assertEqual(sum(received), result_of(run, "received"))

    def test_128_streams(self):
        for way, count in (("out", 128), ("in", 128), ("both", 64)):
            server = self.serve()
            run = self.client("network.tcp", f"--parallel={count}", "--time=1", "--bitrate=1M", f"--direction={way}")
            self.answer(server)
            self.assertEqual(run["state"], "done")

    def test_turns_are_two_phases_and_the_lower_rate(self):
        for _ in range(1):
            server = self.pair.start(self.pair.far, "iperf3", "-s", stdout=subprocess.DEVNULL)
            self.addCleanup(self.end, server)
            wait_for(lambda: ":5201" in self.pair.run(self.pair.far, "ss", "-ltn"), 5)
        run = self.client("network.tcp", "--direction=turns", "--time=1", "--bitrate=20M")
        names = [p["name"] for p in run["phases"]]
        self.assertEqual([n for n in names if n in ("out", "in")], ["out", "in"])
        self.assertEqual(result_of(run, "rate"), min(result_of(run, "rate_out"), result_of(run, "rate_in")))
        self.assertIn(" && iperf3 -c 10.77.0.2 ", run["facts"]["by-hand"])
        self.assertTrue(run["facts"]["by-hand"].endswith(" -R"))

    def test_omitted_seconds_do_not_count(self):
        server = self.serve()
        run = self.client("network.tcp", "--omit=1", "--time=1", "--bitrate=50M")
        received, _ = far_bytes(self.answer(server), False)
        self.assertEqual(result_of(run, "received"), received[0])
        self.assertAlmostEqual(received[0] * 8 / RATE_BPS, 1, delta=0.15)
        self.assertEqual([p["name"] for p in run["phases"]][-2:], ["omit", "out"])


class SweepTest(NetCase):
    """A path of 96 Mbit/s with a short queue: what is sent faster is lost."""

    def test_the_knee_is_found(self):
        self.pair.police("96mbit")
        server = self.pair.start(self.pair.far, "iperf3", "-s", stdout=subprocess.DEVNULL)
        self.addCleanup(self.end, server)
        wait_for(lambda: ":5201" in self.pair.run(self.pair.far, "ss", "-ltn"), 5)
        run = self.client("network.udp", "--sweep=yes", "--time=1", "--bitrate=30M", "--len=1400", "--direction=out")
        print([event["text"] for event in run["events"] if event["code"] == "step"])
        self.assertEqual(run["verdict"]["code"], "link-limited", run["verdict"])
        self.assertIn("the highest rate that arrives", run["verdict"]["text"])
        self.assertGreater(result_of(run, "knee"), 80e6)
        self.assertLess(result_of(run, "knee"), 100e6)


class RetransmitTest(NetCase):
    def test_each_dropped_segment_is_one_retransmit(self):
        """To the segment what the kernel counts; but for what the peer says it had twice, what was dropped."""
        self.pair.one_segment_a_frame()
        self.pair.limit()
        self.pair.drop(10)
        server = self.serve()
        run = self.client("network.tcp", "--time=5", "--interval=1")
        self.answer(server)
        dropped = self.pair.dropped()
        again, twice = self.pair.counted("TcpRetransSegs", "TcpExtTCPDSACKRecv")
        shown = sum(totals(run, "retransmits").values())
        print(f"{dropped} dropped, {shown} shown, {again} by the kernel, {twice} needless")
        self.assertGreater(dropped, 100)
        self.assertEqual(shown, result_of(run, "retransmits"))
        self.assertLessEqual(abs(shown - again), 2)
        self.assertLessEqual(abs(shown - twice - dropped), 2)
        segments = shown / result_of(run, "retransmit_share")
        self.assertLess(abs(result_of(run, "retransmit_share") - dropped / segments), 0.001)
        self.assertAlmostEqual(result_of(run, "retransmit_share"), 0.01, delta=0.002)


class EndTest(NetCase):
    def lines(self, process):
        out, err = process.communicate(timeout=30)
        return [json.loads(line) for line in out.splitlines()], err

    def start(self, test, *words):
        return subprocess.Popen(self.argv(test, *words, "--jsonl"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=self.home.env, stdin=subprocess.DEVNULL)

    def test_a_signal_keeps_the_mean_and_tells_the_server(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(signal=number):
                server = self.serve()
                process = self.start("network.tcp", "--time=30", "--bitrate=50M")
                time.sleep(2.5)
                process.send_signal(number)
                lines, err = self.lines(process)
                self.assertEqual(process.returncode, code, err)
                self.assertEqual((lines[-1]["type"], lines[-1]["state"]), ("end", "cancelled"))
                self.assertGreaterEqual(sum(line["type"] == "interval" and line["metric"] == "sent" for line in lines), 2)
                rate = [line for line in lines if line["type"] == "result" and line["metric"] == "rate"]
                self.assertAlmostEqual(rate[0]["value"] / RATE_BPS, 1, delta=0.15)
                out, _ = server.communicate(timeout=10)
                self.assertIn("the client has terminated", out)

    def test_a_server_that_goes_away_ends_the_run_as_removed(self):
        for number in (signal.SIGKILL, signal.SIGINT):
            with self.subTest(signal=number):
                server = self.serve()
                process = self.start("network.tcp", "--time=30", "--bitrate=50M")
                time.sleep(2.5)
                server.send_signal(number)
                began = time.monotonic()
                lines, err = self.lines(process)
                self.assertLess(time.monotonic() - began, 5)
                self.assertEqual(process.returncode, 4, err)
                self.assertEqual((lines[-1]["type"], lines[-1]["state"]), ("end", "removed"))
                self.assertIn("went away after", lines[-1].get("error") or err)
                server.communicate()

    def test_a_pulled_cable_ends_it_within_its_limit(self):
        self.serve()
        process = self.start("network.tcp", "--time=60", "--bitrate=50M")
        time.sleep(1.5)
        self.pair.run(self.pair.far, "ip", "link", "set", netns.PORT, "down")
        began = time.monotonic()
        lines, err = self.lines(process)
        self.assertLess(time.monotonic() - began, 18)
        self.assertEqual(process.returncode, 4, err)
        self.assertEqual(lines[-1]["state"], "removed")

    def test_a_busy_server_is_waited_for(self):
        server = self.pair.start(self.pair.far, "iperf3", "-s", stdout=subprocess.DEVNULL)
        self.addCleanup(self.end, server)
        wait_for(lambda: ":5201" in self.pair.run(self.pair.far, "ss", "-ltn"), 5)
        other = self.pair.start(self.pair.near, "iperf3", "-c", netns.FAR, "-t", "3", "-b", "1M", stdout=subprocess.DEVNULL)
        self.addCleanup(self.end, other)
        time.sleep(0.5)
        refused = self.client("network.tcp", "--time=1", "--wait=1", code=1)
        self.assertIn("busy with another test, also after 1 s", refused["error"])
        run = self.client("network.tcp", "--time=1", "--bitrate=10M")
        self.assertIn("busy", [e["code"] for e in run["events"]])
        self.assertIn("wait", [p["name"] for p in run["phases"]])


if __name__ == "__main__":
    main()
