#!/usr/bin/env python3
"""Every way a disk can fail under a run: each ends in its own state with a sentence, keeps what it measured, and gives
the room back. Real failures where this kernel can make them, else a preloaded library that makes calls fail."""
import errno
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import frozen  # noqa: E402
import program  # noqa: E402
import slowdisk  # noqa: E402

MIB = 1 << 20
SHIM = program.BUILD / "tests/faults/shim.so"
RATES = ("rate", "iops", "write_rate")

# The errno, what it is called, what the sentence says of it.
FAULTS = ((errno.EIO, "Input/output error", "the device reports an error"),
          (errno.ETIMEDOUT, "Connection timed out", "the device reports an error"),
          (errno.ENOSPC, "No space left on device", "a layer below it is full"),
          (errno.EDQUOT, "Disk quota exceeded", "the quota of this user, group or project is used up"),
          (errno.EROFS, "Read-only file system", "has become read-only"),
          (errno.ECONNABORTED, "Software caused connection abort", "the process or server behind"),
          (errno.ENOTCONN, "Transport endpoint is not connected", "the process or server behind"))
GONE = (errno.ENODEV, errno.ENXIO, errno.ENOMEDIUM, errno.ESHUTDOWN)

# A test, its options, the call that fails, after how many of them, what it had moved by then.
CASES = (("storage.write", ("--size=64M",), "write", 20, ("written", 20 * MIB)),
         ("storage.write", ("--size=64M", "--method=dd-direct"), "write", 20, ("written", 20 * MIB)),
         ("storage.write", ("--size=64M", "--method=queue", "--engine=threads"), "write", 20, None),
         ("storage.write", ("--size=64M",), "fsync", 0, ("written", 64 * MIB)),
         ("storage.write", ("--size=64M", "--method=dd-direct"), "fsync", 0, ("written", 64 * MIB)),
         ("storage.write", ("--size=64M", "--method=dd-then-sync"), "fsync", 0, ("written", 64 * MIB)),
         ("storage.write", ("--size=64M",), "close", 0, ("written", 64 * MIB)),
         ("storage.read", ("--size=64M",), "read", 20, ("read", 20 * MIB)),
         ("storage.read", ("--size=64M",), "write", 20, ("read", 0)),
         ("storage.read", ("--size=64M", "--method=queue", "--engine=threads"), "read", 20, None),
         ("storage.random", ("--size=16M", "--depth=4", "--engine=threads", "--time=5"), "read", 500, None),
         ("storage.random", ("--size=16M", "--mode=write", "--time=5"), "write", 516, None),
         ("storage.table", ("--size=16M", "--engine=threads", "--time=1"), "read", 500, None),
         ("storage.verify", ("--size=64M",), "write", 20, ("written", 20 * MIB)),
         ("storage.verify", ("--size=64M",), "fsync", 0, ("written", 64 * MIB)),
         ("storage.verify", ("--size=64M",), "read", 20, ("read", 20 * MIB)))


def total(run, key):
    return sum(program.totals(run, key).values())


class FaultCase(program.Case):
    def left(self, disk):
        return sorted(entry.name for entry in disk.mount.iterdir() if entry.name != "lost+found")

    def run_on(self, disk, *words, code=0, env=None):
        argv = self.home.argv("run", *words, "--json", "--no-record")
        result = program.Result(disk.run(argv, env={**self.home.env, **(env or {})}))
        self.assertEqual(result.code, code, result.err + result.out[-1500:])
        return result.json()

    def check_failed(self, run, disk, free, state="failed"):
        self.assertEqual(run["state"], state)
        for key in RATES:
            self.assertIsNone(program.result_of(run, key), "a rate of what may be lost")
        self.assertIsNone(run["verdict"].get("fraction") if run["verdict"] else None)
        if free is not None:
            self.assertEqual(self.left(disk), [])
            self.assertIsNotNone(program.wait_for(lambda: abs(disk.free() - free) <= MIB, 10), "the room is not back")

    def started(self, disk, *words):
        argv = self.home.argv("run", *words, "--json", "--no-record")
        process = subprocess.Popen(disk.inside(argv), stdout=subprocess.PIPE, text=True, env=self.home.env,
                                   stdin=subprocess.DEVNULL)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def ended(self, process, code):
        out, _ = process.communicate(timeout=90)
        self.assertEqual(process.returncode, code, out[-1500:])
        return program.json.loads(out)


@unittest.skipIf(slowdisk.why_not(), slowdisk.why_not())
class Calls(FaultCase):
    """One call fails, whatever the reason."""

    def shim(self, disk, call, number, after):
        return {"LD_PRELOAD": str(SHIM), "SHIM_FOLDER": str(disk.mount), "SHIM_CALL": call,
                "SHIM_ERRNO": str(number), "SHIM_AFTER": str(after),
                "ASAN_OPTIONS": self.home.env["ASAN_OPTIONS"] + ":verify_asan_link_order=0"}

    def test_each_reason(self):
        with slowdisk.small_disk(300) as disk:
            free = disk.free()
            for number, name, hint in FAULTS:
                for test, options, call, after, _ in (CASES[0], CASES[3], CASES[7], CASES[10], CASES[13]):
                    with self.subTest(name, test=test, call=call):
                        run = self.run_on(disk, test, disk.mount, *options, code=1,
                                          env=self.shim(disk, call, number, after))
                        self.assertIn(f"failed: {name} after", run["error"])
                        self.assertIn(hint, run["error"])
                        self.check_failed(run, disk, free)

    def test_each_call(self):
        with slowdisk.small_disk(300) as disk:
            free = disk.free()
            for test, options, call, after, moved in CASES:
                with self.subTest(test, options=options, call=call):
                    run = self.run_on(disk, test, disk.mount, *options, code=1,
                                      env=self.shim(disk, call, errno.EIO, after))
                    self.assertIn("failed: Input/output error after", run["error"])
                    if moved:
                        self.assertEqual(total(run, moved[0]), moved[1])  # what was measured is kept
                    self.check_failed(run, disk, free)

    def test_a_removal_is_a_state_of_its_own(self):
        with slowdisk.small_disk(300) as disk:
            free = disk.free()
            for number in GONE:
                for test, options, call, after, moved in (CASES[0], CASES[3], CASES[7], CASES[11]):
                    with self.subTest(os.strerror(number), test=test, call=call):
                        run = self.run_on(disk, test, disk.mount, *options, code=4,
                                          env=self.shim(disk, call, number, after))
                        self.assertIn("the device was removed", run["error"])
                        if moved:
                            self.assertEqual(total(run, moved[0]), moved[1])
                        self.check_failed(run, disk, free, "removed")

    def test_the_shim_itself_changes_nothing(self):
        with slowdisk.small_disk(300) as disk:
            run = self.run_on(disk, "storage.write", disk.mount, "--size=16M",
                              env=self.shim(disk, "write", errno.EIO, 16))
            self.assertGreater(program.result_of(run, "rate"), 0)


@unittest.skipIf(slowdisk.why_not(throttle=True), slowdisk.why_not(throttle=True))
class Real(FaultCase):
    """What this kernel can do to a file system under a run."""

    def test_turned_read_only(self):
        with slowdisk.slow_disk(300, write_mib=20) as disk:
            process = self.started(disk, "storage.write", disk.mount, "--size=200M", "--method=dd-direct", "--bs=64K")
            begin = disk.stat()[1]
            self.assertTrue(program.wait_for(lambda: disk.stat()[1] - begin > 8 * MIB, 20))
            subprocess.run(["mount", "-o", "remount,abort", str(disk.mount)], check=True)
            run = self.ended(process, 1)
            self.assertRegex(run["error"], "Read-only file system|Input/output error")
            self.assertRegex(run["error"], "read-only$")
            self.assertGreater(total(run, "written"), 4 * MIB)
            self.check_failed(run, disk, None)  # nothing can be given back there
            again = self.run_on(disk, "storage.write", disk.mount, "--size=8M", code=3)
            self.assertEqual(again["state"], "refused")
            self.assertRegex(again["error"], "[Rr]ead-only")

    def test_a_read_error(self):
        """Half of what the file lies on is cut away below the loop device."""
        with slowdisk.slow_disk(300) as disk:
            disk.limit()
            self.run_on(disk, "storage.write", disk.mount, "--size=100M", "--file=kept")
            subprocess.run(["umount", str(disk.mount)], check=True)
            subprocess.run(["mount", disk.device, str(disk.mount)], check=True)
            size = disk.image.stat().st_size
            os.truncate(disk.image, 60 * MIB)
            try:
                run = self.run_on(disk, "storage.read", disk.mount, "--size=100M", "--file=kept", code=1)
                self.assertIn("read on", run["error"])
                self.assertRegex(run["error"], "Input/output error after [0-9]+ of 104857600 bytes: the device reports")
                self.check_failed(run, disk, None)
            finally:
                os.truncate(disk.image, size)

    def test_a_stall(self):
        with slowdisk.slow_disk(300, write_mib=20) as disk:
            free = disk.free()
            process = self.started(disk, "storage.write", disk.mount, "--size=100M", "--method=dd-direct", "--bs=64K")
            begin = disk.stat()[1]
            self.assertTrue(program.wait_for(lambda: disk.stat()[1] - begin > 8 * MIB, 20))
            with frozen.frozen(disk.mount) as thaw:
                program.wait_for(lambda: False, 3.5)
                thaw()
            run = self.ended(process, 0)
            self.assertEqual(run["state"], "done")
            self.assertIn("stalled", [event["code"] for event in run["events"]])
            self.assertGreaterEqual(program.result_of(run, "stalls_count"), 1)
            self.assertGreaterEqual(program.result_of(run, "latency_max"), 3)
            self.assertEqual(total(run, "written"), 100 * MIB)
            self.assertIsNotNone(program.wait_for(lambda: abs(disk.free() - free) <= MIB, 10))

    @unittest.skipIf(slowdisk.lacks("btrfs") or not shutil.which("btrfs"), "needs btrfs and its tools")
    def test_a_quota(self):
        with slowdisk.bare_disk(600, "btrfs") as bare, slowdisk.mounted(bare) as disk:
            subprocess.run(["btrfs", "quota", "enable", str(disk.mount)], check=True, capture_output=True)
            subprocess.run(["btrfs", "qgroup", "limit", "40M", str(disk.mount)], check=True, capture_output=True)
            for method in ("dd-direct", "dd-fsync"):
                run = self.run_on(disk, "storage.write", disk.mount, "--size=200M", f"--method={method}", code=1)
                self.assertRegex(run["error"], "Disk quota exceeded after [0-9]+ of 209715200 bytes: the quota of")
                self.assertGreater(total(run, "written"), MIB)
                self.check_failed(run, disk, None)
                self.assertEqual(self.left(disk), [])

    def test_terminated_while_it_writes(self):
        with slowdisk.slow_disk(300, write_mib=20) as disk:
            free = disk.free()
            process = self.started(disk, "storage.write", disk.mount, "--size=200M", "--method=dd-direct", "--bs=64K")
            begin = disk.stat()[1]
            self.assertTrue(program.wait_for(lambda: disk.stat()[1] - begin > 30 * MIB, 20))  # a second has been told
            workers = [pid for child in program.children(process.pid) + [process.pid]
                       for pid in program.children(child) + [child]
                       if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == "iodyno-worker"]
            os.kill(workers[0], signal.SIGKILL)
            run = self.ended(process, 1)
            self.assertIn("Killed", run["error"])
            self.assertGreater(total(run, "written"), 0)
            self.check_failed(run, disk, free)


@unittest.skipIf(slowdisk.why_not(), slowdisk.why_not())
class Sectors(FaultCase):
    """A disk whose sectors have 4096 bytes takes no smaller request."""

    def test_sectors_of_4096_bytes(self):
        with slowdisk.bare_disk(300, "ext4", sector=4096) as bare, slowdisk.mounted(bare) as disk:
            free = disk.free()
            self.assertEqual(pathlib.Path(f"/sys/block/{disk.name}/queue/logical_block_size").read_text().strip(),
                             "4096")
            for method in ("dd-direct", "dd-direct-fsync", "queue"):
                run = self.run_on(disk, "storage.write", disk.mount, "--bs=512", "--size=8K", f"--method={method}",
                                  code=3)
                self.assertIn("multiple of the disk's logical block", run["error"])
            run = self.run_on(disk, "storage.random", disk.mount, "--bs=512", "--size=1M", code=3)
            self.assertIn("multiple of the disk's logical block", run["error"])
            for words in (("storage.write", "--bs=512", "--size=1M"),  # through RAM any size goes
                          ("storage.write", "--bs=4K", "--size=1M", "--method=dd-direct"),
                          ("storage.write", "--bs=1M", "--size=5000000", "--method=dd-direct"),
                          ("storage.write", "--size=16M", "--method=queue"),
                          ("storage.read", "--size=5000000"), ("storage.read", "--bs=4K", "--size=1M"),
                          ("storage.random", "--size=4M", "--time=100ms"),
                          ("storage.table", "--size=4M", "--time=50ms"), ("storage.verify", "--size=16M")):
                with self.subTest(words):
                    run = self.run_on(disk, words[0], disk.mount, *words[1:])
                    self.assertEqual(run["state"], "done")
                    self.assertEqual(self.left(disk), [])
            self.assertLessEqual(abs(disk.free() - free), MIB)

    def test_raw(self):
        with slowdisk.bare_disk(64, "ext4", sector=4096) as disk:
            run = self.run_on(disk, "storage.read", disk.name, "--bs=512", "--size=1M", code=3)
            self.assertIn("multiple of the disk's logical block", run["error"])
            run = self.run_on(disk, "storage.read", disk.name, "--bs=4K", "--size=1M")
            self.assertEqual(total(run, "read"), MIB)


if __name__ == "__main__":
    program.main()
