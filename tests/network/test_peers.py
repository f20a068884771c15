#!/usr/bin/env python3
"""Peers that are none, lie, or go away: a sentence that names the case, in time, and the right exit status.

Each peer lives with the program in a namespace of its own, on its loopback.
"""
import pathlib
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import netns  # noqa: E402
import program  # noqa: E402

PEER = pathlib.Path(__file__).with_name("peer.py")
FAILED, REMOVED = 1, 4
SLACK_S = 4.0  # of a sanitized program on a loaded machine

#        manner                exit   within, s  what the sentence says
CASES = [("silent",               FAILED,  3,  "no iperf3 answered"),
         ("early_eof",            FAILED,  3,  "is no iperf3: it closed the connection"),
         ("noise",                FAILED,  3,  "is no iperf3: it sent something else"),
         ("wants_authentication", FAILED,  5,  "wants authentication"),
         ("eof_after_params",     FAILED,  5,  "closed the connection"),
         ("wrong_state",          FAILED,  5,  "sent what no iperf3 sends"),
         ("vanishes",             REMOVED, 5,  "went away after"),
         ("terminates",           REMOVED, 5,  "was stopped"),
         ("eof_for_results",      REMOVED, 5,  "broke off at its results: it closed the connection"),
         ("length_huge",          FAILED,  5,  "impossible length"),
         ("length_zero",          FAILED,  5,  "impossible length"),
         ("length_short",         FAILED,  5,  "it is not JSON"),
         ("json_deep",            FAILED,  5,  "too many parts"),
         ("json_wide",            FAILED,  5,  "too many parts"),
         ("json_other",           FAILED,  5,  "it is not JSON"),
         ("json_types",           FAILED,  5,  "no streams or too many"),
         ("results_of_others",    FAILED,  5,  "stream 1 is missing"),
         ("results_absurd",       REMOVED, 5,  "broke off at DISPLAY_RESULTS: it said nothing")]


LACKING = netns.lacking()


@unittest.skipIf(LACKING, LACKING)
class Peers(program.Case):
    def setUp(self):
        super().setUp()
        self.space = netns.Single()
        self.addCleanup(self.space.close)

    def meet(self, manner):
        peer = subprocess.Popen(self.space.inside(sys.executable, PEER, manner), stderr=subprocess.DEVNULL,
                                stdin=subprocess.DEVNULL)
        self.addCleanup(peer.wait)
        self.addCleanup(peer.kill)
        self.assertTrue(program.wait_for(lambda: ":5201" in self.space.run("ss", "-ltn"), 10))

    def start(self, *words):
        return subprocess.Popen(self.space.inside(*self.home.argv("run", "network.tcp", "lo", *words)), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.home.env,
                                stdin=subprocess.DEVNULL)

    def run_tcp(self, *words, server="127.0.0.1"):
        begin = time.monotonic()
        process = self.start(*([f"--server={server}"] if server else []), "--time=1", "--bitrate=10M", *words)
        out, err = process.communicate(timeout=60)
        result = program.Result(subprocess.CompletedProcess([], process.returncode, out, err))
        return result, time.monotonic() - begin

    def hold(self, manner, code, within_s, words):
        self.meet(manner)
        result, took = self.run_tcp("--jsonl")
        said = result.err + result.out
        self.assertEqual(result.code, code, said)
        self.assertIn(words, said)
        self.assertLess(took, within_s + SLACK_S, said)
        lines = result.lines()
        self.assertEqual(lines[-1]["type"], "end", lines[-1])

    def test_closed_port(self):
        result, took = self.run_tcp()
        self.assertEqual(result.code, FAILED, result.err)
        self.assertIn("nothing listens there", result.err)
        self.assertLess(took, 1 + SLACK_S)

    def test_no_server_named(self):
        result, _ = self.run_tcp(server=None)
        self.assertEqual(result.code, 3)
        self.assertIn("--server=", result.err)

    def test_busy_is_waited_for(self):
        self.meet("busy")
        result, took = self.run_tcp("--wait=2")
        self.assertEqual(result.code, FAILED, result.err)
        self.assertIn("busy with another test", result.err)
        self.assertGreater(took, 2)
        self.assertLess(took, 4 + SLACK_S)

    def test_end_that_is_never_confirmed(self):
        self.meet("never_ends")
        result, took = self.run_tcp()
        self.assertEqual(result.code, REMOVED, result.err)
        self.assertIn("broke off at EXCHANGE_RESULTS: it said nothing", result.err)
        self.assertLess(took, 1 + 15 + SLACK_S)

    def interrupt(self, number, code):
        self.meet("never_ends")
        process = self.start("--server=127.0.0.1", "--time=60", "--bitrate=10M", "--jsonl")
        time.sleep(2.5)
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, code, err)
        lines = program.Result(subprocess.CompletedProcess([], 0, out, err)).lines()
        self.assertEqual(lines[-1]["type"], "end")
        self.assertTrue(any(line["type"] == "interval" and line["metric"] == "sent" for line in lines))
        self.assertTrue(any(line["type"] == "result" and line["metric"] == "rate" for line in lines), out[-2000:])

    def test_interrupted(self):
        self.interrupt(signal.SIGINT, 130)

    def test_terminated(self):
        self.interrupt(signal.SIGTERM, 143)


def add_cases():
    for manner, code, within_s, words in CASES:
        def case(self, row=(manner, code, within_s, words)):
            self.hold(*row)
        setattr(Peers, f"test_{manner}", case)


add_cases()

if __name__ == "__main__":
    program.main()
