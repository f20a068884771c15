#!/usr/bin/env python3
"""Storage runs beside dd, on a slow disk (40 MiB/s write, 80 MiB/s read), a starving one and a small one."""
import pathlib
import re
import statistics
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import ddtools  # noqa: E402
import program  # noqa: E402
import slowdisk  # noqa: E402

MIB = 1 << 20
LOW, HIGH = 40e6, 45e6  # B/s of the slow disk, by whatever honest method
WRITE_METHODS = ("dd-fsync", "dd-fdatasync", "dd-direct", "dd-direct-fsync", "dd-then-sync")


def rates(run, key):
    """MB/s of each interval of a metric."""
    return [i["value"] / (i["t1_s"] - i["t0_s"]) / 1e6 for i in run["intervals"] if i["metric"] == key]


def total(run, key):
    return sum(program.totals(run, key).values())


class DiskCase(program.Case):
    def run_on(self, disk, *words, code=0):
        argv = self.home.argv("run", *words, "--json", "--no-record")
        result = program.Result(disk.run(argv, env=self.home.env))
        self.assertEqual(result.code, code, result.err + result.out[-2000:])
        return result.json()


@unittest.skipIf(slowdisk.why_not(), slowdisk.why_not())
class CachedRead(DiskCase):
    """T1: the published read is a RAM read, and is called one; the cold read is none."""

    def check(self, disk):
        self.run_on(disk, "storage.write", disk.mount, "--size=64M", "--file=t1")
        before = disk.stat()[0]
        published = self.run_on(disk, "storage.read", disk.mount, "--size=64M", "--file=t1", "--method=dd")
        self.assertLess(disk.stat()[0] - before, MIB)
        self.assertLess(total(published, "device_read"), MIB)
        self.assertEqual(total(published, "read"), 64 * MIB)
        self.assertGreaterEqual(program.result_of(published, "cached"), 0.95)
        codes = [published["verdict"]["code"]] + [str(w) for w in published["verdict"]["warnings"]]
        self.assertIn("cached", " ".join(codes))
        for method in ("dd-cold", "dd-direct"):
            before = disk.stat()[0]
            cold = self.run_on(disk, "storage.read", disk.mount, "--size=64M", "--file=t1", f"--method={method}")
            self.assertAlmostEqual(disk.stat()[0] - before, 64 * MIB, delta=MIB)
            self.assertAlmostEqual(total(cold, "device_read"), 64 * MIB, delta=MIB)
            self.assertLess(program.result_of(cold, "cached"), 0.005)
            self.assertTrue(cold["facts"]["in-ram-before"].startswith("0.0 %"), cold["facts"])
        self.assertEqual(cold["facts"]["o_direct"], "honoured")
        self.assertTrue((disk.mount / "t1").exists())

    def test_by_cachestat(self):
        with slowdisk.small_disk(200) as disk:
            self.check(disk)

    def test_by_mincore(self):
        self.home.env["IODYNO_NO_CACHESTAT"] = "1"
        with slowdisk.small_disk(200) as disk:
            self.check(disk)

    def test_own_file_leaves_nothing(self):
        with slowdisk.small_disk(200) as disk:
            free = disk.free()
            run = self.run_on(disk, "storage.read", disk.mount, "--size=64M", "--method=dd-cold")
            self.assertEqual([p["name"] for p in run["phases"]], ["prepare", "read"])
            self.assertEqual(total(run, "read"), 64 * MIB)
            self.assertEqual(total(run, "written"), 64 * MIB)
            self.assertLessEqual(abs(disk.free() - free), MIB)


APART = 0.03  # the bar


def apart(ours, theirs):
    """How far the medians are from each other, as a share of theirs."""
    return abs(statistics.median(ours) / statistics.median(theirs) - 1)


@unittest.skipIf(slowdisk.why_not(throttle=True), slowdisk.why_not(throttle=True))
class SlowDisk(DiskCase):
    def setUp(self):
        super().setUp()
        self.enterContext(ddtools.warm_memory(270 * MIB))

    def calm(self, disk, count=100):
        """Waits until dd itself writes at the disk's speed: what else this machine does only slows it. Its first run
        also gives the loop file its blocks, which costs whoever comes first."""
        for _ in range(8):
            dd = ddtools.run_dd("if=/dev/zero", f"of={disk.mount}/by-dd", "bs=1M", f"count={count}", "conv=fsync",
                                inside=disk.inside)
            (disk.mount / "by-dd").unlink()
            if LOW <= dd.rate <= HIGH:
                return
        self.skipTest(f"this machine is too busy: dd itself came to {dd.rate / 1e6:.1f} MB/s")

    def pairs(self, disk, dd_words, our_words, count=3, most=9):
        """Interleaved pairs; the medians, and our last run. A busy machine gets more pairs, as in tests/bench."""
        theirs, ours, run = [], [], None
        while len(ours) < count or (len(ours) < most and apart(ours, theirs) > APART):
            dd = ddtools.run_dd("if=/dev/zero", f"of={disk.mount}/by-dd", *dd_words, inside=disk.inside)
            theirs.append(dd.rate)
            (disk.mount / "by-dd").unlink()
            run = self.run_on(disk, "storage.write", disk.mount, *our_words)
            ours.append(program.result_of(run, "rate"))
        return statistics.median(theirs), statistics.median(ours), run

    def test_t2_device_series_is_flat(self):
        # The throttle lets lumps of up to 8 MiB through each 0.2 s; of 100 MiB they are smaller. Whoever writes
        # past it (the flusher of someone's sync) only adds, hence more than one try.
        with slowdisk.slow_disk(400) as disk:
            for _ in range(3):
                self.calm(disk)
                dd, ours, run = self.pairs(disk, ["bs=1M", "count=100", "conv=fsync"],
                                           ["--method=dd-fsync", "--bs=1M", "--count=100", "--interval=0.25"])
                series = rates(run, "device_written")
                if LOW <= min(dd, ours) and max(series) <= 60:
                    break
            for rate in (dd, ours):
                self.assertGreaterEqual(rate, LOW)
                self.assertLessEqual(rate, HIGH)
            self.assertLessEqual(abs(ours / dd - 1), APART, f"dd {dd / 1e6:.1f} ours {ours / 1e6:.1f} MB/s")
            self.assertLessEqual(max(series), 60, series)
            self.assertGreater(max(rates(run, "written")), 120)  # the application's spike
            self.assertEqual(total(run, "written"), 104857600)
            self.assertAlmostEqual(total(run, "device_written"), 104857600, delta=0.01 * 104857600)
            share = program.result_of(run, "sync_time") / program.result_of(run, "transfer_time")
            self.assertGreater(share, 0.8)
            self.assertEqual([p["name"] for p in run["phases"]], ["write", "fsync"])

    def test_t2_fsync_beside_dd(self):
        # 256 MiB: one lump of the throttle is 8 % of 100 MiB
        with slowdisk.slow_disk(600) as disk:
            self.calm(disk, count=256)
            dd, ours, _ = self.pairs(disk, ["bs=1M", "count=256", "conv=fsync"],
                                     ["--method=dd-fsync", "--bs=1M", "--count=256"])
            self.assertLessEqual(abs(ours / dd - 1), APART, f"dd {dd / 1e6:.1f} ours {ours / 1e6:.1f} MB/s")

    def test_direct_beside_dd(self):
        # 256 MiB: the throttle's first slice of 0.1 s is free, 4 % of a shorter run
        with slowdisk.slow_disk(600) as disk:
            dd, ours, run = self.pairs(disk, ["bs=1M", "count=256", "oflag=direct"],
                                       ["--method=dd-direct", "--bs=1M", "--count=256", "--interval=0.25"])
            self.assertLessEqual(abs(ours / dd - 1), APART, f"dd {dd / 1e6:.1f} ours {ours / 1e6:.1f} MB/s")
            self.assertEqual(run["facts"]["o_direct"], "honoured")
            self.assertTrue(run["facts"]["flush"].startswith("no flush"))
            self.assertLessEqual(max(rates(run, "written")), 60)

    def test_t3_sync_is_in_the_headline(self):
        with slowdisk.slow_disk(400) as disk:
            for _ in range(3):
                self.calm(disk)
                run = self.run_on(disk, "storage.write", disk.mount, "--method=dd-then-sync", "--bs=64K",
                                  "--count=1600")
                rate = program.result_of(run, "rate")
                if rate >= LOW:
                    break
            self.assertGreaterEqual(rate, LOW)
            self.assertLessEqual(rate, HIGH)
            self.assertAlmostEqual(rate * program.result_of(run, "real_time"), 104857600, delta=1)
            line = ddtools.DD_LINE.search(run["facts"]["dd-line"])
            self.assertEqual(int(line[1]), 104857600)
            self.assertGreater(int(line[1]) / float(line[2]), 2 * rate)
            self.assertEqual([p["name"] for p in run["phases"]], ["write", "fsync", "sync"])

    def test_reads_beside_dd(self):
        with slowdisk.slow_disk(600) as disk:
            self.run_on(disk, "storage.write", disk.mount, "--size=256M", "--file=data")
            for method, flags in (("dd-direct", ["iflag=direct"]), ("dd-cold", [])):
                theirs, ours = [], []
                while len(ours) < 3 or (len(ours) < 9 and apart(ours, theirs) > APART):
                    ddtools.run_dd(f"if={disk.mount}/data", "iflag=nocache", "count=0")
                    theirs.append(ddtools.run_dd(f"if={disk.mount}/data", "of=/dev/null", "bs=1M", *flags,
                                                 inside=disk.inside).rate)
                    run = self.run_on(disk, "storage.read", disk.mount, "--size=256M", "--file=data",
                                      f"--method={method}")
                    ours.append(program.result_of(run, "rate"))
                dd, rate = statistics.median(theirs), statistics.median(ours)
                self.assertLessEqual(abs(rate / dd - 1), APART, f"{method}: dd {dd / 1e6:.1f} ours {rate / 1e6:.1f}")

    def test_cancel_gives_the_mean_so_far(self):
        with slowdisk.slow_disk(400, write_mib=10) as disk:
            free, before = disk.free(), disk.stat()[1]
            argv = self.home.argv("run", "storage.write", disk.mount, "--method=dd-direct", "--size=200M", "--json",
                                  "--no-record")
            process = subprocess.Popen(disk.inside(argv), stdout=subprocess.PIPE, text=True, env=self.home.env,
                                       stdin=subprocess.DEVNULL)
            self.assertTrue(program.wait_for(lambda: disk.stat()[1] - before > 12 * MIB, 30))
            process.terminate()
            out, _ = process.communicate(timeout=30)
            run = program.json.loads(out)
            self.assertEqual(run["state"], "cancelled")
            self.assertTrue(run["partial"])
            self.assertLess(program.result_of(run, "rate"), 15e6)
            self.assertLess(total(run, "written"), 200 * MIB)
            self.assertIsNotNone(program.wait_for(lambda: abs(disk.free() - free) <= MIB, 10))

    def test_t6_filled_during_the_run(self):
        with slowdisk.slow_disk(400, write_mib=20) as disk:
            free = disk.free()
            argv = self.home.argv("run", "storage.write", disk.mount, "--method=dd-direct", "--size=200M", "--json",
                                  "--no-record")
            process = subprocess.Popen(disk.inside(argv), stdout=subprocess.PIPE, text=True, env=self.home.env,
                                       stdin=subprocess.DEVNULL)
            self.assertTrue(program.wait_for(lambda: free - disk.free() > 10 * MIB, 30))
            filler = disk.mount / "filler"
            with open(filler, "wb") as out:
                subprocess.run(["fallocate", "-l", str(disk.free() - 8 * MIB), str(filler)], check=True)
                self.assertGreater(out.fileno(), 0)
            out, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 1)
            run = program.json.loads(out)
            self.assertEqual(run["state"], "failed")
            self.assertRegex(str(run["error"]), "No space left on device after [0-9]+ of 209715200 bytes")
            self.assertIsNone(program.result_of(run, "rate"))
            self.assertGreater(total(run, "written"), 10 * MIB)
            filler.unlink()
            self.assertIsNotNone(program.wait_for(lambda: abs(disk.free() - free) <= MIB, 10))


@unittest.skipIf(slowdisk.why_not(), slowdisk.why_not())
class Refusals(DiskCase):
    def test_t6_too_large_is_refused_before_writing(self):
        with slowdisk.small_disk(272) as disk:
            before = disk.stat()[1]
            result = program.Result(disk.run(self.home.argv("run", "storage.write", disk.mount, "--size=500M",
                                                            "--json", "--no-record"), env=self.home.env))
            self.assertEqual(result.code, 3, result.err)
            sentence = str(result.json()["error"])
            self.assertRegex(sentence, r"524 MB .* need .* MB, .* MB are free; the largest size that fits is")
            self.assertLess(disk.stat()[1] - before, MIB)

    def test_strangers_file_is_left_alone(self):
        with slowdisk.small_disk(200) as disk:
            mine = disk.mount / "mine"
            mine.write_text("years of work")
            result = program.Result(disk.run(self.home.argv("run", "storage.write", disk.mount, "--size=1M",
                                                            "--file=mine", "--json", "--no-record"),
                                             env=self.home.env))
            self.assertIn(result.code, (1, 3))
            self.assertIn("did not write it", str(result.json()["error"]))
            self.assertEqual(mine.read_text(), "years of work")


@unittest.skipIf(slowdisk.why_not(), slowdisk.why_not())
class LostData(DiskCase):
    """The layer below runs full: buffered writes succeed, only fsync knows. No method may show a rate."""

    def test_each_method(self):
        for method in WRITE_METHODS:
            with self.subTest(method), slowdisk.starving_disk(300, backing_mib=48) as disk:
                run = self.run_on(disk, "storage.write", disk.mount, f"--method={method}", "--size=100M", code=1)
                self.assertEqual(run["state"], "failed")
                self.assertRegex(str(run["error"]), r"(No space left on device|Input/output error) after \d+ of "
                                                    r"104857600 bytes")
                self.assertIsNone(program.result_of(run, "rate"))
                self.assertNotIn("dd-line", run["facts"])
                if "direct" not in method:
                    self.assertIn("fsync", str(run["error"]))
                    self.assertEqual(total(run, "written"), 100 * MIB)  # what write() had accepted


class DdLine(program.Case):
    """The line is dd's, figure for figure: dd prints the same bytes part for the same amount."""

    def setUp(self):
        super().setUp()
        self.folder = slowdisk.own_folder(self)

    def test_amounts(self):
        for size in (512, 1000, 1536, 999999, 1500000, 9960000, 12500000):
            with self.subTest(size):
                run = self.run_json("storage.write", self.folder, f"--size={size}", "--bs=1M", "--no-record")
                dd = ddtools.run_dd("if=/dev/zero", "of=/dev/null", f"bs={size}", "count=1")
                self.assertEqual(run["facts"]["dd-line"].split(" copied")[0], dd.line.split(" copied")[0])
                seconds = program.result_of(run, "transfer_time")
                self.assertAlmostEqual(float(ddtools.DD_LINE.search(run["facts"]["dd-line"])[2]), seconds,
                                       delta=1e-5 * seconds)

    def test_command_by_hand_works(self):
        run = self.run_json("storage.write", self.folder, "--size=300000", "--bs=64K", "--no-record",
                            "--method=dd-direct-fsync")
        command = run["facts"]["by-hand"]
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, env=ddtools.ENV)
        self.assertEqual(done.returncode, 0, command + done.stderr)
        self.assertEqual(int(ddtools.DD_LINE.search(done.stderr)[1]), 300000)
        made = re.search(r"of=(\S+)", command)[1]
        self.assertEqual(pathlib.Path(made).stat().st_size, 300000)
        read = self.run_json("storage.read", self.folder, "--size=300000", "--bs=64K", "--no-record")
        done = subprocess.run(["sh", "-c", read["facts"]["by-hand"]], capture_output=True, text=True, check=False,
                              env=ddtools.ENV)
        self.assertEqual(done.returncode, 0, read["facts"]["by-hand"] + done.stderr)


class Crash(program.Case):
    """A killed run leaves a named file where the filesystem has no O_TMPFILE; the next start removes it."""

    def test_nothing_is_left_by_kill(self):
        self.folder = slowdisk.own_folder(self)
        inside = set(self.folder.iterdir())
        before = program.processes("iodyno-worker")
        process = self.home.start("run", "storage.write", self.folder, "--size=100M", "--method=dd-direct", "--bs=512",
                                  "--no-record", "--json")
        started = program.wait_for(lambda: set(program.processes("iodyno-worker")) - set(before), 10)
        self.assertTrue(started)
        time.sleep(0.2)
        process.kill()
        process.communicate(timeout=30)
        self.assertIsNotNone(program.wait_for(lambda: not started & set(program.processes("iodyno-worker")), 20))
        self.assertEqual(set(self.folder.iterdir()), inside)


if __name__ == "__main__":
    program.main()
