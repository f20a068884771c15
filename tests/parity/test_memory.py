#!/usr/bin/env python3
"""Memory runs as a person makes them: units, counts of intervals, caches told apart from DRAM, the published convention
(beside bw_mem where that is installed), limits of the machine, and bits that were flipped."""
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import program  # noqa: E402

MIB = 1 << 20
CPUS = sorted(os.sched_getaffinity(0))


def result(run, metric, lane=None):
    values = [r["value"] for r in run["results"] if r["metric"] == metric and r["lane"] == lane]
    return values[0] if values else None


def codes(run):
    return [event["code"] for event in run["events"]]


class MemoryCase(program.Case):
    def memory(self, kind, *words, code=0):
        return self.run_json(f"memory.{kind}", "dram", "--no-record", *words, code=code)

    def read_rate(self, *words):
        return result(self.memory("bandwidth", "--kernel=read", "--threads=1", *words), "rate")


class Bandwidth(MemoryCase):
    def test_default_run(self):
        """All kernels, both columns, within ten seconds; live samples on the way, an expectation at the end."""
        run = self.memory("bandwidth", "--expect=rate >= 1MB/s")
        self.assertLess(run["phases"][-1]["t1_s"], 11.0)
        self.assertTrue(run["checks"][0]["pass"])
        facts = run["facts"]
        for kernel in ("read", "write", "copy", "triad", "memset", "memcpy"):
            columns = re.findall(r"(\d+) threads? ([0-9.]+) MB/s", facts[f"kernel-{kernel}"])
            self.assertEqual([int(threads) for threads, _ in columns], sorted({1, len(CPUS)}))
        self.assertGreater(result(run, "rate_write"), 0)
        self.assertGreater(result(run, "published_wr"), 0)
        self.assertIn("not the board's write bandwidth", facts["published-convention"])
        self.assertEqual(facts["set-level"], "DRAM")
        self.assertGreaterEqual(len(program.totals(run, "moved")), 6)

    def test_bytes_over_seconds_is_what_is_shown(self):
        run = self.memory("bandwidth", "--kernel=read", "--threads=1", "--size=50M", "--time=1")
        moved = [i for i in run["intervals"] if i["metric"] == "moved"]
        seconds = sum(i["t1_s"] - i["t0_s"] for i in moved)
        mean = sum(i["value"] for i in moved) / seconds
        self.assertLess(abs(result(run, "one_mean", 0) / mean - 1), 0.005)
        plain = self.home.run("run", "memory.bandwidth", "dram", "--no-record", "--kernel=read", "--threads=1", "--size=50M",
                              "--time=500ms", "--plain").out
        rate, unit, binary, binary_unit = re.search(r"\n  Read +([0-9.]+) (\w)B/s \(([0-9.]+) (\w)iB/s\)", plain).groups()
        self.assertEqual(unit, binary_unit)
        factor = {"M": 1.048576, "G": 1.073741824}[unit]
        self.assertLess(abs(float(rate) / float(binary) / factor - 1), 0.02)  # both are rounded to three digits

    def test_a_cache_is_not_shown_as_dram(self):
        run = self.memory("bandwidth", "--kernel=read", "--threads=1", "--size=32K", "--time=300ms", "--dram-peak=3200")
        self.assertIn(run["facts"]["set-level"], ("L1", "L2"))
        self.assertIn("not DRAM", run["facts"]["set"])
        self.assertIn("not-dram", codes(run))
        self.assertIsNone(result(run, "peak_share"))

    def test_the_default_set_is_beyond_a_large_l2(self):
        l2 = [int(c.rstrip("K\n")) for c in (p.read_text() for p in
              pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index2/size")) if c.strip().endswith("K")]
        if not l2 or l2[0] < 1024:
            self.skipTest("no L2 of 1 MiB or more is known here")
        self.assertLess(self.read_rate("--time=500ms"), 0.9 * self.read_rate("--time=500ms", "--size=1M"))

    def test_intervals_of_100_ms_and_of_1_s(self):
        """50 and 5 of them, the bytes of both add up, and the medians agree."""
        words = ("--kernel=read", "--threads=1", "--time=5")
        fine, coarse = self.memory("bandwidth", *words, "--interval=0.1"), self.memory("bandwidth", *words, "--interval=1")
        count = [sum(i["metric"] == "moved" for i in run["intervals"]) for run in (fine, coarse)]
        self.assertIn(count[0], (49, 50, 51))
        self.assertEqual(count[1], 5)
        for run in (fine, coarse):
            moved = [i for i in run["intervals"] if i["metric"] == "moved"]
            mean = sum(i["value"] for i in moved) / (moved[-1]["t1_s"] - moved[0]["t0_s"])
            self.assertLess(abs(mean / result(run, "one_mean", 0) - 1), 0.005)

    def test_a_narrower_instruction_set_is_used_and_named(self):
        run = self.memory("bandwidth", "--kernel=read", "--threads=1", "--size=16K", "--time=200ms", "--isa=base")
        best = self.memory("bandwidth", "--kernel=read", "--threads=1", "--size=16K", "--time=200ms")
        self.assertTrue(run["facts"]["kernel-read"].endswith(run["facts"]["isa"]))
        if run["facts"]["isa"] == best["facts"]["isa"]:
            self.skipTest("this CPU has one instruction set only")
        self.assertLess(result(run, "rate"), result(best, "rate"))

    def test_first_touch_is_not_measured(self):
        """Right after the start as later on; a page never written would read at the speed of a cache."""
        pairs = [(self.read_rate("--time=200ms", "--size=64M"), self.read_rate("--time=1", "--size=64M")) for _ in range(7)]
        self.assertLess(abs(statistics.median(early / late for early, late in pairs) - 1), 0.15, pairs)

    def test_a_peak_gives_percent(self):
        run = self.memory("bandwidth", "--kernel=read", "--threads=1", "--time=300ms", "--dram-peak=ddr4-3200x512")
        self.assertAlmostEqual(result(run, "peak_share"), result(run, "rate") / 204.8e9, places=9)
        self.assertIn("ddr4-3200x512", run["facts"]["peak-source"])
        low = self.memory("bandwidth", "--kernel=read", "--threads=1", "--time=300ms", "--dram-peak=100")
        self.assertIn("over-ceiling", codes(low))
        self.assertGreater(result(low, "peak_share"), 1)  # said, not clipped


class Published(MemoryCase):
    def test_lines_of_bw_mem(self):
        facts = self.memory("bandwidth", "--method=bw_mem", "--time=5")["facts"]
        for size, shown in (("8k", "0.008192"), ("128k", "0.131072"), ("50m", "52.43")):
            for op in ("rd", "wr", "rdwr", "cp", "frd", "fwr", "fcp", "bzero", "bcopy"):
                self.assertRegex(facts[f"bw_mem-{size}-{op}"], rf"^({re.escape(shown)} \d+\.\d\d(; |$)){{5}}$")

    def test_show_prints_them(self):
        self.home.run("run", "memory.bandwidth", "dram", "--method=bw_mem", "--time=5")
        number = self.home.run("history", "--json").json()["runs"][0]["id"]
        shown = self.home.run("show", number, "--bw-mem")
        self.assertEqual(shown.code, 0, shown.err)
        for line in (r"# 50m rd\n(52\.43 \d+\.\d\d\n){5}", r"# 50m wr\n(52\.43 \d+\.\d\d\n){5}",
                     r"# 8k rd\n(0\.008192 \d+\.\d\d\n){5}", r"# wr is not the write bandwidth: "):
            self.assertRegex(shown.out, line)

    @unittest.skipUnless(shutil.which("bw_mem"), "bw_mem is not installed")
    def test_beside_bw_mem(self):
        for op in ("rd", "wr"):
            run = self.memory("bandwidth", "--method=bw_mem")
            theirs = subprocess.run(["bw_mem", "-P", "1", "50m", op], capture_output=True, text=True, check=True).stderr
            rate = float(theirs.split()[1]) * 1e6
            self.assertLess(abs(result(run, f"published_{op}") / rate - 1), 0.15, op)


class Others(MemoryCase):
    def test_stairs_in_five_seconds(self):
        run = self.memory("stairs")
        self.assertLess(run["phases"][-1]["t1_s"], 6.0)
        sizes = [r["value"] for r in run["results"] if r["metric"] == "stair_size"]
        self.assertGreaterEqual(len(sizes), 25)
        self.assertEqual(sizes, sorted(sizes))
        self.assertGreater(result(run, "latency"), result(run, "stair_latency", 0))

    def test_latency_rises_with_chains_in_flight(self):
        run = self.memory("latency", "--time=1")
        self.assertGreater(result(run, "chain_latency", 1), result(run, "chain_latency", 8))
        if len(CPUS) > 1:
            self.assertGreater(result(run, "loaded_rate", 5), result(run, "loaded_rate", 1))

    def test_verify(self):
        run = self.memory("verify", "--time=2", "--size=64M")
        self.assertEqual((run["state"], result(run, "errors")), ("done", 0))
        self.assertGreater(result(run, "passes"), 0)

    def test_one_cpu_is_one_column(self):
        argv = self.home.argv("run", "memory.bandwidth", "dram", "--no-record", "--kernel=read", "--time=200ms", "--json")
        done = subprocess.run(argv, capture_output=True, text=True, env=self.home.env, check=False,
                              preexec_fn=lambda: os.sched_setaffinity(0, {CPUS[-1]}), stdin=subprocess.DEVNULL)
        run = program.Result(done).json()
        self.assertEqual(run["facts"]["cpus"], str(CPUS[-1]))
        self.assertEqual(re.findall(r"(\d+) threads? ", run["facts"]["kernel-read"]), ["1"])
        self.assertIsNone(result(run, "all_rate", 0))


class Proof(MemoryCase):
    def flipped(self, kind, *words):
        run = self.memory(f"{kind}-flip", *words, code=1)
        self.assertEqual(run["state"], "failed")
        self.assertIn("memory-error", codes(run))
        self.assertRegex(run["error"]["text"] if isinstance(run["error"], dict) else run["error"],
                         r"expected 0x[0-9a-f]{16}, got 0x[0-9a-f]{16}, read again 0x[0-9a-f]{16}")
        self.assertIsNone(result(run, "rate"))

    def test_bandwidth(self):
        for kernel in ("read", "write", "copy", "triad", "memset"):
            self.flipped("bandwidth", f"--kernel={kernel}", "--size=1M", "--time=100ms")

    def test_latency(self):
        self.flipped("latency", "--size=1M", "--time=100ms")

    def test_verify(self):
        self.flipped("verify", "--size=16M", "--time=1")

    def test_hidden(self):
        listed = [t["id"] for t in self.home.run("tests", "--json").json()["tests"]]
        self.assertEqual({t for t in listed if t.startswith("memory.")},
                         {"memory.bandwidth", "memory.stairs", "memory.latency", "memory.verify"})


class BadInput(MemoryCase):
    def sentence(self, code, part, *words):
        done = self.home.run("run", "memory.bandwidth", "dram", "--no-record", "--time=100ms", *words)
        self.assertEqual(done.code, code, done.err)
        self.assertIn(part, done.err)
        self.assertNotIn("Traceback", done.err)

    def test_sentences(self):
        self.sentence(2, "size: expected a size", "--size=0")
        self.sentence(2, "size: expected a size", "--size=1")
        self.sentence(2, "size: expected a size", "--size=much")
        self.sentence(3, "is more than may be taken here: at most", "--size=1000T")
        self.sentence(2, "threads: expected a number", "--threads=0")
        self.sentence(3, "threads=256: this run may use", "--threads=256")
        self.sentence(3, "this CPU does not have it", "--isa=" + ("avx2" if os.uname().machine == "aarch64" else "neon"))
        self.sentence(2, "isa: expected one of", "--isa=mmx")
        self.sentence(3, "may not be used here", "--cpus=4000")
        self.sentence(3, "dram-peak: expected", "--dram-peak=fast")
        self.sentence(0, "", "--size=auto", "--kernel=read")

    def test_little_address_space_is_a_smaller_set_or_a_sentence(self):
        for kib in (120_000, 300_000, 900_000):
            done = subprocess.run(["sh", "-c", f'ulimit -v {kib}; exec "$@"', "sh",
                                   *self.home.argv("run", "memory.bandwidth", "dram", "--no-record", "--kernel=read", "--json",
                                                   "--time=100ms")], capture_output=True, text=True, env=self.home.env,
                                  check=False, stdin=subprocess.DEVNULL)
            self.assertIn(done.returncode, (0, 3), done.stderr)
            if done.returncode == 0:
                facts = program.Result(done).json()["facts"]
                self.assertRegex(facts.get("set-one", "") + facts["set"], "reduced|too little memory")
            else:
                self.assertRegex(done.stderr, "too little memory|address space|cannot start")

    def test_the_oom_killer_is_told_whom_to_take(self):
        process = self.home.start("run", "memory.verify", "dram", "--no-record", "--size=4M", "--time=20", "--jsonl")
        try:
            for line in process.stdout:
                if '"phase"' in line and "verify" in line:
                    break
            workers = [p for p in pathlib.Path("/proc").glob("[0-9]*/stat") if f" {process.pid} " in self.stat(p)]
            scores = [int((p.parent / "oom_score_adj").read_text()) for p in workers
                      if "iodyno-worker" in (p.parent / "cmdline").read_text()]
            self.assertEqual(scores, [1000])
        finally:
            process.terminate()
            process.communicate(timeout=30)

    @staticmethod
    def stat(path):
        try:
            return path.read_text()
        except OSError:
            return ""


if __name__ == "__main__":
    program.main()
