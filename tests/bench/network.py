#!/usr/bin/env python3
"""iodyno on both ends of a veth pair beside Debian's iperf3 on both ends: throughput and CPU, in interleaved pairs.

    network.py BUILD_DIR [--pairs=7] [--time=2] [--cells=tcp-1,tcp-4,in,both,udp] [--assert]

Two namespaces of its own, no shaping. Rates are the receivers'. CPU is that of all processes of both ends together, as
the kernel accounted it to them when they had ended, per Gbit that arrived. Bars (ours / iperf3, medians): TCP with one
stream, four, in, and both ways at once: throughput >= 1.00; CPU per Gbit <= 0.70 for four streams and both ways; UDP
at 1 Gbit/s of 1400 bytes: CPU <= 0.70, loss no more. The exit code tells only with --assert, and then at 0.8 of each.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

from dd_parity import median_interval

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

SPEED_BAR, CPU_BAR, SLACK = 1.00, 0.70, 0.8
CELLS = {  # iperf3's words, ours, whether CPU has a bar
    "tcp-1": ([], [], False),
    "tcp-4": (["-P", "4"], ["--parallel=4"], True),
    "in": (["-R"], ["--direction=in"], False),
    "both": (["--bidir"], ["--direction=both"], True),
    "udp": (["-u", "-b", "1G", "-l", "1400"], ["--bitrate=1G", "--len=1400"], True),
}


class Side:
    def __init__(self, rate, cpu_s, seconds, lost=0.0):
        self.rate, self.lost = rate, lost
        self.cpu = cpu_s / (rate * seconds / 1e9)


def finish(process):
    """Output, and the CPU seconds of it and of all it waited for."""
    out = process.stdout.read() if process.stdout else ""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{process.args} ended with {process.returncode}: {out[-1000:]}")
    return out, usage.ru_utime + usage.ru_stime


class Bench:
    def __init__(self, options):
        import netns
        import program
        self.netns, self.program, self.options, self.missed = netns, program, options, 0
        self.home = program.Home()
        self.pair = netns.Pair()

    def close(self):
        self.pair.close()
        self.home.close()

    def start(self, name, argv, **kwargs):
        return subprocess.Popen(self.pair.inside(name, *argv), stdin=subprocess.DEVNULL, text=True, env=self.home.env,
                                **kwargs)

    def both_ends(self, server, client):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        listener = self.start(self.pair.far, server, **quiet)
        if not self.program.wait_for(lambda: ":5201" in self.pair.run(self.pair.far, "ss", "-ltn"), 20):
            sys.exit("nobody listens")
        out, near = finish(self.start(self.pair.near, client, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
        _, far = finish(listener)
        return json.loads(out), near + far

    def iperf3(self, name):
        words = CELLS[name][0]
        answer, cpu = self.both_ends(["iperf3", "-s", "-1"], ["iperf3", "-c", self.netns.FAR, "-J", "-t",
                                                             self.options.time, *words])
        end = answer["end"]
        if name == "udp":
            lost = end["sum"]["lost_percent"] / 100
            return Side(end["sum"]["bits_per_second"] * (1 - lost), cpu, self.options.time, lost)
        rate = sum(value["bits_per_second"] for key, value in end.items() if key.startswith("sum_received"))
        return Side(rate, cpu, self.options.time)

    def ours(self, name):
        test = "network.udp" if name == "udp" else "network.tcp"
        run, cpu = self.both_ends(self.home.argv("serve", "--once", "--no-record", "--json"),
                                  self.home.argv("run", test, self.netns.PORT, f"--server={self.netns.FAR}",
                                                 f"--time={self.options.time}", "--json", "--no-record", *CELLS[name][1]))
        result = {r["metric"]: r["value"] for r in run["results"] if r["lane"] is None}
        rate = result.get("rate_out", 0) + result.get("rate_in", 0)
        return Side(rate, cpu, self.options.time, result.get("lost", 0) / max(result.get("packets", 1), 1))

    def compare(self, name):
        sides = {self.iperf3: [], self.ours: []}
        for number in range(self.options.pairs):
            for run in sorted(sides, key=lambda r: (r == self.ours) != (number % 2 == 1)):  # who goes first alternates
                sides[run].append(run(name))
        theirs, ours = sides.values()
        self.judge(name, theirs, ours)

    def judge(self, name, theirs, ours):
        speed = [b.rate / a.rate for a, b in zip(theirs, ours)]
        cost = [b.cpu / a.cpu for a, b in zip(theirs, ours)]
        lost = [statistics.median(side.lost for side in row) for row in (theirs, ours)]
        is_fast = statistics.median(speed) >= SPEED_BAR if name != "udp" else lost[1] <= lost[0]
        is_cheap = statistics.median(cost) <= CPU_BAR
        has_cost = CELLS[name][2]
        self.missed += statistics.median(speed) < SPEED_BAR * SLACK
        self.missed += has_cost and statistics.median(cost) > CPU_BAR / SLACK
        low, high = median_interval(speed) or (min(speed), max(speed))
        print(f"{name:6} iperf3 {statistics.median(s.rate for s in theirs) / 1e9:6.2f} Gbit/s, ours "
              f"{statistics.median(s.rate for s in ours) / 1e9:6.2f}, ratio {statistics.median(speed):5.3f} "
              f"({low:5.3f}-{high:5.3f}, {len(speed)} pairs) {'met ' if is_fast else 'MISS'}; CPU s/Gbit "
              f"{statistics.median(s.cpu for s in theirs):6.4f} {statistics.median(s.cpu for s in ours):6.4f} ratio "
              f"{statistics.median(cost):5.3f} {('met' if is_cheap else 'MISS') if has_cost else 'no bar'}"
              + (f"; lost {lost[0]:.4%} {lost[1]:.4%}" if name == "udp" else ""), flush=True)

    def run(self):
        for name in CELLS:
            if name in self.options.cells:
                self.compare(name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--time", type=int, default=2)
    parser.add_argument("--cells", type=lambda text: text.split(","), default=list(CELLS))
    parser.add_argument("--assert", dest="is_asserted", action="store_true")
    options = parser.parse_args()
    os.environ["IODYNO_BUILD_DIR"] = options.build
    import netns
    lacking = netns.lacking()
    if lacking:
        print(f"skipped: {lacking}")
        sys.exit(77)
    bench = Bench(options)
    try:
        bench.run()
    finally:
        bench.close()
    sys.exit(1 if bench.missed and options.is_asserted else 0)


if __name__ == "__main__":
    main()
