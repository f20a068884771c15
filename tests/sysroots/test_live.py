#!/usr/bin/env python3
"""The screen follows the kernel: loop devices that come and go and mounts appear without a key."""
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lib"), str(HERE.parent / "pty")]

import program  # noqa: E402
from screen import Screen  # noqa: E402

SEEN_S = 5  # a slow machine with others at work; the figure itself is printed
IMAGE_BYTES = 32 << 20


def tool(*argv):
    return subprocess.run(list(map(str, argv)), capture_output=True, text=True, check=True, timeout=60).stdout.strip()


class Live(program.Case):
    def setUp(self):
        super().setUp()
        if os.geteuid() != 0 or not shutil.which("losetup") or not shutil.which("mkfs.ext4"):
            self.skipTest("needs root, losetup and mkfs.ext4")
        self.image = self.home.path / "live-image"
        self.image.write_bytes(b"")
        os.truncate(self.image, IMAGE_BYTES)
        tool("mkfs.ext4", "-q", "-F", self.image)
        self.mount = self.home.path / "live-mount"
        self.mount.mkdir()
        self.device = None
        self.addCleanup(self.undo)

    def undo(self):
        for argv in (["umount", self.mount], ["losetup", "-d", self.device] if self.device else None):
            if argv:
                subprocess.run(list(map(str, argv)), capture_output=True, check=False, timeout=60)

    def attach(self):
        self.device = tool("losetup", "--find", "--show", self.image)
        return os.path.basename(self.device)

    def test_a_mounted_loop_device_comes_and_goes(self):
        with Screen(self.home, size=(40, 110)) as screen:
            screen.do("wait 15 STORAGE")
            screen.settled()
            name = self.attach()
            before = time.monotonic()
            tool("mount", self.device, self.mount)
            screen.do(f"wait {SEEN_S} live-image")
            print(f"mounted, then on the screen after {time.monotonic() - before:.2f} s")
            self.assertIn(name, screen.dump().find("live-image"))
            before = time.monotonic()
            tool("umount", self.mount)
            tool("losetup", "-d", self.device)
            self.device = None
            gone = program.wait_for(lambda: not screen.dump().find("live-image"), SEEN_S, 0.05)
            print(f"unmounted and detached, then gone after {time.monotonic() - before:.2f} s")
            self.assertTrue(gone, f"\n{screen.dump()}")
            screen.leave()

    def test_a_storm_of_events_is_looked_at_together(self):
        """Forty attaches and detaches: at most a look each 200 ms, counted by what the screen opens."""
        if not shutil.which("strace"):
            self.skipTest("needs strace")
        trace = self.home.path / "trace"
        with Screen(self.home, wrapper=["strace", "-f", "-qq", "-e", "trace=openat", "-o", trace]) as screen:
            screen.do("wait 30 STORAGE")
            screen.settled()
            looks = trace.read_text().count('/sys/class/block"')
            before = time.monotonic()
            for _ in range(20):
                self.attach()
                tool("losetup", "-d", self.device)
            self.device = None
            screen.settled(600)
            seconds = time.monotonic() - before
            looks = trace.read_text().count('/sys/class/block"') - looks
            screen.leave()
        print(f"40 events in {seconds:.1f} s: {looks} opened folders")
        self.assertGreater(looks, 0)
        # Each look resolves, opens and lists the class; two of these are counted.
        self.assertLessEqual(looks, 3 * (seconds / 0.2 + 2))


if __name__ == "__main__":
    program.main()
