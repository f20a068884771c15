#!/usr/bin/env python3
"""iodyno's queue beside fio: speed and CPU seconds per GiB, in interleaved pairs of the same minute.

    storage.py BUILD_DIR [--folder=DIR] [--pairs=41] [--seconds=1] [--cells=seq-q1-read,…] [--assert]

For each cell fio's fastest set-up is found first (three runs of each), then compared. Bars: the upper end of the 95 %
interval of the median ratio (ours / fio) reaches 1.00; of CPU seconds per GiB the lower end, since both measure
the same noise. Both count only the timed part. The exit code tells only with --assert, and then at 0.8 of each bar.

"+huge" is fio with buffers in huge pages (--iomem=mmaphuge, and --fixedbufs of io_uring), as ours are: 1 MiB in pages
of 4 KiB is more pieces than most disks take in one request, which then is sent as two (measured on a virtio disk that
takes 254: 1.2 GB/s instead of 2.1). They are reserved for the calibration and the pairs, and given back.

"disk" is the proof that both really used the disk: its bytes (sectors in sysfs `stat`) per byte of the application, and
its requests per MiB, of fio and of ours.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

from dd_parity import median_interval

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

MIB, GIB = 1 << 20, 1 << 30
SEQUENTIAL, AREA = 512 * MIB, 256 * MIB
CALIBRATIONS, PAIRS_MIN, NARROW = 3, 7, 0.06
BAR_SPEED, BAR_CPU, SLACK = 1.00, 1.00, 0.8
CPU_LINE = re.compile(r"user (\d+)m([0-9.]+)s, sys (\d+)m([0-9.]+)s")
CELLS = {f"{kind}-q{depth}-{mode}": (kind, depth, mode)
         for kind in ("seq", "rnd") for depth in (1, 32) for mode in ("read", "write")}


HUGE_PAGES = pathlib.Path("/proc/sys/vm/nr_hugepages")
HUGE_ENOUGH = 40  # pages of 2 MiB: 32 blocks of 1 MiB, and what fio adds to each


class Side:
    """One run: bytes a second, CPU seconds per GiB; what its disk did for each byte of it."""

    def __init__(self, rate, cpu_s, size, disk=None, moved=None):
        self.rate, self.cpu = rate, cpu_s / (size / GIB)
        moved = moved or size
        self.share = disk[1] * 512 / moved if disk else None
        self.requests = disk[0] / (moved / MIB) if disk else None


class DiskCounter:
    """Requests and sectors of the block device under a folder; None where there is none."""

    def __init__(self, folder):
        device = os.stat(folder).st_dev
        self.path = pathlib.Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat")

    def read(self, mode):
        try:
            fields = [int(field) for field in self.path.read_text().split()]
        except OSError:
            return None
        return (fields[0], fields[2]) if mode == "read" else (fields[4], fields[6])

    def around(self, mode, run):
        """What run() returns, and the requests and sectors meanwhile."""
        os.sync()  # what others left to be written is not counted here
        before = self.read(mode)
        value = run()
        after = self.read(mode)
        return value, before and after and tuple(b - a for a, b in zip(before, after))


def reserve_huge_pages(count):
    """How many there are then; 0 when they may not be reserved."""
    try:
        HUGE_PAGES.write_text(str(count))
        return int(HUGE_PAGES.read_text())
    except OSError:
        return 0


class Bench:
    def __init__(self, options):
        import program
        self.program, self.options, self.missed, self.rows = program, options, 0, []
        self.home = program.Home(base=options.folder)
        self.folder = self.home.files
        self.data = self.folder / "data"
        self.counter = DiskCounter(self.folder)
        self.huge_before = int(HUGE_PAGES.read_text()) if HUGE_PAGES.exists() else 0
        self.has_huge = reserve_huge_pages(self.huge_before + HUGE_ENOUGH) >= self.huge_before + HUGE_ENOUGH

    def close(self):
        reserve_huge_pages(self.huge_before)
        self.home.close()

    def engines(self, kind, depth):
        names = ["psync", "libaio", "io_uring"]
        if depth > 1 and kind == "seq":
            names.remove("psync")  # many of them would be many streams
        if kind == "seq" and self.has_huge:
            names += [f"{name}+huge" for name in names]
        return names

    def fio(self, engine, kind, depth, mode):
        is_write = mode == "write"
        name = self.folder / "fio-write" if is_write and kind == "seq" else self.data
        engine, _, is_huge = engine.partition("+")
        words = ["--name=x", f"--filename={name}", "--direct=1", f"--ioengine={engine}", "--thread",
                 "--group_reporting", "--output-format=json", "--invalidate=1"]
        if is_huge:
            words.append("--iomem=mmaphuge")
            if engine == "io_uring":
                words.append("--fixedbufs")
        if engine == "psync":
            words.append(f"--numjobs={depth}")
        else:
            words.append(f"--iodepth={depth}")
        if kind == "seq":
            words += [f"--rw={mode}", "--bs=1M", f"--size={SEQUENTIAL}"]
        else:
            words += [f"--rw=rand{mode}", "--bs=4k", f"--size={AREA}", "--norandommap", "--time_based",
                      f"--runtime={self.options.seconds}"]
        if is_write:
            words.append("--end_fsync=1")
        done, disk = self.counter.around(mode, lambda: subprocess.run(
            ["fio", *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL))
        if done.returncode:
            sys.exit(f"fio {' '.join(words)}: {done.stderr.strip()}")
        job = json.loads(done.stdout[done.stdout.index("{"):])["jobs"][0]
        if name != self.data:
            name.unlink()
        size = job[mode]["io_bytes"]
        seconds = job["job_runtime"] / 1000  # of all threads together, as the percentages are
        cpu = (job["usr_cpu"] + job["sys_cpu"]) / 100 * seconds
        return Side(size / (job[mode]["runtime"] / 1000), cpu, size, disk)

    def ours(self, kind, depth, mode):
        if kind == "rnd":
            words = ["storage.random", self.folder, f"--mode={mode}", f"--depth={depth}", f"--size={AREA}",
                     f"--time={self.options.seconds}"]
        else:
            words = [f"storage.{mode}", self.folder, "--method=queue", f"--depth={depth}", f"--size={SEQUENTIAL}"]
            words.append("--file=data" if mode == "read" else "--data=random")
        done, disk = self.counter.around(mode, lambda: self.home.run("run", *words, "--json", "--no-record"))
        if done.code:
            sys.exit(f"{words}: {done.err.strip()}")
        run = done.json()
        rate = self.program.result_of(run, "rate")
        minutes, user, more, system = CPU_LINE.search(run["facts"]["real-line"]).groups()
        cpu = 60 * (int(minutes) + int(more)) + float(user) + float(system)
        # With what it laid out before: the disk wrote that too.
        moved = sum(self.program.totals(run, "read" if mode == "read" else "written").values())
        size = rate * self.program.result_of(run, "transfer_time")
        return Side(rate, cpu, size, disk, moved), run["facts"]["engine"]

    def lay_out(self):
        """Real blocks that no device can compress, shared by fio's random cells and both readers."""
        with open(self.data, "wb") as out:
            block = os.urandom(8 * MIB)
            for _ in range(SEQUENTIAL // len(block)):
                out.write(block)
            os.fsync(out.fileno())

    def best_engine(self, kind, depth, mode):
        rates = {engine: statistics.median(self.fio(engine, kind, depth, mode).rate for _ in range(CALIBRATIONS))
                 for engine in self.engines(kind, depth)}
        return max(rates, key=rates.get)

    def compare(self, name):
        kind, depth, mode = CELLS[name]
        engine = self.best_engine(kind, depth, mode)
        fio, ours, ratios, costs, interval, own = [], [], [], [], None, ""
        while len(ratios) < self.options.pairs:
            is_first = len(ratios) % 2 == 0  # who goes first alternates
            for is_ours in (is_first, not is_first):
                if is_ours:
                    side, own = self.ours(kind, depth, mode)
                    ours.append(side)
                else:
                    fio.append(self.fio(engine, kind, depth, mode))
            ratios.append(ours[-1].rate / fio[-1].rate)
            costs.append(ours[-1].cpu / fio[-1].cpu)
            interval = median_interval(ratios)
            if len(ratios) >= PAIRS_MIN and interval and interval[1] - interval[0] < NARROW:
                break
        low, high = interval or (min(ratios), max(ratios))
        self.judge(name, engine, own, fio, ours, (statistics.median(ratios), low, high, len(ratios)),
                   (statistics.median(costs), *(median_interval(costs) or (min(costs), max(costs)))))

    def judge(self, name, engine, own, fio, ours, ratio, cost):
        def middle(sides, what):
            return statistics.median(getattr(side, what) for side in sides)

        unit = 1e6 if name.startswith("seq") else 4096
        theirs_cpu, our_cpu = middle(fio, "cpu"), middle(ours, "cpu")
        median, low, high, count = ratio
        is_fast, is_cheap = high >= BAR_SPEED, cost[1] <= BAR_CPU
        self.missed += high < BAR_SPEED * SLACK
        self.missed += cost[1] > BAR_CPU / SLACK
        print(f"{name:15} {engine:>13} {middle(fio, 'rate') / unit:9.0f} {own:>8} {middle(ours, 'rate') / unit:9.0f}  "
              f"{median:5.3f} {low:5.3f}-{high:5.3f} {count:3d} {'met ' if is_fast else 'MISS'}  "
              f"{theirs_cpu:6.3f} {our_cpu:6.3f} {cost[0]:5.3f} {cost[1]:5.3f}-{cost[2]:5.3f} {'met ' if is_cheap else 'MISS'}  "
              f"{self.disk(fio)}  {self.disk(ours)}", flush=True)

    @staticmethod
    def disk(sides):
        """Bytes of the disk per byte of the application; requests per MiB."""
        known = [side for side in sides if side.share is not None]
        if not known:
            return "unknown"
        return f"{statistics.median(s.share for s in known):5.3f} {statistics.median(s.requests for s in known):6.1f}"

    def run(self):
        self.lay_out()
        if not self.has_huge:
            print("none  fio with huge pages: they cannot be reserved here")
        print("cell                fio's eng MB/s|IOPS      our MB/s|IOPS  ratio 95 % interval pairs     "
              "CPU s/GiB: fio, ours, ratio 95 % interval  disk B/B, req/MiB: fio, ours")
        for name in CELLS:
            if name in self.options.cells:
                self.compare(name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--folder", help="where the files are made")
    parser.add_argument("--pairs", type=int, default=41)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--cells", type=lambda text: set(text.split(",")), default=set(CELLS))
    parser.add_argument("--assert", dest="asserts", action="store_true")
    options = parser.parse_args()
    if not shutil.which("fio"):
        print("none  fio is not installed")
        return 0
    os.environ["IODYNO_BUILD_DIR"] = options.build
    bench = Bench(options)
    try:
        bench.run()
    finally:
        bench.close()
    return 1 if options.asserts and bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
