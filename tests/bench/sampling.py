#!/usr/bin/env python3
"""What sampling costs: the same run with ticks of 100 ms and with the longest there are, 1 s, in interleaved pairs.

    sampling.py BUILD_DIR [--folder=DIR] [--pairs=9] [--seconds=2] [--assert]

The files lie in RAM and are read through plain calls, so that nothing but the CPU sets the rate and what the sampler
takes of it shows; the CPU time per byte stands beside it, which other work on the machine moves less. Bars: the median
of the ratios (100 ms / 1 s) is above 0.99; the intervals of every run sum to its amount, exactly. The exit
code tells only with --assert, and then at 0.8 of the first bar.
"""
import argparse
import math
import os
import pathlib
import statistics
import sys

from dd_parity import median_interval

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

MIB, GIB = 1 << 20, 1 << 30
BLOCK, AREA = 4096, 64 * MIB
SHORT, LONG = "0.1", "1"
BAR, SLACK = 0.01, 0.8


class Bench:
    def __init__(self, options):
        import program
        self.program, self.options = program, options
        self.missed, self.sums, self.wrong = 0, 0, []
        self.home = program.Home(base=options.folder)
        self.folder = self.home.files
        self.size = GIB

    def run(self, interval, *words):
        done = self.home.run("run", *words, self.folder, f"--interval={interval}", "--json", "--no-record")
        if done.code:
            sys.exit(f"{' '.join(map(str, words))}: {done.err.strip()}")
        return done.json()

    def check(self, name, moved, expected, intervals):
        self.sums += 1
        if moved != expected:
            self.wrong.append(f"{name}: {intervals} intervals sum to {moved:.0f} B instead of {expected:.0f} B")

    def read(self, interval):
        """A file of holes: no page of it exists, each call fills its block with zeros."""
        run = self.run(interval, "storage.read", "--method=dd", "--file=data", f"--size={self.size}")
        moved = sum(self.program.totals(run, "read").values())
        self.check(f"read at {interval} s", moved, self.size, len(run["intervals"]))
        return self.program.result_of(run, "rate"), self.cpu(run)

    def cpu(self, run):
        """CPU seconds of the timed part per byte."""
        share = self.program.result_of(run, "cpu_share")  # none of a run too short for one
        return share / self.program.result_of(run, "rate") if share else math.nan

    def random(self, interval):
        run = self.run(interval, "storage.random", "--mode=read", f"--size={AREA}", f"--time={self.options.seconds}")
        moved = sum(self.program.totals(run, "read").values())
        requests = sum(self.program.totals(run, "requests").values())
        laid_out = sum(self.program.totals(run, "written").values())
        self.check(f"random at {interval} s, laying out", laid_out, AREA, len(run["intervals"]))
        self.check(f"random at {interval} s", moved, (requests - laid_out / MIB) * BLOCK, len(run["intervals"]))
        rate, seconds = (self.program.result_of(run, key) for key in ("rate", "transfer_time"))
        self.check(f"random at {interval} s, its rate", round(rate * seconds), moved, len(run["intervals"]))
        return rate, self.cpu(run)

    def lay_out(self):
        """As large as takes the wanted time."""
        with open(self.folder / "data", "wb") as out:
            out.truncate(self.size)
            rate, _ = self.read(LONG)
            self.size = max(1, int(rate * self.options.seconds / GIB)) * GIB
            out.truncate(self.size)

    def compare(self, name, once):
        once(LONG)  # warms both
        ratios, costs, runs = [], [], {SHORT: [], LONG: []}
        while len(ratios) < self.options.pairs:
            for interval in ((SHORT, LONG) if len(ratios) % 2 else (LONG, SHORT)):  # who goes first alternates
                runs[interval].append(once(interval))
            ratios.append(runs[SHORT][-1][0] / runs[LONG][-1][0])
            costs.append(runs[SHORT][-1][1] / runs[LONG][-1][1])
        low, high = median_interval(ratios) or (min(ratios), max(ratios))
        median = statistics.median(ratios)
        is_met = median > 1 - BAR
        self.missed += median <= 1 - BAR / SLACK
        short, long = (statistics.median(run[0] for run in runs[interval]) / 1e6 for interval in (SHORT, LONG))
        print(f"{'met ' if is_met else 'MISS'}  sampling, {name}: {short:.0f} MB/s at 100 ms, {long:.0f} MB/s at 1 s, "
              f"median ratio {median:.4f}, 95 % interval {low:.4f} to {high:.4f}, {len(ratios)} pairs "
              f"(bar: > {1 - BAR:.2f}); CPU time per byte {statistics.median(costs):.4f} times as much", flush=True)

    def judge_sums(self):
        self.missed += len(self.wrong)
        print(f"{'MISS' if self.wrong else 'met '}  sampling, sums of intervals: {self.sums - len(self.wrong)} of "
              f"{self.sums} exact (bar: all)", *self.wrong, sep="\n      ", flush=True)

    def all(self):
        self.lay_out()
        self.compare(f"reads of 1 MiB, {self.size // GIB} GiB", self.read)
        self.compare(f"random reads of 4 KiB, {self.options.seconds:g} s", self.random)
        self.judge_sums()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--folder", default="/dev/shm", help="a folder in RAM")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--assert", dest="asserts", action="store_true")
    options = parser.parse_args()
    os.environ["IODYNO_BUILD_DIR"] = options.build
    if not os.path.isdir(options.folder):
        print(f"none  sampling: {options.folder} is no folder; name one in RAM")
        return 0
    bench = Bench(options)
    try:
        bench.all()
    finally:
        bench.home.close()
    return 1 if options.asserts and bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
