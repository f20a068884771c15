#!/usr/bin/env python3
"""iodyno beside dd: speed and CPU seconds, in interleaved pairs of the same minute.

    dd_parity.py BUILD_DIR [--folder=DIR] [--pairs=41] [--methods=dd-fsync,…] [--assert]

Bars: on a disk held to 40 MiB/s the medians of three pairs agree within 3 %; at full speed the upper end of the
95 % interval of the median ratio (ours / dd) reaches 1.00; CPU seconds stay within dd's + 10 %. The exit code tells only with
--assert, and then at 0.8 of each bar.
"""
import argparse
import math
import os
import pathlib
import statistics
import subprocess
import sys

MIB = 1 << 20
SIZE = 500 * MIB
THROTTLED = 256 * MIB
NARROW, PAIRS_MIN, PAIRS_MOST = 0.06, 7, 41
BAR_THROTTLED, BAR_SPEED, BAR_CPU, SLACK = 0.03, 1.00, 1.10, 0.8
WRITES = {"dd-fsync": ["conv=fsync"], "dd-direct": ["oflag=direct"]}
READS = {"dd-direct": ["iflag=direct"], "dd-cold": [], "dd": []}

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))


def median_interval(values):
    """The 95 % interval of the median by order statistics; None below six values."""
    values, n = sorted(values), len(values)
    below, k = 0.0, 0
    while k < n // 2 and below + math.comb(n, k) / 2**n <= 0.025:
        below += math.comb(n, k) / 2**n
        k += 1
    return (values[k - 1], values[n - k]) if k else None


class Bench:
    def __init__(self, options):
        import ddtools
        import program
        import slowdisk
        self.ddtools, self.program, self.slowdisk = ddtools, program, slowdisk
        self.options, self.missed = options, 0
        self.home = program.Home(base=options.folder)
        self.folder = self.home.files

    def ours(self, *words, inside=None):
        argv = self.home.argv("run", *words, "--json", "--no-record")
        done = subprocess.run(inside(argv) if inside else argv, capture_output=True, text=True, env=self.home.env,
                              check=False, stdin=subprocess.DEVNULL)
        if done.returncode:
            sys.exit(f"{' '.join(argv)}: {done.stderr.strip()}")
        run = self.program.json.loads(done.stdout)
        rate, user, system = (self.program.result_of(run, key) for key in ("rate", "cpu_user", "cpu_sys"))
        return rate, user + system

    def bar(self, name, text, is_met, is_met_with_slack):
        print(f"{'met ' if is_met else 'MISS'}  {name}: {text}", flush=True)
        self.missed += not is_met_with_slack

    def write_once(self, method, size, folder, by_dd, inside=None):
        if by_dd:
            path = folder / "by-dd"
            done = self.ddtools.run_dd("if=/dev/zero", f"of={path}", "bs=1M", f"count={size // MIB}", *WRITES[method],
                                       inside=inside)
            path.unlink()
            return done.rate, done.cpu_s
        # A kept file, removed here: dd's CPU seconds hold no removal either.
        done = self.ours("storage.write", folder, f"--method={method}", f"--size={size}", "--file=ours", inside=inside)
        (folder / "ours").unlink()
        return done

    def read_once(self, method, size, folder, by_dd, inside=None):
        data = folder / "data"
        if method == "dd":
            self.ddtools.run_dd(f"if={data}", "of=/dev/null", "bs=1M")  # into RAM, for both
        else:
            self.ddtools.run_dd(f"if={data}", "iflag=nocache", "count=0")
        if by_dd:
            done = self.ddtools.run_dd(f"if={data}", "of=/dev/null", "bs=1M", *READS[method], inside=inside)
            return done.rate, done.cpu_s
        return self.ours("storage.read", folder, "--file=data", f"--method={method}", f"--size={size}", inside=inside)

    def throttled(self):
        reason = self.slowdisk.why_not(throttle=True)
        if reason:
            print(f"none  throttled: {reason}")
            return
        with self.slowdisk.slow_disk(700, write_mib=40, read_mib=80) as disk:
            for method in WRITES:
                pairs, apart = [], 1.0
                self.write_once(method, THROTTLED, disk.mount, True, disk.inside)  # gives the loop file its blocks
                # Three pairs; a busy machine gets up to nine, and the line says so.
                while len(pairs) < 3 or (apart > BAR_THROTTLED and len(pairs) < 9):
                    pairs.append((self.write_once(method, THROTTLED, disk.mount, True, disk.inside)[0],
                                  self.write_once(method, THROTTLED, disk.mount, False, disk.inside)[0]))
                    dd, ours = (statistics.median(side) for side in zip(*pairs))
                    apart = abs(ours / dd - 1)
                self.bar(f"throttled write {method}, {THROTTLED // MIB} MiB at 40 MiB/s",
                         f"dd {dd / 1e6:.1f} MB/s, ours {ours / 1e6:.1f} MB/s, apart {100 * apart:.1f} %, "
                         f"{len(pairs)} pairs (bar: 3 %)", apart <= BAR_THROTTLED, apart <= BAR_THROTTLED / SLACK)

    def compare(self, name, once):
        ratios, dd, ours, interval = [], [], [], None
        once(True), once(False)  # warms both
        while len(ratios) < self.options.pairs:
            first = len(ratios) % 2 == 0  # who goes first alternates
            sides = {by_dd: once(by_dd) for by_dd in (first, not first)}
            dd.append(sides[True])
            ours.append(sides[False])
            ratios.append(sides[False][0] / sides[True][0])
            interval = median_interval(ratios)
            if len(ratios) >= PAIRS_MIN and interval and interval[1] - interval[0] < NARROW:
                break
        rate = [statistics.median(run[0] for run in side) / 1e6 for side in (dd, ours)]
        # The least of each side is what the work costs: a page the host took back, or a neighbour, only adds to it.
        cpu = [min(run[1] for run in side) for side in (dd, ours)]
        middle = [statistics.median(run[1] for run in side) for side in (dd, ours)]
        low, high = interval or (min(ratios), max(ratios))
        self.bar(f"{name} speed", f"dd {rate[0]:.0f} MB/s, ours {rate[1]:.0f} MB/s, median ratio "
                 f"{statistics.median(ratios):.3f}, 95 % interval {low:.3f} to {high:.3f}, {len(ratios)} pairs "
                 f"(bar: upper end >= 1.00)", high >= BAR_SPEED, high >= BAR_SPEED * SLACK)
        self.bar(f"{name} CPU", f"dd {cpu[0]:.3f} s, ours {cpu[1]:.3f} s, ratio {cpu[1] / cpu[0]:.2f}, of medians "
                 f"{middle[1] / middle[0]:.2f} (bar <= 1.10)", cpu[1] <= cpu[0] * BAR_CPU, cpu[1] <= cpu[0] * BAR_CPU / SLACK)

    def unthrottled(self):
        wanted = self.options.methods
        for method in WRITES:
            if method in wanted:
                self.compare(f"write {method}, {SIZE // MIB} MiB",
                             lambda by_dd, m=method: self.write_once(m, SIZE, self.folder, by_dd))
        self.ddtools.run_dd("if=/dev/zero", f"of={self.folder}/data", "bs=1M", f"count={SIZE // MIB}", "conv=fsync")
        for method in READS:
            if method in wanted:
                self.compare(f"read {method}, {SIZE // MIB} MiB",
                             lambda by_dd, m=method: self.read_once(m, SIZE, self.folder, by_dd))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--folder", help="where the files of the unthrottled part are made")
    parser.add_argument("--pairs", type=int, default=PAIRS_MOST)
    parser.add_argument("--methods", type=lambda text: set(text.split(",")), default={*WRITES, *READS})
    parser.add_argument("--assert", dest="asserts", action="store_true")
    options = parser.parse_args()
    os.environ["IODYNO_BUILD_DIR"] = options.build
    bench = Bench(options)
    try:
        with bench.ddtools.warm_memory(SIZE):
            bench.throttled()
            bench.unthrottled()
    finally:
        bench.home.close()
    return 1 if options.asserts and bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
