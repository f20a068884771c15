#!/usr/bin/env python3
"""The screen asks before it lets a run mount a device: it names the device, and enter a second time agrees."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import program  # noqa: E402
import screen as screens  # noqa: E402
import slowdisk  # noqa: E402


@unittest.skipIf(slowdisk.why_not(), slowdisk.why_not())
class Confirm(program.Case):
    def open_form(self, screen, disk):
        """The list of devices leaves loops out that are not mounted; the menu that was opened before stays."""
        with slowdisk.mounted(disk):
            screens.open_menu(screen, disk.name)
        screen.do("gone 10 " + str(disk.mount))
        screens.choose(screen, "Sequential write")
        screen.do("key enter", "wait 10 enter start")  # enter in the menu leads to the question as well

    def test_enter_twice(self):
        with slowdisk.bare_disk(300, "ext4") as disk, screens.Screen(self.home) as screen:
            self.open_form(screen, disk)
            screens.set_option(screen, "size", "16M")
            before = disk.stat()[1]
            screen.do("quiet 300 5", "key enter", f"wait 10 Press enter again to agree for {disk.name}")
            picture = " ".join(str(screen.settled(100)).split())
            self.assertIn(f"{disk.name} is not mounted", picture)
            self.assertIn("It holds ext4 (its journal is closed", picture)
            self.assertEqual(disk.stat()[1], before)
            screen.do("key down")  # another key is no agreement
            screen.do("key enter", "wait 10 Press enter again")
            self.assertEqual(disk.stat()[1], before)
            screen.do("key enter", "wait 20 DONE")
            self.assertGreater(disk.stat()[1], before + (16 << 20))
            screen.settled(300)
            self.assertEqual(screen.leave(), (0, screens.SANE))

    def test_a_blank_one(self):
        with slowdisk.bare_disk(64, "ext4") as disk, screens.Screen(self.home) as screen:
            with slowdisk.mounted(disk):
                screens.open_menu(screen, disk.name)
            with open(disk.device, "r+b") as out:  # somebody wipes it
                for _ in range(64):
                    out.write(bytes(1 << 20))
            before = disk.stat()[1]
            screens.choose(screen, "Sequential write")
            screen.do("key enter", "wait 10 enter start")
            screen.do("quiet 300 5", "key enter", f"wait 10 {disk.name} is blank")
            screen.do("key enter")
            picture = " ".join(str(screen.settled(300)).split())
            self.assertIn(f"mkfs.ext4 {disk.device}", picture)
            self.assertNotIn("RUNNING", picture)
            self.assertEqual(disk.stat()[1], before)
            screen.do("key escape", "wait 10 run with these")
            self.assertEqual(screen.leave(), (0, screens.SANE))


if __name__ == "__main__":
    program.main()
