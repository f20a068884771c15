#!/usr/bin/env python3
"""What a person does from start to end: a test from the menu, stop, detach, history, two runs at once."""
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from screen import (SANE, Screen, choose, chosen, is_alive, open_menu, program, seconds_until_gone,  # noqa: E402
                    set_option, start_test)
import slowdisk  # noqa: E402

LADDER_S = 8
RESULT_BODY = slice(2, -3)  # without header, events and keys


class Flows(program.Case):
    def stored(self):
        return self.home.run("history", "--json").json()["runs"]

    def show(self, number):
        return self.home.run("show", str(number), "--json").json()

    def result_screen(self, screen):
        screen.do("wait 20 DONE", "wait 5 Mean rate")
        return screen.settled(400)

    def test_sine_and_its_replay_from_history(self):
        with Screen(self.home, size=(40, 100)) as screen:
            start_test(screen, "Sine", time="2s")
            live = self.result_screen(screen)
            self.assertIsNotNone(live.find("100 MB/s"), f"\n{live}")
            self.assertIsNotNone(live.find("95.4 MiB/s"), f"\n{live}")
            screen.do("send H", "wait 10 History")
            row = chosen(screen.settled())
            self.assertRegex(row, r"\b1 .*selftest\.sine.*dram.*done.*100 MB/s")
            screen.do("key enter")
            again = self.result_screen(screen)
            figures = [row for row in live[RESULT_BODY] if "record" not in row]
            self.assertEqual([row for row in again[RESULT_BODY] if "record" not in row], figures)
            self.assertEqual(screen.leave(), (0, SANE))
        run = self.show(1)
        self.assertEqual((run["state"], program.result_of(run, "rate")), ("done", 100e6))
        self.assertEqual(program.totals(run, "moved"), {0: 200e6})

    def test_stop_with_x(self):
        with Screen(self.home) as screen:
            start_test(screen, "Sine", time="100s")
            screen.do("wait 10 MB/s   mean")
            workers = screen.pids("iodyno-worker")
            screen.do("send x", "wait 5 CANCELLED")
            self.assertIsNotNone(seconds_until_gone(workers, LADDER_S))
            self.assertEqual(screen.leave(), (0, SANE))
        run = self.show(1)
        self.assertEqual((run["state"], run["partial"]), ("cancelled", True))

    def check_goes_on(self, pids):
        """The run lives without the terminal, watch shows it, stop ends it."""
        self.assertTrue(pids and all(map(is_alive, pids)))
        self.assertEqual(self.stored()[0]["state"], "running")
        with Screen(self.home) as screen:
            screen.do("wait 15 STORAGE", "send H", "wait 10 History", "wait 10 running", "key enter", "wait 10 RUNNING",
                      "wait 10 MB/s   mean")
            self.assertEqual(self.home.run("stop", "1").code, 0)
            screen.do("wait 10 CANCELLED")
            self.assertEqual(screen.leave(), (0, SANE))
        self.assertIsNotNone(seconds_until_gone(pids, LADDER_S))
        self.assertEqual(self.stored()[0]["state"], "cancelled")

    def leave_running(self, *keys):
        with Screen(self.home) as screen:
            start_test(screen, "Sine", time="100s")
            screen.do("wait 10 MB/s   mean")
            pids = screen.pids("iodyno-worker") + screen.pids("iodyno-screen")
            screen.do(*keys)
            self.assertEqual(screen.exit(), 0)
            self.assertEqual(screen.state(), SANE)
            self.check_goes_on(pids)

    def test_detach_with_d(self):
        self.leave_running("send d", "wait 5 go on without this screen", "send d")

    def test_detach_on_leaving(self):
        self.leave_running("send q", "wait 5 One run is alive", "send d")

    def test_stop_on_leaving(self):
        with Screen(self.home) as screen:
            start_test(screen, "Sine", time="100s")
            screen.do("wait 10 MB/s   mean")
            workers = screen.pids("iodyno-worker")
            screen.do("send q", "wait 5 One run is alive", "key escape", "gone 5 One run is alive")
            self.assertTrue(all(map(is_alive, workers)))
            screen.do("send q", "wait 5 One run is alive", "send s")
            self.assertEqual(screen.exit(), 0)
            self.assertEqual(screen.state(), SANE)
            self.assertFalse(any(map(is_alive, workers)))
        self.assertEqual(self.show(1)["state"], "cancelled")

    def test_two_runs_at_once(self):
        with Screen(self.home) as screen:
            start_test(screen, "Sine", time="100s")
            screen.do("key escape", "wait 5 Tests", "key escape")
            start_test(screen, "Ramp", time="100s")
            screen.do("wait 10 MB/s   mean")
            self.assertEqual(len(screen.pids("iodyno-worker")), 2)
            screen.do("send r", "wait 5 Runs")
            runs = screen.dump()
            self.assertEqual(len([row for row in runs if "RUNNING" in row]), 2, f"\n{runs}")
            screen.do("send 1", "wait 5 Sine", "wait 5 RUNNING", "send 2", "wait 5 Ramp", "send x", "wait 5 CANCELLED")
            screen.do("send 1", "wait 5 RUNNING", "send q", "wait 5 One run is alive", "send s")
            self.assertEqual(screen.exit(), 0)
        self.assertEqual(sorted(run["state"] for run in self.stored()), ["cancelled", "cancelled"])

    def test_a_crash_is_told(self):
        with Screen(self.home) as screen:
            open_menu(screen)
            choose(screen, "Crash")
            screen.do("key enter", "wait 10 FAILED")
            said = screen.settled(300)
            self.assertIsNotNone(said.find("ended by signal") or said.find("signal 11") or said.find("SIGSEGV"), f"\n{said}")
            self.assertEqual(screen.leave(), (0, SANE))
        self.assertEqual(self.show(1)["state"], "failed")

    @unittest.skipIf(slowdisk.why_not(), slowdisk.why_not())
    def test_write_on_a_disk(self):
        with slowdisk.small_disk(200) as disk, Screen(self.home, size=(40, 100)) as screen:
            room = disk.free()
            open_menu(screen, disk.name)
            choose(screen, "Sequential write")
            screen.do("send o", "wait 10 enter start")
            set_option(screen, "Size", "64M")
            screen.do("key enter", "wait 30 DONE")
            screen.do("wait 5 Real time")
            result = screen.settled(400)
            run = self.show(1)
            self.assertEqual(run["state"], "done")
            written = sum(program.totals(run, "written").values())
            self.assertEqual(written, 64 << 20)
            rate = program.result_of(run, "rate")
            headline = re.search(r"^ +([\d.]+) (MB|GB)/s +[\d.]+ [MG]iB/s", str(result), re.M)
            self.assertIsNotNone(headline, f"\n{result}")
            shown = float(headline[1]) * {"MB": 1e6, "GB": 1e9}[headline[2]]
            self.assertAlmostEqual(shown / rate, 1, delta=0.006)
            self.assertIsNotNone(result.find("dd if=/dev/zero"), f"\n{result}")
            self.assertEqual(screen.leave(), (0, SANE))
            self.assertEqual(disk.free(), room)

    @unittest.skipIf(slowdisk.why_not(), slowdisk.why_not())
    def test_too_large_a_write_is_refused_in_a_sentence(self):
        with slowdisk.small_disk(100) as disk, Screen(self.home) as screen:
            open_menu(screen, disk.name)
            choose(screen, "Sequential write")
            screen.do("key enter", "wait 20 REFUSED")
            self.assertIsNotNone(screen.settled(300).find("fit") or screen.dump().find("room"), f"\n{screen.dump()}")
            self.assertEqual(screen.leave(), (0, SANE))


if __name__ == "__main__":
    program.main()
