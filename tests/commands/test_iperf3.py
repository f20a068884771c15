#!/usr/bin/env python3
"""`show --iperf3`: the same kinds of lines, in the same columns, in the same order as iperf3 prints them."""
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lib"), str(HERE.parent / "golden")]
import runs  # noqa: E402
from program import Case, main, wait_for  # noqa: E402

SECONDS = 2
BEGIN = r"\[(?P<id> {0,2}\d+|SUM)\](?P<role>\[[TR]X-C\])? {1,4}\d+\.\d\d-\d+\.\d\d {1,4}sec"
MOVED = BEGIN + r"  [ .\d]{4} [KMGT]?Bytes  [ .\d]{4} [KMGT]?bits/sec"
LOST = r"  \d+\.\d{3} ms  \d+/\d+ \([\d.e+-]+%\)"
HEADER = r"\[ ID\](\[Role\])? Interval           Transfer     Bitrate"
KINDS = {
    "header, retransmits and window": HEADER + r"         Retr  Cwnd",
    "header, retransmits": HEADER + r"         Retr",
    "header, datagrams": HEADER + r"         Total Datagrams",
    "header, jitter": HEADER + r"         Jitter    Lost/Total Datagrams",
    "header": HEADER,
    "window": MOVED + r"  [ \d]{2}\d   [ .\d]{4} [KMGT]?Bytes       ",
    "retransmits": MOVED + r"  [ \d]{2}\d             ",
    "plain": MOVED + r" {18}",
    "datagrams": MOVED + r"  \d+  ",
    "jitter": MOVED + LOST + "  ",
    "sender, retransmits": MOVED + r"  [ \d]{2}\d             sender",
    "sender": MOVED + r" {18}sender",
    "receiver": MOVED + r" {18}receiver",
    "sender, jitter": MOVED + LOST + "  sender",
    "receiver, jitter": MOVED + LOST + "  receiver",
    "rule": r"- - - - - - - - - - - - - - - - - - - - - - - - -",
    "connecting": r"Connecting to host [\w.:]+, port \d+",
    "reverse": r"Reverse mode, remote host [\w.:]+ is sending",
    "done": r"iperf Done\.",
}
# Which sockets were used is nothing a record has.
LEFT_OUT = re.compile(r"\[[ \d]{3}\](\[[TR]X-C\])? local \S+ port \d+ connected to \S+ port \d+|")


def kinds(text):
    """What each line is, with the stream's place: [(kind, place, role)]."""
    found, ids = [], []
    for line in text.split("\n"):
        if LEFT_OUT.fullmatch(line):
            continue
        matches = [(kind, match) for kind, rule in KINDS.items() if (match := re.fullmatch(rule, line))]
        if len(matches) != 1:
            raise AssertionError(f"no line of iperf3, or of two kinds {[kind for kind, _ in matches]}: {line!r} in\n{text}")
        kind, match = matches[0]
        groups = match.groupdict()
        name = groups.get("id")
        if name and name not in ids:
            ids.append(name)
        found.append((kind, "SUM" if name == "SUM" else ids.index(name) if name else None, groups.get("role")))
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def udp(direction):
    return runs.network_udp(direction, SECONDS)


def tcp(direction, streams=1):
    return runs.tcp(direction, SECONDS, lambda *_: (940e6, 0), streams, ends=True)


@unittest.skipUnless(shutil.which("iperf3"), "iperf3 is not installed")
class Layout(Case):
    def real(self, *words):
        port = free_port()
        with subprocess.Popen(["iperf3", "-s", "-1", "-p", str(port), "-B", "127.0.0.1"], stdout=subprocess.PIPE,
                              text=True) as server:
            try:
                self.assertTrue(wait_for(lambda: listens(port), 5), "iperf3 -s does not listen")
                done = subprocess.run(["iperf3", "-c", "127.0.0.1", "-p", str(port), "-t", str(SECONDS), *words],
                                      capture_output=True, text=True, timeout=SECONDS + 15, check=False)
            finally:
                server.kill()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def ours(self, lines):
        path = runs.write(self.home.path / "run.jsonl", lines)
        shown = self.home.run("show", path, "--iperf3")
        self.assertEqual((shown.code, shown.err), (0, ""))
        return shown.out

    def compare(self, lines, *words):
        real, ours = self.real(*words, "-b", "20M"), self.ours(lines)
        self.assertEqual(kinds(ours), kinds(real), f"ours\n{ours}\niperf3's\n{real}")

    def test_out(self):
        self.compare(tcp("out"))

    def test_several_streams(self):
        self.compare(tcp("out", 3), "-P", "3")

    def test_in(self):
        self.compare(tcp("in"), "-R")

    def test_both(self):
        self.compare(tcp("both"), "--bidir")

    def test_both_with_several_streams(self):
        self.compare(tcp("both", 2), "--bidir", "-P", "2")

    def test_datagrams_out(self):
        self.compare(udp("out"), "-u", "-l", "1448")

    def test_datagrams_in(self):
        self.compare(udp("in"), "-u", "-l", "1448", "-R")


class Refusal(Case):
    def test_another_run_has_no_such_lines(self):
        path = runs.write(self.home.path / "run.jsonl", runs.dd_write())
        shown = self.home.run("show", path, "--iperf3")
        self.assertEqual((shown.code, shown.out), (3, ""))
        self.assertEqual(shown.err.strip().splitlines()[-1],
                         "iodyno: this run of storage.write has no such lines: --iperf3 is for runs of network.tcp and "
                         "network.udp that moved data")

    def test_transfer_is_in_mbytes_of_two_to_the_twentieth(self):
        """The published figure: 480 MBytes in a minute, which are 67.1 Mbit/s."""
        lines = runs.network([67.1e6] * 60, [357] * 60)
        path = runs.write(self.home.path / "run.jsonl", lines)
        shown = self.home.run("show", path, "--iperf3")
        self.assertIn("[  5]   0.00-60.00  sec   480 MBytes  67.1 Mbits/sec  21420             sender\n", shown.out)
        self.assertIn("[  5]  59.00-60.00  sec  8.00 MBytes  67.1 Mbits/sec  357   2.83 KBytes       \n", shown.out)


def listens(port):
    """Without a connection, which would be the one test that the server serves."""
    wanted = f":{port:04X}"
    rows = pathlib.Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    return any(row.split()[1].endswith(wanted) and row.split()[3] == "0A" for row in rows)


if __name__ == "__main__":
    main()
