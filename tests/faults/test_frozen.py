#!/usr/bin/env python3
"""A frozen file system under a run on the screen, and a killed screen: the screen stays alive, nothing stays behind."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import frozen  # noqa: E402
import program  # noqa: E402
import slowdisk  # noqa: E402
from screen import SANE  # noqa: E402

KILLED = 128 + 9
NO_DISK = slowdisk.why_not(throttle=True)


class Frozen(program.Case):
    """Times are only hang limits here; tests/bench/frozen.py prints them beside their bars."""

    @unittest.skipIf(NO_DISK, NO_DISK)
    def test_a_frozen_run(self):
        seen = frozen.freeze_a_run(self.home)
        self.assertIn(seen["state"], ("CANCELLED", "ABANDONED"))
        self.assertIsNotNone(seen["gone_s"], seen)
        self.assertIsNotNone(seen["late_ms"], seen)
        self.check_clean(seen, 0)

    def check_clean(self, seen, code):
        self.assertEqual((seen["code"], seen["terminal"]), (code, SANE))
        self.assertIsNotNone(seen["gone_s"], "the worker lives on")
        self.assertEqual(seen.get("left", []), [])
        self.assertIsNotNone(seen.get("room_s", 0), "the room did not come back")

    @unittest.skipIf(NO_DISK, NO_DISK)
    def test_a_killed_screen_in_a_write(self):
        self.check_clean(frozen.kill_in_a_write(self.home), KILLED)

    @unittest.skipIf(NO_DISK, NO_DISK)
    def test_a_killed_screen_while_frozen(self):
        self.check_clean(frozen.kill_while_frozen(self.home), KILLED)

    def test_a_killed_screen_in_a_hang(self):
        self.check_clean(frozen.kill_in_a_hang(self.home), KILLED)


if __name__ == "__main__":
    program.main()
