#!/usr/bin/env python3
"""iodyno's memory kernels beside what Debian has, one thread, DRAM size, in interleaved rounds of the same minutes.

    memory.py BUILD_DIR [--rounds=7] [--size=512] [--seconds=0.5] [--assert]

Each round runs mbw, sysbench memory, stress-ng (memrate, stream) and ours once; a ratio is of one round, its 95 %
interval that of the median over the rounds. All in MB/s of 10^6; copies counted on both sides (mbw counts one and
prints MiB). Bars: the upper end of the interval reaches read 1.00 x the best of the others, triad 1.00 x stress-ng's
stream, our best copy 1.00 x mbw's best, write-nt 1.5 x the best ordinary write of anybody. In the caches: read 1.5 x
bw_mem's rd where bw_mem is installed, else x our own rd, which is its loop. Samples every 0.1 s cost less than 1 %
(median of 9 pairs). The exit code tells only with --assert, and then at 0.8 of each bar.
"""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

from dd_parity import median_interval

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

MIB = 1 << 20
TOOLS = ("mbw", "sysbench", "stress-ng")
KERNELS = ("read", "write", "write-nt", "copy", "copy-nt", "triad", "memset", "memcpy")
COPIES = ("copy", "copy-nt", "memcpy")
COST_PAIRS, COST_BAR, CACHE_BAR, SLACK = 9, 0.01, 1.5, 0.8


class Bench:
    def __init__(self, options):
        import program
        self.program, self.options, self.missed = program, options, 0
        self.home = program.Home()

    def tool(self, *words):
        """Output of a tool on the CPU that ours takes first."""
        done = subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                              preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
        if done.returncode:
            sys.exit(f"{' '.join(words)}: {done.stderr.strip()[-500:]}")
        return done.stdout + done.stderr

    def ours(self, kernel, size, *words, seconds=None):
        done = self.home.run("run", "memory.bandwidth", "dram", "--no-record", "--json", "--threads=1", f"--kernel={kernel}",
                             f"--size={size}", f"--time={int((seconds or self.options.seconds) * 1000)}ms", *words)
        if done.code:
            sys.exit(f"memory.bandwidth --kernel={kernel}: {done.err.strip()}")
        return self.program.result_of(done.json(), "rate") / 1e6

    def mbw(self):
        lines = self.tool("mbw", "-q", "-n", "3", str(self.options.size // 2))
        return max(float(rate) for rate in re.findall(r"([0-9.]+) MiB/s", lines)) * 2 * MIB / 1e6

    def sysbench(self, operation):
        lines = self.tool("sysbench", "memory", f"--memory-block-size={self.options.size}M", "--memory-total-size=1000G",
                          f"--time={max(1, round(self.options.seconds))}", f"--memory-oper={operation}", "run")
        return float(re.search(r"\(([0-9.]+) MiB/sec\)", lines).group(1)) * MIB / 1e6

    def memrate(self):
        lines = self.tool("stress-ng", "--memrate", "1", "--memrate-bytes", f"{self.options.size}M", "-t", "4", "--metrics")
        return {name: float(rate) for rate, name in re.findall(r"memrate +([0-9.]+) (\w+) MB per sec", lines)}

    def stream(self):
        """Its triad: of each 24 bytes 16 are read and 8 written, told apart."""
        lines = self.tool("stress-ng", "--stream", "1", "--stream-l3-size", f"{self.options.size // 8}M", "-t", "6")
        found = re.search(r"memory rate: ([0-9.]+) MB read/sec, ([0-9.]+) MB write/sec", lines)
        if not found:
            sys.exit(f"stress-ng --stream told no rate: {lines[-500:]}")
        return sum(map(float, found.groups()))

    def round(self):
        theirs = {"mbw": self.mbw(), "read": self.sysbench("read"), "write": self.sysbench("write"), "stream": self.stream()}
        ours = {kernel: self.ours(kernel, f"{self.options.size}M") for kernel in KERNELS}
        for name, rate in self.memrate().items():
            if name.startswith("read"):
                theirs["read"] = max(theirs["read"], rate)
            elif not name.endswith("nt"):
                theirs["write"] = max(theirs["write"], rate)
        return ours, theirs

    def bar(self, name, ratios, bar, detail=""):
        low, high = median_interval(ratios) or (min(ratios), max(ratios))
        middle, is_met = statistics.median(ratios), high >= bar
        print(f"{'met ' if is_met else 'MISS'}  {name}: {middle:.3f} ({low:.3f} to {high:.3f}), bar {bar:.2f}{detail}", flush=True)
        self.missed += high < bar * SLACK

    def at_dram_size(self):
        rounds = []
        for number in range(self.options.rounds):
            rounds.append(self.round())
            ours, theirs = rounds[-1]
            print(f"      round {number + 1}: ours " + ", ".join(f"{k} {v:.0f}" for k, v in ours.items()) +
                  "; others " + ", ".join(f"{k} {v:.0f}" for k, v in theirs.items()), flush=True)
        self.bar("read / best of sysbench, stress-ng", [o["read"] / t["read"] for o, t in rounds], 1.00)
        self.bar("triad / stress-ng stream", [o["triad"] / t["stream"] for o, t in rounds], 1.00)
        self.bar("best copy / mbw's best", [max(o[k] for k in COPIES) / t["mbw"] for o, t in rounds], 1.00)
        self.bar("write-nt / best ordinary write",
                 [o["write-nt"] / max(t["write"], o["write"], o["memset"]) for o, t in rounds], 1.50)

    def bw_mem(self, size):
        if shutil.which("bw_mem"):
            return float(self.tool("bw_mem", "-P", "1", size, "rd").split()[1])
        done = self.home.run("run", "memory.bandwidth", "dram", "--no-record", "--json", "--method=bw_mem", "--time=3")
        lines = done.json()["facts"][f"bw_mem-{size}-rd"]
        return statistics.median(float(line.split()[1]) for line in lines.split("; "))

    def in_caches(self):
        name = "bw_mem's rd" if shutil.which("bw_mem") else "our own rd (bw_mem is not installed)"
        for level, size in (("L1", "8k"), ("L2", "128k")):
            ratios = [self.ours("read", size.upper(), seconds=0.3) / self.bw_mem(size) for _ in range(self.options.rounds)]
            self.bar(f"{level} read / {name}", ratios, CACHE_BAR)

    def cost_of_samples(self):
        costs = []
        for _ in range(COST_PAIRS):
            fine, none = (self.ours("read", f"{self.options.size}M", f"--interval={i}", seconds=1) for i in ("0.1", "10"))
            costs.append(1 - fine / none)
        low, high = median_interval(costs)
        middle = statistics.median(costs)
        is_met = middle < COST_BAR
        print(f"{'met ' if is_met else 'MISS'}  samples every 0.1 s cost {middle:.2%} ({low:.2%} to {high:.2%}), bar {COST_BAR:.0%}",
              flush=True)
        self.missed += low >= COST_BAR / SLACK


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--size", type=int, default=512, help="MiB of the set")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--assert", dest="asserts", action="store_true")
    options = parser.parse_args()
    os.environ["IODYNO_BUILD_DIR"] = options.build
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        print(f"skipped: not installed: {', '.join(missing)}")
        return 77
    bench = Bench(options)
    try:
        bench.at_dram_size()
        bench.in_caches()
        bench.cost_of_samples()
    finally:
        bench.home.close()
    return 1 if options.asserts and bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
