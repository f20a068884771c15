#!/usr/bin/env python3
"""The word that says what held a network test back, on links made to be held back by one thing each."""
import json
import pathlib
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from test_client import NetCase  # noqa: E402
import netns  # noqa: E402
from program import main, result_of, totals, wait_for  # noqa: E402


class VerdictTest(NetCase):
    """A link of 300 Mbit/s with a deep queue: nothing is lost there by itself."""

    def setUp(self):
        super().setUp()
        self.pair.one_segment_a_frame()
        self.pair.limit("300mbit", "2m")

    def judge(self, *words, server=(), time_s=2):
        self.serve(*server)
        run = self.client("network.tcp", f"--time={time_s}", "--interval=0.5", *words)
        print(run["verdict"]["code"], "|", run["verdict"]["text"])
        return run

    def test_the_link(self):
        run = self.judge()
        self.assertEqual(run["verdict"]["code"], "link-limited", run["verdict"])
        self.assertNotIn("loss-place", run["facts"])

    def test_loss(self):
        self.pair.drop(20)
        run = self.judge(time_s=5)
        self.assertEqual(run["verdict"]["code"], "loss", run["verdict"])
        self.assertAlmostEqual(result_of(run, "retransmit_share"), 0.02, delta=0.002)

    def test_a_slow_receiver(self):
        slow = self.pair.start(self.pair.far, *self.home.argv("run", "network.serve-slow", netns.PORT, "--no-record"),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.home.env)
        self.addCleanup(self.end, slow)
        self.assertTrue(wait_for(lambda: ":5201" in self.pair.run(self.pair.far, "ss", "-ltn"), 20))
        run = self.client("network.tcp", "--time=2", "--interval=0.5")
        print(run["verdict"]["code"], "|", run["verdict"]["text"])
        self.assertEqual(run["verdict"]["code"], "receiver-limited", run["verdict"])

    def test_a_rate_that_was_asked_for(self):
        run = self.judge("--bitrate=50M")
        self.assertEqual(run["verdict"]["code"], "paced", run["verdict"])


class PortTest(NetCase):
    """What the port itself counted."""

    def test_its_bytes_prove_the_path(self):
        self.serve()
        run = self.client("network.tcp", "--time=1", "--bitrate=50M", "--direction=both")
        self.assertNotIn("wrong-path", run["facts"])
        for port, own in (("port_sent", "sent"), ("port_received", "received")):
            moved, counted = sum(totals(run, own).values()), sum(totals(run, port).values())
            self.assertGreater(counted, moved)
            self.assertLess(counted, moved * 1.1 + 65536)

    def test_an_address_of_this_machine_is_no_test_of_the_port(self):
        server = self.pair.start(self.pair.near, "iperf3", "-s", "-1", stdout=subprocess.DEVNULL)
        self.addCleanup(self.end, server)
        wait_for(lambda: ":5201" in self.pair.run(self.pair.near, "ss", "-ltn"), 5)
        run = self.client("network.tcp", "--time=1", "--bitrate=50M", server=netns.NEAR)
        self.assertIn("own-address", [event["code"] for event in run["events"]])
        self.assertEqual(run["verdict"]["code"], "wrong-path", run["verdict"])
        self.assertIn("did not use the port", run["verdict"]["text"])

    def test_what_still_waits_in_this_host_is_no_proof(self):
        """A slow link and a large send buffer: most of what was sent has not left when the test ends."""
        self.pair.one_segment_a_frame()
        self.pair.limit("2mbit", "64k")
        self.serve()
        run = self.client("network.tcp", "--time=6")
        self.assertGreater(sum(totals(run, "sent").values()), 2 * sum(totals(run, "port_sent").values()) / 1.5)
        self.assertNotIn("wrong-path", run["facts"])

    def test_what_this_host_dropped_is_no_proof(self):
        self.pair.police("20mbit")
        self.serve()
        run = self.client("network.udp", "--time=2", "--bitrate=60M", "--len=1400")
        self.assertNotIn("wrong-path", run["facts"])
        self.assertEqual(run["verdict"]["code"], "loss", run["verdict"])

    def test_a_link_that_drops_is_counted_and_named(self):
        self.serve()
        process = subprocess.Popen(self.argv("network.tcp", "--time=4", "--bitrate=10M", "--json"), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.home.env,
                                   stdin=subprocess.DEVNULL)
        self.addCleanup(self.end, process)
        time.sleep(1.5)
        for state in ("down", "up"):
            self.pair.run(self.pair.far, "ip", "link", "set", "e0", state)
            time.sleep(0.2)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err + out[-2000:])
        run = json.loads(out)
        self.assertEqual(sum(totals(run, "carrier_changes").values()), 2)
        self.assertIn("link-dropped", [run["verdict"]["code"], *[w["code"] for w in run["verdict"]["warnings"]]])


if __name__ == "__main__":
    main()
