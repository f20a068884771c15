#!/usr/bin/env python3
"""The negotiated mode of cards: from debugfs, else the kernel log, else the device tree; a host that does not answer
costs two seconds and no more. Recorded machines stand for /sys in a mount namespace that ends with the test."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lib"), str(HERE)]

import make  # noqa: E402
import program  # noqa: E402

LATE_S = 8  # the limit of two seconds, and a machine busy with other tests


class Modes(program.Case):
    def setUp(self):
        super().setUp()
        if os.geteuid() != 0 or not shutil.which("unshare"):
            self.skipTest("needs root and unshare")

    def listed(self, root, record):
        """`list --json` where `root`/sys is /sys and the kernel log holds one record."""
        log = self.home.path / "kmsg"
        log.write_text(record, encoding="ascii")
        script = 'mount --bind "$1/sys" /sys && mount --bind "$2" /dev/kmsg && exec "$3" list --json --all'
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", root, log, program.BUILD / "bin/iodyno"],
                              capture_output=True, text=True, timeout=60, check=False, env=self.home.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {d["id"]: d for d in json.loads(done.stdout)["devices"]}

    def test_debugfs_first(self):
        bus = self.listed(HERE / "f5-rzg1e", "6,1,1,-;mmc0: new HS200 MMC card at address 0001\n")["mmcblk0"]["bus"]
        self.assertEqual((bus["mode"], bus["width"], bus["clock_hz"], bus["ceiling"], bus["source"], bus["at_most"]),
                         ("DDR52", 8, 48750000, 97500000.0, "debugfs", False))

    def test_then_the_kernel_log(self):
        root = make.make(self.home.path, "f6-k1")
        record = "6,339,5140900,-;mmc0: new ultra high speed SDR104 SDHC card at address aaaa\n"
        devices = self.listed(root, record)
        bus = devices["mmcblk0"]["bus"]
        self.assertEqual((bus["mode"], bus["width"], bus["ceiling"], bus["source"], bus["at_most"]),
                         ("SDR104", 4, 104e6, "kernel log", False))
        self.assertIsNone(devices["mmcblk2"]["bus"])  # nothing tells: no guess

    def test_a_slot_tells_the_last_error(self):
        root = make.make(self.home.path, "f10-slots")
        slot = self.listed(root, "3,7,7,-;mmc1: error -110 whilst initialising SD card\n")["mmc1"]
        self.assertEqual((slot["kind"], slot["bus"]["error"]), ("slot", "error -110 whilst initialising SD card"))
        self.assertIn("error -110", slot["why"])

    def test_a_silent_host_is_unknown_after_two_seconds(self):
        root = make.make(self.home.path, "f6-k1")
        for host in ("mmc0", "mmc2"):  # both at once
            ios = root / f"sys/kernel/debug/{host}/ios"
            ios.parent.mkdir(parents=True)
            os.mkfifo(ios)
        before = time.monotonic()
        devices = self.listed(root, "6,1,1,-;nothing\n")
        seconds = time.monotonic() - before
        print(f"two silent hosts: listed after {seconds:.2f} s")
        self.assertIsNone(devices["mmcblk0"]["bus"])
        self.assertTrue(2 <= seconds < LATE_S, seconds)


if __name__ == "__main__":
    program.main()
