#!/usr/bin/env python3
"""Signals in every kind of place: the terminal is as before, the exit code names the signal, no worker and no file stays."""
import concurrent.futures
import os
import pathlib
import signal
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from screen import SANE, Screen, choose, is_alive, open_menu, program, seconds_until_gone, start_test  # noqa: E402
import slowdisk  # noqa: E402

LADDER_S = 8  # 2 + 3 + 2, and a moment
POLITE = ("HUP", "TERM", "INT", "QUIT")
FATAL = ("SEGV", "ABRT", "BUS", "FPE")
AT_ONCE = 4


def at_home(screen):
    screen.do("wait 15 STORAGE")


def running(screen):
    start_test(screen, "Sine", time="100s")
    screen.do("wait 10 MB/s   mean")


def in_dialog(screen):
    running(screen)
    screen.do("send q", "wait 10 is alive")


def in_form(screen):
    open_menu(screen)
    choose(screen, "Sine")
    screen.do("send o", "wait 10 enter start")


PLACES = (at_home, running, in_dialog, in_form)


class Signals(program.Case):
    def each(self, items, check):
        """check(item) for all, several at once: they mostly wait."""
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for item, done in [(item, pool.submit(check, *item)) for item in items]:
                with self.subTest(item=[getattr(word, "__name__", word) for word in item]):
                    done.result()

    def check_gone(self, workers):
        seconds = seconds_until_gone(workers, LADDER_S)
        self.assertIsNotNone(seconds, f"workers live on: {[w for w in workers if is_alive(w)]}")

    def test_the_screen_alone(self):
        def check(place, name):
            with Screen(self.home, alone=True) as screen:
                place(screen)
                workers = screen.pids("iodyno-worker")
                screen.do(f"signal {name}")
                expected = 128 + signal.Signals[f"SIG{name}"] if name in POLITE else f"signal {name}"
                self.assertEqual(screen.exit(), expected)
                self.assertEqual(screen.state(), SANE)
                self.check_gone(workers)

        self.each([(place, name) for place in PLACES for name in POLITE + FATAL], check)

    def test_the_guard_hands_signals_on(self):
        def check(place, name):
            with Screen(self.home) as screen:
                place(screen)
                workers = screen.pids("iodyno-worker")
                screen.do(f"signal {name}")
                self.assertEqual(screen.exit(), 128 + signal.Signals[f"SIG{name}"])
                self.assertEqual(screen.state(), SANE)
                self.check_gone(workers)

        self.each([(place, name) for place in PLACES for name in POLITE], check)

    def test_the_guard_cleans_up_behind_the_screen(self):
        def check(place, name):
            with Screen(self.home) as screen:
                place(screen)
                workers = screen.pids("iodyno-worker")
                number = signal.Signals[f"SIG{name}"]
                os.kill(screen.await_pid("iodyno-screen"), number)
                self.assertEqual(screen.exit(), 128 + number)
                self.assertEqual(screen.state(), SANE)
                self.check_gone(workers)

        self.each([(place, name) for place in PLACES for name in ("KILL", "SEGV", "TERM")], check)

    def test_a_killed_guard_takes_the_screen_along(self):
        def check(place):
            with Screen(self.home) as screen:
                place(screen)
                family = screen.pids("iodyno-worker") + [screen.await_pid("iodyno-screen")]
                screen.do("signal KILL")
                self.assertEqual(screen.exit(), "signal KILL")
                self.check_gone(family)
                self.assertEqual(screen.state(), SANE)

        self.each([(place,) for place in PLACES], check)

    def test_a_terminal_that_goes_away(self):
        """A run with an end stops, and the screen with it; ssh loss and a closed window look like this."""
        def check(place):
            with Screen(self.home) as screen:
                place(screen)
                family = screen.pids("iodyno-worker") + [screen.await_pid("iodyno-screen")]
                screen.do("hangup")
                self.check_gone(family)

        self.each([(place,) for place in PLACES], check)

    @unittest.skipIf(slowdisk.why_not(), slowdisk.why_not())
    def test_no_file_stays(self):
        for name in ("HUP", "TERM", "INT", "KILL"):
            with self.subTest(name=name), slowdisk.small_disk(200) as disk, Screen(self.home) as screen:
                room = disk.free()
                start_test(screen, "Sequential write", device=disk.name, size="100M", method="dd-direct", block_size="4K")
                program.wait_for(lambda: disk.free() < room - (1 << 20), 10)
                workers = screen.pids("iodyno-worker")
                target = screen.await_pid("iodyno-screen") if name == "KILL" else screen.await_pid("iodyno")
                os.kill(target, signal.Signals[f"SIG{name}"])
                self.assertEqual(screen.exit(), 128 + signal.Signals[f"SIG{name}"])
                self.assertEqual(screen.state(), SANE)
                self.check_gone(workers)
                self.assertEqual([p.name for p in disk.mount.iterdir()], ["lost+found"])
                self.assertEqual(disk.free(), room)


if __name__ == "__main__":
    program.main()
