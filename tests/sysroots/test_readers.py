#!/usr/bin/env python3
"""A card put into a USB reader where no udev runs: the reader is looked at, the screen shows the card without a key.
A made tree stands for /sys in a mount namespace that ends with the test; a free loop device plays the reader's slot, so
that there is a node to open."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lib"), str(HERE), str(HERE.parent / "pty")]

import make  # noqa: E402
import program  # noqa: E402
from screen import Screen  # noqa: E402

SEEN_S = 12  # a look each two seconds, on a machine busy with other tests
SCRIPT = ('mount --bind "$1/sys" /sys && { [ ! -d /run/udev ] || mount -t tmpfs none /run/udev; } && shift && '
          'exec "$@"')


class Readers(program.Case):
    def setUp(self):
        super().setUp()
        if os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("losetup"):
            self.skipTest("needs root, unshare and losetup")
        found = subprocess.run(["losetup", "--find"], capture_output=True, text=True, check=False, timeout=60)
        if found.returncode != 0:
            self.skipTest("needs a loop device")
        self.node = found.stdout.strip()
        self.name = os.path.basename(self.node)
        tree = make.Tree(self.home.path / "machine")
        hub = tree.hub("sys/devices/pci0000:00/0000:00:14.0", 2, 5000)
        interface = tree.usb(hub, 1, 5000, idVendor="0bda", idProduct="0316", version=" 3.00")
        self.disk = tree.lun(interface, 2, 0, self.name, f"7:{self.name[4:]}", 0, "Generic-", "SD/MMC", removable=1,
                             events="media_change", events_async="", events_poll_msecs=-1)
        stick = tree.usb(hub, 2, 5000, idVendor="0951", idProduct="1666", version=" 3.00")
        tree.lun(stick, 3, 0, "sdz", "65:144", 2048, "Kingston", "Stick", removable=1, events="media_change",
                 events_async="media_change")
        tree.close()
        self.root = tree.root

    def wrapper(self, *more):
        return ["unshare", "-m", "sh", "-c", SCRIPT, "sh", str(self.root), *map(str, more)]

    def put_card(self, sectors):
        (self.root / self.disk / "size").write_text(f"{sectors}\n", encoding="ascii")

    def test_the_screen_shows_a_card_without_a_key(self):
        with Screen(self.home, size=(40, 110), wrapper=self.wrapper()) as screen:
            screen.do("wait 15 no medium")
            screen.settled()
            before = time.monotonic()
            self.put_card(31116288)
            screen.do(f"wait {SEEN_S} 15.9 GB")
            print(f"a card came: on the screen after {time.monotonic() - before:.2f} s")
            before = time.monotonic()
            self.put_card(0)
            screen.do(f"wait {SEEN_S} no medium")
            print(f"it went: gone after {time.monotonic() - before:.2f} s")
            workers = screen.pids("iodyno-worker")
            self.assertEqual(len(workers), 1, workers)
            screen.leave()
        gone = program.wait_for(lambda: not os.path.exists(f"/proc/{workers[0]}"), SEEN_S)
        self.assertTrue(gone, "the worker outlives the screen")

    def test_a_list_looks_once(self):
        if not shutil.which("strace"):
            self.skipTest("needs strace")
        trace = self.home.path / "trace"
        done = subprocess.run(self.wrapper("strace", "-f", "-qq", "-e", "trace=open,openat", "-o", trace,
                                           program.BUILD / "bin/iodyno", "list"),
                              capture_output=True, text=True, timeout=60, check=False, env=self.home.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no medium", done.stdout)
        opened = [line for line in trace.read_text().splitlines() if f'"{self.node}"' in line]
        self.assertEqual(len(opened), 1, opened)
        self.assertTrue(re.search(r"O_RDONLY\|O_NOCTTY\|O_NONBLOCK\|O_CLOEXEC", opened[0]), opened)
        self.assertNotIn('"/dev/sdz"', trace.read_text())  # it tells by itself

    def test_a_list_that_found_a_card_still_names_the_memory(self):
        if not shutil.which("strace"):
            self.skipTest("needs strace")
        (self.root / "sys/class/boardinfo").mkdir()
        (self.root / "sys/class/boardinfo/ddr_type").write_text("LPDDR4\n", encoding="ascii")
        # The worker's look at the disk takes a second, in which the card comes.
        with subprocess.Popen(self.wrapper("strace", "-f", "-qq", "-P", self.node, "-e", "trace=openat", "-e",
                                           "inject=openat:delay_enter=1000000", "-o", self.home.path / "trace",
                                           program.BUILD / "bin/iodyno", "list"),
                              stdout=subprocess.PIPE, text=True, env=self.home.env) as lister:
            self.assertTrue(program.wait_for(Held(self.name), SEEN_S), "no worker looks")
            self.put_card(31116288)
            shown = lister.communicate(timeout=60)[0]
        self.assertIn("15.9 GB", shown)
        self.assertRegex(shown, r"(?m)^\S*\s+\S+\s+LPDDR4\b", shown)


class Held:
    """True once the worker that looks at the disk has been held by its tracer for a while."""

    def __init__(self, disk):
        self.words = [b"--media", b"once", disk.encode()]
        self.times = 0

    def __call__(self):
        stopped = False
        for pid in program.processes("iodyno-worker"):
            try:
                process = pathlib.Path(f"/proc/{pid}")
                stopped |= ((process / "cmdline").read_bytes().split(b"\0")[1:-1] == self.words and
                            "State:\tt" in (process / "status").read_text(encoding="ascii"))
            except OSError:  # it has just ended
                continue
        self.times = self.times + 1 if stopped else 0
        return self.times >= 10


if __name__ == "__main__":
    program.main()
