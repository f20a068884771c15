#!/usr/bin/env python3
"""Storage runs with a queue: beside fio on a slow disk, by each engine, on a device without a mount, on one that lies."""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import program  # noqa: E402
import slowdisk  # noqa: E402

MIB = 1 << 20
ENGINES = ("threads", "io_uring")


class DiskCase(program.Case):
    def run_on(self, disk, *words, code=0):
        argv = self.home.argv("run", *words, "--json", "--no-record")
        result = program.Result(disk.run(argv, env=self.home.env))
        self.assertEqual(result.code, code, result.err + result.out[-2000:])
        return result.json()

    def engines(self, disk):
        """Those that work here: io_uring may be missing from the build or refused by the kernel."""
        run = self.run_on(disk, "storage.random", disk.mount, "--size=1M", "--depth=2", "--time=50ms")
        return ENGINES if run["facts"]["engine"] == "io_uring" else ENGINES[:1]


def total(run, key):
    return sum(program.totals(run, key).values())


@unittest.skipUnless(shutil.which("fio"), "fio is not installed")
@unittest.skipIf(slowdisk.why_not(throttle=True), slowdisk.why_not(throttle=True))
class BesideFio(DiskCase):
    """On a disk held to 40 MiB/s of writes and 80 of reads, whoever keeps 8 requests in flight comes to the same."""

    def fio(self, disk, *words):
        done = disk.run(["fio", "--name=x", "--direct=1", "--ioengine=psync", "--thread", "--group_reporting",
                         "--output-format=json", *words])
        self.assertEqual(done.returncode, 0, done.stderr)
        job = json.loads(done.stdout[done.stdout.index("{"):])["jobs"][0]
        return max(job[mode]["io_bytes"] / (job[mode]["runtime"] / 1000) if job[mode]["runtime"] else 0
                   for mode in ("read", "write"))

    def check(self, name, theirs, ours):
        theirs, ours = statistics.median(theirs), statistics.median(ours)
        self.assertLessEqual(abs(ours / theirs - 1), 0.05, f"{name}: fio {theirs / 1e6:.1f} ours {ours / 1e6:.1f} MB/s")

    def test_sequential_and_random_reads(self):
        with slowdisk.slow_disk(400) as disk:
            self.run_on(disk, "storage.write", disk.mount, "--size=160M", "--file=data")
            theirs, ours = [], []
            for _ in range(2):
                theirs.append(self.fio(disk, f"--filename={disk.mount}/data", "--rw=read", "--bs=1M", "--size=160M"))
                run = self.run_on(disk, "storage.read", disk.mount, "--method=queue", "--depth=8", "--size=160M",
                                  "--file=data")
                self.assertEqual(total(run, "read"), 160 * MIB)
                self.assertLess(program.result_of(run, "cached"), 0.01)
                ours.append(program.result_of(run, "rate"))
            self.check("seq", theirs, ours)
            theirs = [self.fio(disk, f"--filename={disk.mount}/data", "--rw=randread", "--bs=64k", "--size=160M",
                               "--time_based", "--runtime=2")]
            run = self.run_on(disk, "storage.random", disk.mount, "--bs=64K", "--depth=8", "--size=16M", "--time=2")
            self.check("random", theirs, [program.result_of(run, "rate")])
            self.assertAlmostEqual(program.result_of(run, "iops") * 65536, program.result_of(run, "rate"), delta=1)
            # 8 requests of 64 KiB share 80 MiB/s: 6 ms in the mean, in the throttle's slices of 100 ms
            mean = 8 * 65536 / program.result_of(run, "rate")
            self.assertLessEqual(program.result_of(run, "latency_p50"), 2 * mean + 0.1)
            self.assertGreaterEqual(program.result_of(run, "latency_max"), mean)

    def test_writes(self):
        with slowdisk.slow_disk(400) as disk:
            run = self.run_on(disk, "storage.write", disk.mount, "--method=queue", "--depth=8", "--size=100M")
            self.assertGreaterEqual(program.result_of(run, "rate"), 38e6)
            self.assertLessEqual(program.result_of(run, "rate"), 45e6)
            self.assertAlmostEqual(total(run, "device_written"), 100 * MIB, delta=2 * MIB)


@unittest.skipIf(slowdisk.why_not(), slowdisk.why_not())
class Engines(DiskCase):
    def test_each_engine_moves_the_same(self):
        with slowdisk.small_disk(200) as disk:
            free = disk.free()
            for engine in self.engines(disk):
                run = self.run_on(disk, "storage.write", disk.mount, "--method=queue", f"--engine={engine}", "--bs=64K",
                                  "--size=32M", "--depth=16")
                self.assertEqual(run["facts"]["engine"], engine)
                self.assertEqual(total(run, "written"), 32 * MIB)
                for mode in ("read", "write", "mix"):
                    run = self.run_on(disk, "storage.random", disk.mount, f"--mode={mode}", f"--engine={engine}",
                                      "--size=16M", "--depth=8", "--time=200ms")
                    self.assertEqual(run["facts"]["engine"], engine)
                    moved = total(run, "read") + total(run, "written") - 16 * MIB
                    seconds = program.result_of(run, "transfer_time")
                    self.assertAlmostEqual(program.result_of(run, "iops") * seconds * 4096, moved, delta=4096)
                    self.assertLessEqual(program.result_of(run, "latency_p50"), program.result_of(run, "latency_max"))
            self.assertLessEqual(abs(disk.free() - free), MIB)

    def test_a_forced_fallback(self):
        self.home.env["IODYNO_NO_IO_URING"] = "1"
        with slowdisk.small_disk(200) as disk:
            run = self.run_on(disk, "storage.random", disk.mount, "--size=4M", "--depth=8", "--time=100ms")
            self.assertEqual(run["facts"]["engine"], "threads")
            self.assertIn("IODYNO_NO_IO_URING", run["facts"]["engine-why"])
            run = self.run_on(disk, "storage.random", disk.mount, "--size=4M", "--depth=8", "--time=100ms",
                              "--engine=io_uring", code=3)
            self.assertEqual(run["state"], "refused")

    def test_the_table(self):
        with slowdisk.small_disk(200) as disk:
            run = self.run_on(disk, "storage.table", disk.mount, "--size=32M", "--time=100ms")
            cells = [f"{kind}_{mode}" for mode in ("read", "write")
                     for kind in ("seq1m_q8", "seq1m_q1", "rnd4k_q32", "rnd4k_q1")]
            self.assertEqual([p["name"] for p in run["phases"] if p["name"] not in ("prepare", "fsync")], cells)
            for cell in cells:
                self.assertGreater(program.result_of(run, cell), 0)
            self.assertIn("A1", run["facts"]["a1"])


@unittest.skipIf(slowdisk.why_not(), slowdisk.why_not())
class Raw(DiskCase):
    """A device without a mount, and the whole of a mounted one, are read and never written."""

    def setUp(self):
        super().setUp()
        disk = self.enterContext(slowdisk.small_disk(64))
        try:
            os.close(os.open(disk.device, os.O_RDONLY))
        except OSError as error:
            self.skipTest(f"block nodes cannot be opened here: {error}")
        self.disk = disk

    def test_mounted_by_a_word(self):
        before = self.disk.stat()
        for method in ("dd-direct", "queue"):
            run = self.run_on(self.disk, "storage.read", self.disk.name, "--raw", f"--method={method}")
            self.assertEqual(total(run, "read"), 64 * MIB)  # all of it, not the 500M of the default
            self.assertEqual(run["target"]["path"], self.disk.device)
            self.assertNotIn("written", {i["metric"] for i in run["intervals"]})
        self.assertGreaterEqual(self.disk.stat()[0] - before[0], 128 * MIB)
        for method in ("dd", "dd-cold"):
            run = self.run_on(self.disk, "storage.read", self.disk.name, "--raw", f"--method={method}", code=3)
            self.assertIn("dd-direct", str(run["error"]))

    def test_without_a_mount(self):
        subprocess.run(["umount", str(self.disk.mount)], check=True)
        try:
            before = self.disk.stat()[1]
            run = self.run_on(self.disk, "storage.read", self.disk.name, "--size=16M")
            self.assertEqual(total(run, "read"), 16 * MIB)
            self.assertIn(f"if={self.disk.device}", run["facts"]["by-hand"])
            for words in (["storage.read", self.disk.name, "--raw=no"], ["storage.write", self.disk.name],
                          ["storage.random", self.disk.name], ["storage.verify", self.disk.name]):
                result = self.home.run("run", *words, "--no-record")
                self.assertEqual(result.code, 3, words)
                self.assertIn("is not mounted; it holds ext4", result.err)
                self.assertIn(f"--confirm={self.disk.name}", result.err)
            self.assertEqual(self.disk.stat()[1], before)
        finally:
            subprocess.run(["mount", self.disk.device, str(self.disk.mount)], check=True)


@unittest.skipIf(slowdisk.why_not(), slowdisk.why_not())
class Verify(DiskCase):
    def test_a_sound_disk(self):
        with slowdisk.small_disk(200) as disk:
            free = disk.free()
            run = self.run_on(disk, "storage.verify", disk.mount, "--share=60")
            self.assertEqual(program.result_of(run, "verified"), total(run, "read"))
            self.assertGreater(total(run, "read"), 0.4 * (free - 64 * MIB))
            self.assertEqual(program.result_of(run, "wrong_sectors"), 0)
            self.assertLess(program.result_of(run, "cached"), 0.02)
            self.assertGreaterEqual(total(run, "device_read"), total(run, "read"))
            self.assertLessEqual(abs(disk.free() - free), MIB)

    def test_a_disk_smaller_than_it_says(self):
        with slowdisk.starving_disk(300, backing_mib=48) as disk:
            run = self.run_on(disk, "storage.verify", disk.mount, "--size=100M", code=1)
            self.assertEqual(run["state"], "failed")
            self.assertIsNone(program.result_of(run, "verified"))
            self.assertRegex(str(run["error"]), "No space left on device|Input/output error")


if __name__ == "__main__":
    program.main()
