#!/usr/bin/env python3
"""storage.verify that was broken off goes on: after a cancel, a kill, a removal, a power cut; and finds what was damaged
meanwhile."""
import errno
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import program  # noqa: E402
import slowdisk  # noqa: E402

MIB = 1 << 20
SIZE = 64 * MIB
SHIM = program.BUILD / "tests/faults/shim.so"
NO_DISK = slowdisk.why_not(throttle=True)


def total(run, key):
    return sum(program.totals(run, key).values())


@unittest.skipIf(NO_DISK, NO_DISK)
class Resume(program.Case):
    def setUp(self):
        super().setUp()
        self.disk = self.enterContext(slowdisk.slow_disk(300, write_mib=30, read_mib=30))
        self.free = self.disk.free()

    def files(self, mount=None):
        return sorted(entry.name for entry in (mount or self.disk.mount).iterdir() if entry.name.startswith(".iodyno"))

    def start(self, *words):
        argv = self.home.argv("run", "storage.verify", self.disk.mount, "--json", "--no-record", *words)
        process = subprocess.Popen(self.disk.inside(argv), stdout=subprocess.PIPE, text=True, env=self.home.env,
                                   stdin=subprocess.DEVNULL)
        self.addCleanup(lambda: process.poll() is None and (process.kill(), process.wait()))
        self.addCleanup(process.stdout.close)
        return process

    def end(self, process, code):
        out, _ = process.communicate(timeout=90)
        self.assertEqual(process.returncode, code, out[-1500:])
        return program.json.loads(out)

    def worker(self, process):
        def find():
            pids = [process.pid, *program.children(process.pid)]
            pids += [grandchild for child in pids[1:] for grandchild in program.children(child)]
            for pid in pids:
                try:
                    if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == "iodyno-worker" and any(
                            ".iodyno-verify" in os.readlink(f"/proc/{pid}/fd/{fd}") for fd in
                            os.listdir(f"/proc/{pid}/fd")):
                        return pid
                except OSError:
                    continue
            return None
        return program.wait_for(find, 10)

    def reach(self, read_mib=0, write_mib=0):
        """Waits until the disk has moved so much from now on."""
        begin = self.disk.stat()
        self.assertTrue(program.wait_for(
            lambda: all(now - then >= most * MIB for now, then, most in
                        zip(self.disk.stat(), begin, (read_mib, write_mib))), 30))

    def break_off(self, write_mib=20, read_mib=0):
        process = self.start(f"--size={SIZE}")
        self.reach(write_mib=write_mib)
        if read_mib:
            self.reach(read_mib=read_mib)
        process.send_signal(signal.SIGINT)
        run = self.end(process, 130)
        self.assertEqual(run["state"], "cancelled")
        self.assertIn("go on with --resume", run["facts"]["kept"])
        self.assertGreater(program.result_of(run, "remaining"), 0)
        return run

    def resume(self, *words, code=0, mount=None):
        self.disk.limit()
        return self.run_json("storage.verify", mount or self.disk.mount, "--resume", *words, code=code)

    def check_clean(self):
        self.assertEqual(self.files(), [])
        self.assertIsNotNone(program.wait_for(lambda: abs(self.disk.free() - self.free) <= MIB, 10))

    def test_after_a_cancel_while_writing(self):
        first = self.break_off()
        written = total(first, "written")
        self.assertLess(written, SIZE)
        self.assertEqual(program.result_of(first, "remaining"), SIZE)
        name, stamp = self.files()
        self.assertTrue(stamp.endswith(".stamp"))
        self.assertEqual((self.disk.mount / name).stat().st_size, written)
        run = self.resume()
        self.assertEqual(run["state"], "done")
        self.assertEqual([phase["name"] for phase in run["phases"]], ["check", "write", "read"])
        self.assertEqual(total(run, "written"), SIZE - written)
        self.assertEqual(total(run, "read"), SIZE + written)
        self.assertEqual(program.result_of(run, "verified"), SIZE)
        self.assertEqual(program.result_of(run, "remaining"), 0)
        self.assertIn(f"{written} of {SIZE} bytes", run["facts"]["resumed"])
        self.check_clean()

    def test_after_a_cancel_while_reading(self):
        first = self.break_off(write_mib=63, read_mib=20)
        self.assertGreater(program.result_of(first, "verified"), 0)
        self.assertEqual(program.result_of(first, "remaining"), SIZE - total(first, "read"))
        run = self.resume(f"--size={SIZE}")
        self.assertEqual([phase["name"] for phase in run["phases"]], ["read"])
        self.assertEqual(program.result_of(run, "verified"), SIZE)
        self.assertEqual(total(run, "written"), 0)
        self.check_clean()

    def test_damage_in_between(self):
        self.break_off()
        name = self.files()[0]
        with open(self.disk.mount / name, "r+b", buffering=0) as data:
            data.seek(5 * MIB + 512 * 3 + 100)
            data.write(b"\x55\xaa")
            os.fsync(data.fileno())
        run = self.resume(code=1)
        self.assertEqual(run["state"], "failed")
        self.assertIn(f"in {name} at byte {5 * MIB + 512 * 3}", run["error"])
        self.assertIn("1 of ", run["error"])
        self.assertEqual(program.result_of(run, "wrong_sectors"), 1)
        self.assertEqual(program.result_of(run, "first_wrong"), 5 * MIB + 512 * 3)
        self.check_clean()

    def test_after_a_kill(self):
        """kill -9 of the worker: nothing was tidied up."""
        process = self.start(f"--size={SIZE}")
        self.reach(write_mib=20)
        os.kill(self.worker(process), signal.SIGKILL)
        self.end(process, 1)
        self.assertEqual(len(self.files()), 2)
        run = self.resume()
        self.assertEqual(program.result_of(run, "verified"), SIZE)
        self.check_clean()

    def test_after_a_power_cut(self):
        """What stood on the device at one moment, and nothing of what was in RAM."""
        process = self.start(f"--size={SIZE}")
        self.reach(write_mib=30)
        worker = self.worker(process)
        os.kill(worker, signal.SIGSTOP)
        with slowdisk.bare_disk(300) as after:
            with open(self.disk.device, "rb") as source, open(after.device, "wb") as target:
                shutil.copyfileobj(source, target, MIB)
            os.kill(worker, signal.SIGCONT)
            process.send_signal(signal.SIGINT)
            self.end(process, 130)
            pathlib.Path("/proc/sys/vm/drop_caches").write_text("1", encoding="ascii")
            with slowdisk.mounted(after):
                self.assertEqual(len(self.files(after.mount)), 2)
                run = self.run_json("storage.verify", after.mount, "--resume")
                self.assertEqual(program.result_of(run, "verified"), SIZE)
                self.assertEqual(self.files(after.mount), [])

    def test_after_a_removal(self):
        shim = {"LD_PRELOAD": str(SHIM), "SHIM_FOLDER": str(self.disk.mount), "SHIM_CALL": "write",
                "SHIM_ERRNO": str(errno.ENODEV), "SHIM_AFTER": "20",
                "ASAN_OPTIONS": self.home.env["ASAN_OPTIONS"] + ":verify_asan_link_order=0"}
        self.disk.limit()
        run = self.run_json("storage.verify", self.disk.mount, f"--size={SIZE}", code=4, env=shim)
        self.assertEqual(run["state"], "removed")
        self.assertIn("go on with --resume", run["facts"]["kept"])
        self.assertEqual(program.result_of(run, "remaining"), SIZE)
        run = self.resume()
        self.assertEqual(program.result_of(run, "verified"), SIZE)
        self.check_clean()

    def test_on_a_device_that_is_not_mounted(self):
        self.break_off()
        subprocess.run(["umount", str(self.disk.mount)], check=True)
        try:
            self.disk.limit()
            run = self.run_json("storage.verify", self.disk.name, "--resume", f"--confirm={self.disk.name}")
            self.assertEqual(program.result_of(run, "verified"), SIZE)
        finally:
            subprocess.run(["mount", self.disk.device, str(self.disk.mount)], check=True)
        self.check_clean()

    def test_without_the_word_it_begins_anew(self):
        self.break_off()
        old = self.files()
        self.disk.limit()
        self.run_json("storage.write", self.disk.mount, "--size=8M")  # others leave it alone
        self.assertEqual(self.files(), old)
        run = self.run_json("storage.verify", self.disk.mount, "--size=16M")
        self.assertEqual(program.result_of(run, "verified"), 16 * MIB)
        self.check_clean()
        run = self.resume(code=3)
        self.assertIn("holds nothing that an earlier verify left", run["error"])

    def test_another_run_is_on_it(self):
        process = self.start(f"--size={SIZE}")
        self.reach(write_mib=10)
        run = self.run_json("storage.verify", self.disk.mount, "--resume", code=3)
        self.assertEqual(run["state"], "refused")
        process.send_signal(signal.SIGINT)
        self.end(process, 130)


if __name__ == "__main__":
    program.main()
