#!/usr/bin/env python3
"""Devices with a file system that is not mounted: written to with a person's word only, mounted where nobody sees it."""
import errno
import fcntl
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
WRITERS = ("storage.write", "storage.random", "storage.table", "storage.verify")
FLAGS = {"rw", "nosuid", "nodev", "noexec"}


def is_free(device):
    """Nobody holds it, in whatever namespace it may be mounted."""
    try:
        os.close(os.open(device, os.O_RDONLY | os.O_EXCL))
        return True
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        return False


def mounts_of(pid, disk):
    """(point, options) of the device's mounts as that process sees them."""
    number = pathlib.Path(f"/sys/block/{disk.name}/dev").read_text(encoding="ascii").strip()
    try:
        lines = pathlib.Path(f"/proc/{pid}/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # a child that has just ended
        return []
    return [(line.split()[4], set(line.split()[5].split(","))) for line in lines if line.split()[2] == number]


def nodes_open():
    with slowdisk.bare_disk(1) as disk:
        try:
            return is_free(disk.device)
        except OSError:
            return False


NO_DISK = slowdisk.why_not() or (None if nodes_open() else "block nodes cannot be opened here")


@unittest.skipIf(NO_DISK, NO_DISK)
class PrivateCase(program.Case):
    def refused(self, disk, *words, test="storage.write"):
        """Exit code 3, the sentence comes back; nothing was written and nobody holds the device."""
        before = disk.stat()[1]
        run = self.run_json(test, disk.name, *words, code=3)
        self.assertEqual(run["state"], "refused")
        self.assertEqual(disk.stat()[1], before, "a refusal wrote to the device")
        return str(run["error"])

    def started(self, disk, *words):
        """A long run on the device; its owner and its worker's pid, once it writes."""
        owner = self.home.start("run", "storage.write", disk.name, "--size=500M", "--bs=64K", "--method=dd-direct",
                                f"--confirm={disk.name}", "--no-record", *words)
        self.addCleanup(lambda: (owner.kill(), owner.communicate()))
        begun = program.wait_for(lambda: [pid for pid in program.children(owner.pid) if mounts_of(pid, disk)], 20)
        self.assertTrue(begun, "no worker mounted it")
        return owner, begun[0]


class Blank(PrivateCase):
    def test_it_gets_the_command_as_text(self):
        with slowdisk.bare_disk(64) as disk:
            for test in WRITERS:
                for words in ([], [f"--confirm={disk.name}"]):
                    self.assertIn(f"mkfs.ext4 {disk.device}", self.refused(disk, *words, test=test))
            with open(disk.image, "rb") as image:
                self.assertEqual(image.read().count(0), 64 * MIB)

    def test_the_command_works(self):
        with slowdisk.bare_disk(200) as disk:
            sentence = self.refused(disk)
            command = sentence[sentence.index("mkfs."):].split()
            subprocess.run(command, check=True, capture_output=True,
                           env={**os.environ, "PATH": slowdisk.PATH}, stdin=subprocess.DEVNULL)
            run = self.run_json("storage.write", disk.name, "--size=8M", f"--confirm={disk.name}")
            self.assertEqual(run["state"], "done")


class Confirm(PrivateCase):
    def test_the_word_names_the_device(self):
        with slowdisk.bare_disk(300, "ext4") as disk:
            for test in WRITERS:
                sentence = self.refused(disk, test=test)
                self.assertIn("ext4", sentence)
                self.assertIn(f"--confirm={disk.name}", sentence)
            sentence = self.refused(disk, "--confirm=sdz9", "--confirm=sdz8")
            self.assertIn("--confirm=sdz8 names something else", sentence)
            self.assertTrue(sentence.endswith(f"--confirm={disk.name}"), sentence)
            self.refused(disk, "--raw=no", test="storage.read")

    def test_each_test_runs_with_it(self):
        words = {"storage.write": ("--size=16M",), "storage.random": ("--size=16M", "--time=200ms"),
                 "storage.table": ("--size=16M", "--time=50ms"), "storage.verify": ("--size=16M",),
                 "storage.read": ("--size=16M", "--raw=no")}
        with slowdisk.bare_disk(300, "ext4") as disk:
            for test, options in words.items():
                run = self.run_json(test, disk.name, *options, "--confirm=other", f"--confirm={disk.name}")
                self.assertEqual(run["state"], "done", test)
                self.assertIn(f"ext4 of {disk.device}", run["facts"]["mount"])
                self.assertEqual(mounts_of("self", disk), [])
                self.assertTrue(is_free(disk.device), test)
            with slowdisk.mounted(disk):
                self.assertEqual([e.name for e in disk.mount.iterdir()], ["lost+found"])

    def test_a_kept_file_is_there_afterwards(self):
        with slowdisk.bare_disk(300, "ext4") as disk:
            self.run_json("storage.write", disk.name, "--size=8M", "--file=data", f"--confirm={disk.name}")
            self.run_json("storage.read", disk.name, "--raw=no", "--file=data", f"--confirm={disk.name}")
            with slowdisk.mounted(disk):
                self.assertEqual((disk.mount / "data").stat().st_size, 8 * MIB)

    def test_reading_a_file_mounts_it_for_reading_only(self):
        with slowdisk.bare_disk(300, "ext4") as disk:
            self.run_json("storage.write", disk.name, "--size=8M", "--file=data", f"--confirm={disk.name}")
            run = self.run_json("storage.read", disk.name, "--raw=no", "--file=data", f"--confirm={disk.name}")
            self.assertIn("noexec,ro", run["facts"]["mount"])

    def check_kind(self, kind, size_mib):
        """Told from its first bytes, whether or not this kernel could mount it."""
        if slowdisk.lacks_maker(kind):
            self.skipTest(slowdisk.lacks_maker(kind))
        with slowdisk.bare_disk(size_mib, kind) as disk:
            self.assertIn(f"it holds {kind}", self.refused(disk))
            if slowdisk.lacks(kind):
                self.assertIn(f"this kernel has no {kind}", self.refused(disk, f"--confirm={disk.name}"))
                self.assertTrue(is_free(disk.device))
                return
            run = self.run_json("storage.write", disk.name, "--size=8M", f"--confirm={disk.name}")
            self.assertEqual(run["facts"]["file-system"], kind)
            self.assertTrue(is_free(disk.device))

    def test_xfs(self):
        self.check_kind("xfs", 400)

    def test_btrfs(self):
        self.check_kind("btrfs", 400)

    def test_vfat(self):
        self.check_kind("vfat", 200)

    def test_exfat(self):
        self.check_kind("exfat", 200)

    def test_an_open_journal_is_named_and_replayed(self):
        with slowdisk.bare_disk(300, "ext4") as disk, slowdisk.bare_disk(300) as copy:
            with slowdisk.mounted(disk):
                (disk.mount / "file").write_bytes(b"x" * 4096)
                os.sync()
                with open(disk.image, "rb") as source, open(copy.device, "wb") as target:  # as a power cut leaves it
                    shutil.copyfileobj(source, target, MIB)
            self.assertIn("its journal is open: the mount replays it, a write by the kernel", self.refused(copy))
            run = self.run_json("storage.write", copy.name, "--size=8M", f"--confirm={copy.name}")
            self.assertIn("its journal was open, and the mount replayed it", run["facts"]["mount"])
            self.assertIn("its journal is closed", self.refused(copy))

    def test_what_is_no_file_system(self):
        with slowdisk.bare_disk(64) as disk:
            subprocess.run(["mkswap", disk.device], check=True, capture_output=True,
                           env={**os.environ, "PATH": slowdisk.PATH})
            self.assertIn("holds swap space: no file system", self.refused(disk, f"--confirm={disk.name}"))
        with slowdisk.bare_disk(64) as disk:
            with open(disk.device, "r+b") as out:
                out.write(b"holiday photographs")
            self.assertIn("iodyno does not know", self.refused(disk, f"--confirm={disk.name}"))

    def test_a_damaged_one_is_a_sentence(self):
        with slowdisk.bare_disk(64, "ext4") as disk:
            with open(disk.device, "r+b") as out:
                out.seek(1024 + 24)
                out.write(b"\xff" * 4)  # no such block size
            self.assertIn("its file system is damaged", self.refused(disk, f"--confirm={disk.name}"))
            self.assertTrue(is_free(disk.device))


@unittest.skipIf(slowdisk.lacks("vfat"), slowdisk.lacks("vfat"))
class Fat(PrivateCase):
    """Above 4 GiB - 1 the data is in several files."""

    def test_more_than_a_file_takes(self):
        with slowdisk.bare_disk(6000, "vfat") as disk:
            run = self.run_json("storage.write", disk.name, "--size=4500M", "--file=data", f"--confirm={disk.name}")
            self.assertEqual(run["state"], "done")
            self.assertIn("5 files of 1073741824 bytes (the last is shorter): vfat", run["facts"]["split"])
            self.assertIn(", in 5 files", run["facts"]["dd-line"])
            self.assertEqual(sum(program.totals(run, "written").values()), 4500 * MIB)
            run = self.run_json("storage.read", disk.name, "--raw=no", "--size=4500M", "--file=data",
                                f"--confirm={disk.name}")
            self.assertEqual(sum(program.totals(run, "read").values()), 4500 * MIB)


class Held(PrivateCase):
    def test_by_another_program(self):
        with slowdisk.bare_disk(64, "ext4") as disk:
            holder = os.open(disk.device, os.O_RDONLY | os.O_EXCL)
            try:
                for words in ([], [f"--confirm={disk.name}"]):
                    self.assertIn(f"{disk.name} is in use", self.refused(disk, *words))
            finally:
                os.close(holder)

    def test_by_a_mount_elsewhere(self):
        with slowdisk.bare_disk(64, "ext4") as disk:
            script = f"mount {disk.device} {disk.mount} && echo mounted && read line"
            other = subprocess.Popen(["unshare", "--mount", "sh", "-c", script], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, env={**os.environ, "PATH": slowdisk.PATH})
            try:
                self.assertEqual(other.stdout.readline(), b"mounted\n")
                self.assertIn("mounted where this one cannot see it",
                              self.refused(disk, f"--confirm={disk.name}"))
            finally:
                other.communicate(b"\n")
            self.assertTrue(program.wait_for(lambda: is_free(disk.device), 5))

    @unittest.skipUnless(shutil.which("setpriv"), "setpriv is not installed")
    def test_without_root(self):
        with slowdisk.bare_disk(64, "ext4") as disk:
            for mode in (0o660, 0o666):
                before = os.stat(disk.device).st_mode & 0o777
                os.chmod(disk.device, mode)
                try:
                    argv = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                            *self.home.argv("run", "storage.write", disk.name, "--no-record",
                                            f"--confirm={disk.name}")]
                    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60,
                                          env={**self.home.env, "HOME": "/", "XDG_RUNTIME_DIR": "/nonexistent",
                                               "XDG_CONFIG_HOME": "/nonexistent"}, cwd="/")
                finally:
                    os.chmod(disk.device, before)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("takes root (CAP_SYS_ADMIN)", done.stderr)


class Ends(PrivateCase):
    """However a run ends, the mount ends with it; outside, it was never seen."""

    def test_it_is_seen_by_the_run_alone(self):
        with slowdisk.bare_disk(800, "ext4") as disk:
            owner, worker = self.started(disk)
            (point, options), = mounts_of(worker, disk)
            self.assertLessEqual(FLAGS, options)
            self.assertEqual(mounts_of("self", disk), [])
            self.assertFalse(os.path.exists(point), "a folder was made outside")
            self.assertFalse(is_free(disk.device))
            owner.send_signal(signal.SIGINT)
            owner.communicate(timeout=30)
            self.assertEqual(owner.returncode, 130)
            self.assertTrue(is_free(disk.device), "a cancelled run left its mount")
            with slowdisk.mounted(disk):
                self.assertEqual([e.name for e in disk.mount.iterdir()], ["lost+found"])

    def test_kill_of_the_worker(self):
        with slowdisk.bare_disk(800, "ext4") as disk:
            owner, worker = self.started(disk)
            os.kill(worker, signal.SIGKILL)
            owner.communicate(timeout=30)
            self.assertEqual(owner.returncode, 1)
            self.assertTrue(program.wait_for(lambda: is_free(disk.device), 5), "the mount outlived its process")

    def test_kill_of_the_owner(self):
        with slowdisk.bare_disk(800, "ext4") as disk:
            owner, _ = self.started(disk)
            owner.kill()
            owner.communicate(timeout=30)
            self.assertTrue(program.wait_for(lambda: is_free(disk.device), 20), "the mount outlived its run")
            with slowdisk.mounted(disk):
                self.assertEqual([e.name for e in disk.mount.iterdir()], ["lost+found"])

    def test_a_failure(self):
        """More than the file system holds: refused after the mount, which must end too."""
        with slowdisk.bare_disk(100, "ext4") as disk:
            run = self.run_json("storage.write", disk.name, "--size=500M", f"--confirm={disk.name}", code=3)
            self.assertIn("too little room", str(run["error"]))
            self.assertIn(disk.name, str(run["error"]))
            self.assertTrue(is_free(disk.device))

    def test_other_disks_are_not_kept_busy(self):
        with slowdisk.bare_disk(800, "ext4") as disk, slowdisk.bare_disk(64, "ext4") as other:
            with slowdisk.mounted(other):
                _, worker = self.started(disk)
                os.kill(worker, signal.SIGSTOP)  # so that it is still there
            try:
                self.assertTrue(is_free(other.device), "the run's namespace holds a disk that was unmounted")
            finally:
                os.kill(worker, signal.SIGCONT)

    def test_another_run_comes_first(self):
        """Whoever holds the disk's lock, as a run that reads it raw does, is not disturbed by a mount."""
        with slowdisk.bare_disk(64, "ext4") as disk, open(f"/sys/block/{disk.name}/stat", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            sentence = self.refused(disk, f"--confirm={disk.name}")
            self.assertRegex(sentence, "in use|busy|another")
            self.assertNotIn("another program holds it", sentence)


if __name__ == "__main__":
    program.main()
