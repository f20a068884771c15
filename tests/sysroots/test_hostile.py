#!/usr/bin/env python3
"""Recorded machines whose texts are missing, empty, binary, huge, endless or no files at all: the list ends soon, with
exit 0, and gives no device another kind. And what a scan costs, counted."""
import json
import os
import pathlib
import random
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lib"), str(HERE)]

import make  # noqa: E402
import program  # noqa: E402

LIMIT_S = 20
ROUNDS = 12  # per tree
TREES = ["f3-bpi-m2z", "f10-slots", "f20-reviews", "usb-slow", "btrfs", "f8-stb"]


def fifo(path):
    os.mkfifo(path)


def link(target):
    return lambda path: path.symlink_to(target)


def content(data):
    return lambda path: path.write_bytes(data)


DAMAGE = {
    "missing": lambda path: None, "empty": content(b""), "pipe": fifo, "folder": pathlib.Path.mkdir,
    "binary": content(bytes(range(256)) * 8), "huge": content(b"9" * (8 << 20)), "blanks": content(b" \n" * 3000),
    "negative": content(b"-1\n"), "too big": content(b"99999999999999999999999\n"), "nul": content(b"\0" * 64),
    "endless": link("/dev/zero"), "outside": link("/etc/passwd"), "loop": link("size"),
    "long line": content(b"a" * 100000), "utf-8": content("\u202e\x9b[2J".encode("utf-8", "surrogateescape")),
}


if os.geteuid() == 0:  # zeros without end, from a device in the tree itself
    DAMAGE["device"] = lambda path: os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))


def kinds(root):
    done = subprocess.run([program.BUILD / "bin/iodyno", "list", "--json", "--all", "--sysroot", root],
                                  capture_output=True, timeout=LIMIT_S, check=False)
    if done.returncode != 0:
        raise AssertionError(f"exit {done.returncode}: {done.stderr[-2000:]}")
    devices = json.loads(done.stdout)["devices"]
    return {d["id"]: d["kind"] for d in devices}, done.stderr


class Hostile(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="iodyno-hostile-"))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def texts(self, root):
        return sorted(p for p in root.rglob("*") if p.is_file() and not p.is_symlink())

    def assert_kinds(self, healthy, damaged, about):
        """What cannot be told any more is a "disk" or gone, never something else. A driver link or a folder is never
        damaged here, so only `type` and `partition` can make a kind unknown."""
        for device, kind in damaged.items():
            if device in healthy:
                self.assertIn(kind, (healthy[device], "disk"), f"{about}: {device}")

    def test_one_bad_text(self):
        dice = random.Random(20261)
        for name in TREES:
            root = make.make(self.folder, name)
            healthy, _ = kinds(root)
            for _ in range(ROUNDS):
                path = dice.choice(self.texts(root))
                if path.name in ("partition", "type"):  # taken one by one below
                    continue
                kind = dice.choice(sorted(DAMAGE))
                before = path.read_bytes()
                path.unlink()
                DAMAGE[kind](path)
                about = f"{name}: {path.relative_to(root)} {kind}"
                try:
                    damaged, _ = kinds(root)
                except subprocess.TimeoutExpired:
                    self.fail(f"{about}: the list hangs")
                except AssertionError as error:
                    self.fail(f"{about}: {error}")
                self.assert_kinds(healthy, damaged, about)
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
                path.write_bytes(before)

    def test_each_damage_of_each_attribute(self):
        root = make.make(self.folder, "f2-beaglebone")
        healthy, _ = kinds(root)
        disk = root / "sys/devices/platform/ocp/48060000.mmc/mmc_host/mmc0/mmc0:aaaa"
        for attribute in ("type", "name", "cid", "block/mmcblk0/size", "block/mmcblk0/dev"):
            for kind, damage in DAMAGE.items():
                path = disk / attribute
                before = path.read_bytes()
                path.unlink()
                damage(path)
                damaged, warnings = kinds(root)
                self.assert_kinds(healthy, damaged, f"{attribute} {kind}")
                if kind in ("pipe", "folder", "endless", "outside", "device"):
                    self.assertIn(b"is skipped", warnings, f"{attribute} {kind}")
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
                path.write_bytes(before)

    def test_mount_table_is_a_pipe(self):
        root = make.make(self.folder, "f2-beaglebone")
        path = root / "proc/self/mountinfo"
        path.unlink()
        fifo(path)
        self.assertEqual(kinds(root)[0]["mmcblk1"], "emmc")

    def test_mount_table_is_odd(self):
        root = make.make(self.folder, "f2-beaglebone")
        path = root / "proc/self/mountinfo"
        line = path.read_bytes()
        noise = random.Random(3).randbytes
        for name, text in (("empty", b""), ("binary", noise(100000)), ("no end of line", line.rstrip()),
                           ("huge line", b"20 1 179:1 / /" + b"a" * (4 << 20) + b" rw - ext4 /dev/root rw\n" + line),
                           ("many", line + b"".join(b"%d 1 179:1 / /m/%d rw - ext4 x rw\n" % (i, i)
                                                    for i in range(20000)))):
            path.write_bytes(text)
            before = time.monotonic()
            with self.subTest(name):
                self.assertEqual(kinds(root)[0]["mmcblk1"], "emmc")
            print(f"mount table, {name}: {time.monotonic() - before:.2f} s")

    def test_links_in_a_circle(self):
        root = make.make(self.folder, "btrfs")
        slaves = root / "sys/devices/virtual/block/md0/slaves"
        (slaves / "self").symlink_to("../../md0")
        (root / "sys/class/block/round").symlink_to("round")
        (root / "sys/class/block/out").symlink_to("/sys/class/block")
        found, warnings = kinds(root)
        self.assertEqual((found["md0"], found["sda"]), ("md", "sata"))
        self.assertNotIn("round", found)
        self.assertNotIn("out", found)
        self.assertEqual(warnings.count(b"is skipped"), 2, warnings)

    def test_everything_is_noise(self):
        dice = random.Random(7)
        for name in ("f20-reviews", "f9-router"):
            root = make.make(self.folder, name)
            for path in self.texts(root):
                path.write_bytes(dice.randbytes(dice.choice((0, 1, 40, 5000))))
            kinds(root)


class Cost(unittest.TestCase):
    """Files opened, counted by the system calls."""

    def setUp(self):
        if not shutil.which("strace"):
            self.skipTest("needs strace")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="iodyno-cost-"))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def opened(self, disks, parts):
        root = make.make_many(self.folder / f"{disks}x{parts}", disks, parts)
        trace = self.folder / "trace"
        subprocess.run(["strace", "-f", "-y", "-e", "trace=open,openat", "-o", trace, program.BUILD / "bin/iodyno", "list",
                        "--json", "--sysroot", root], stdout=subprocess.DEVNULL, timeout=120, check=True,
                       env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        # With -y a descriptor stands with its path: openat(5</tree/…/mmcblk1>, "mmcblk1p7/size", …) = 6</tree/…>
        calls = re.findall(r'open(?:at)?\(.*\) = \d+<([^>]*)>$', trace.read_text(), re.M)
        return [c for c in calls if str(root) in c]

    def test_at_most_four_files_for_a_partition(self):
        few, many = len(self.opened(4, 16)), len(self.opened(4, 48))
        self.assertLessEqual((many - few) / (4 * 32), 4)
        calls = self.opened(2, 16)
        of_one = [c for c in calls if "/mmcblk1p7/" in c]
        self.assertLessEqual(len(of_one), 4, of_one)
        self.assertGreater(len(of_one), 0)

    def test_linear_in_disks(self):
        one, two = len(self.opened(16, 8)), len(self.opened(32, 8))
        self.assertLess(two / one, 2.05)


if __name__ == "__main__":
    program.main()
