#!/usr/bin/env python3
"""The recorder copies what the list needs and nothing else: a recording lists as its machine does."""
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lib"), str(HERE)]

import make  # noqa: E402
import program  # noqa: E402
from test_golden import KEPT  # noqa: E402

RECORDER = program.ROOT / "assets/iodyno-sysroot"
SIZE_LIMIT = 4 << 20


def listed(root=None):
    argv = [program.BUILD / "bin/iodyno", "list", "--json", "--all", *(["--sysroot", root] if root else [])]
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True).stdout


class Recorder(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="iodyno-record-"))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def record(self, name, *options, root=None):
        to = self.folder / f"recorded-{name}"
        done = subprocess.run(["sh", RECORDER, *options, to], capture_output=True, text=True, timeout=100, check=False,
                              env={**os.environ, **({"IODYNO_RECORD_ROOT": str(root)} if root else {})})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return to

    def test_recordings_list_as_their_machine(self):
        for name in ["f10-slots", "f20-reviews", "usb-slow", "btrfs", "4kn", "combo", "f9-router", "overlay-root", "net-gigabit",
                     "net-dongle", "net-broken", "net-dsa"]:
            with self.subTest(name):
                root = make.make(self.folder, name)
                self.assertEqual(listed(self.record(name, root=root)), listed(root))
        for name in KEPT:
            with self.subTest(name):
                self.assertEqual(listed(self.record(name, root=HERE / name)), listed(HERE / name))

    def test_this_machine(self):
        to = self.record("here")
        kinds = [(d["id"], d["kind"], d["size_bytes"]) for d in json.loads(listed(to))["devices"]
                 if d["kind"] not in ("loop", "zram", "dram")]
        here = [(d["id"], d["kind"], d["size_bytes"]) for d in json.loads(listed())["devices"]
                if d["kind"] not in ("loop", "zram", "dram")]
        self.assertEqual(kinds, here)
        files = [p for p in to.rglob("*") if not p.is_symlink() and not p.is_dir()]
        self.assertTrue(all(stat.S_ISREG(p.stat().st_mode) for p in files))
        self.assertLess(sum(p.stat().st_size for p in files), SIZE_LIMIT)

    def test_anonymous(self):
        root = make.make(self.folder, "f2-beaglebone")
        card = root / "sys/devices/platform/ocp/48060000.mmc/mmc_host/mmc0/mmc0:aaaa"
        (card / "serial").write_text("0xdeadbeef\n", encoding="ascii")
        (card / "cid").write_text("035344534c33324710deadbeef013301\n", encoding="ascii")
        (root / "proc/self/mountinfo").write_text(
            "20 1 179:1 / / rw - ext4 /dev/root rw\n21 20 179:25 / /home/jane rw - vfat //fileserver/jane rw\n",
            encoding="ascii")
        part = root / "sys/class/block/mmcblk0p1/uevent"
        part.write_text(part.read_text() + "PARTNAME=jane's data\n", encoding="utf-8")
        (root / "proc/cmdline").write_text("quiet root=/dev/mmcblk1p1 user=jane\n", encoding="ascii")
        to = self.record("anonymous", "--anonymous", root=root)
        self.assertIn("PARTNAME=0000'0 0000\n", (to / "sys/class/block/mmcblk0p1/uevent").read_text())
        text = subprocess.run(["grep", "-raE", "deadbeef|jane|fileserver", to], capture_output=True, text=True,
                              check=False).stdout
        self.assertEqual(text, "")
        before, after = (json.loads(listed(r))["devices"] for r in (root, to))
        self.assertEqual([(d["id"], d["kind"], d["size_bytes"]) for d in before],
                         [(d["id"], d["kind"], d["size_bytes"]) for d in after])
        self.assertEqual([d["name"] for d in before if not d["parent"]], [d["name"] for d in after if not d["parent"]])
        sd = next(d for d in after if d["id"] == "mmcblk0")
        self.assertEqual(sd["identity"]["cid"], "035344534c3332471000000000000000")

    def test_hostile_machine(self):
        """A pipe or an endless device among the texts holds nothing up."""
        root = make.make(self.folder, "f2-beaglebone")
        card = root / "sys/devices/platform/ocp/48060000.mmc/mmc_host/mmc0/mmc0:aaaa"
        for name, damage in (("serial", os.mkfifo), ("cid", lambda p: p.symlink_to("/dev/zero"))):
            (card / name).unlink()
            damage(card / name)
        to = self.record("hostile", root=root)
        self.assertFalse((to / card.relative_to(root) / "serial").exists())

    def test_usage(self):
        for words in ([], ["--wrong", "x"], ["a", "b"], [self.folder]):
            done = subprocess.run(["sh", RECORDER, *words], capture_output=True, text=True, timeout=20, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("iodyno-sysroot", done.stderr)


if __name__ == "__main__":
    program.main()
