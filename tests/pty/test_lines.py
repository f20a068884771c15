#!/usr/bin/env python3
"""Terminals that cannot move their cursor: the screen as lines below each other, in plain ASCII, from start to result.

And those of which nothing is known: a screen all the same, and a sentence that says so.
"""
import os
import pathlib
import re
import signal
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from screen import SANE, Screen, program, seconds_until_gone  # noqa: E402

PAPER = ("dumb", "tty33", "glasstty")
SIZES = ((1, 1), (3, 10), (24, 80), (67, 240), (100, 300))
MARK = " > "
MOVE_BYTES = 100  # one line of 80 columns, and a little
PRINTABLE = set(b"\r\n") | set(range(0x20, 0x7f))
GOING = re.compile(r"^([\d.]+ MB/s )?(\d+% )?(STARTING|RUNNING) \d+ s - dram$", re.M)
NO_DESCRIPTIONS = ("unshare", "-m", "sh", "-c", "for d in /etc /lib /usr/lib /usr/share; do "
                   "[ ! -d $d/terminfo ] || mount -t tmpfs none $d/terminfo || exit 9; done; exec \"$@\"", "-")


def marked(screen):
    """The chosen line as it was printed last."""
    return next((row for row in reversed(screen.settled(60, 5)) if row.startswith(MARK)), "")


def move_to(screen, text, steps=40):
    for _ in range(steps):
        if text in marked(screen):
            return
        screen.do("send j")
    raise AssertionError(f"no line with {text}:\n{screen.dump()}")


def open_menu(screen):
    screen.do("wait 15 enter tests")
    move_to(screen, "dram")
    screen.do("send \\r", "wait 15 enter run")


def start_sine(screen, seconds):
    open_menu(screen)
    move_to(screen, "Sine")
    screen.do("send o", "wait 10 enter start")
    for _ in range(16):
        if marked(screen).startswith(f"{MARK}time"):
            break
        screen.do("send \\x0e")  # ^N: letters are typed here
    else:
        raise AssertionError(f"no field for the time:\n{screen.dump()}")
    screen.do("send \\x15", f"send {seconds}s", f"wait 5 {seconds}s", "send \\r")


class Lines(program.Case):
    def check_lines(self, raw):
        self.assertEqual(set(raw) - PRINTABLE, set(), "bytes that no such terminal takes")
        self.assertEqual(raw.count(b"\n"), raw.count(b"\r\n"))
        return raw.decode("ascii").replace("\r\n", "\n")

    def test_from_start_to_result(self):
        for term in PAPER:
            with self.subTest(term=term), Screen(self.home, term=term) as screen:
                screen.record()
                start_sine(screen, 3)
                screen.do("wait 15 RUNNING", "wait 20 DONE", "wait 5 s save")
                screen.settled(300)
                self.assertEqual(screen.leave(), (0, SANE))
                text = self.check_lines(screen.raw())
                going = [match[0] for match in GOING.finditer(text)]
                self.assertIn(len(going), range(2, 6), text)
                self.assertEqual(len(set(going)), len(going), text)
                pages = text.count("\n Sine - options"), text.count("95.4 MiB/s")
                self.assertEqual(pages, (1, 1), text)
        runs = self.home.run("history", "--json").json()["runs"]
        self.assertEqual([run["state"] for run in runs], ["done"] * len(PAPER))

    def test_only_what_changed_is_printed(self):
        with Screen(self.home, f"--sysroot={program.ROOT}/tests/sysroots/f5-rzg1e", term="dumb") as screen:
            screen.do("wait 15 enter tests")
            screen.settled(500)
            screen.bytes()
            screen.do("run 2500")
            self.assertEqual(screen.bytes(), 0, "an idle screen writes")
            before = marked(screen)
            screen.do("send j")
            self.assertNotEqual(marked(screen), before)
            self.assertIn(screen.bytes(), range(10, MOVE_BYTES))
            for nothing_new in ("send U", "resize 30 100"):
                screen.do(nothing_new, "run 500")
                self.assertEqual(screen.bytes(), 0, nothing_new)
            screen.do("key ctrl-l", "run 500")
            self.assertGreater(screen.bytes(), 4 * MOVE_BYTES)
            self.assertEqual(screen.leave(), (0, SANE))

    def test_keys_that_come_in_lines(self):
        """An editor's shell, and many a script, sends a line when Enter is struck: the line's own end is no Enter."""
        with Screen(self.home, term="dumb") as screen:
            screen.record()
            screen.do("wait 15 enter tests")
            while "dram" not in marked(screen):
                screen.do("send j\\n")
            screen.do("send \\n", "wait 15 enter run")
            self.assertIn("Sine", marked(screen))
            screen.do("send \\n", "wait 15 RUNNING", "wait 15 DONE", "wait 5 100 MB/s", "send \\e\\n", "wait 5 enter run")
            screen.do("send q\\n")
            self.assertEqual(screen.exit(), 0)
            self.check_lines(screen.raw())

    def test_stop_and_the_question_on_leaving(self):
        with Screen(self.home, term="dumb") as screen:
            screen.record()
            start_sine(screen, 100)
            screen.do("wait 15 RUNNING", "send q", "wait 5 One run is alive")
            screen.settled(300)
            screen.bytes()
            screen.do("run 2500")
            self.assertEqual(screen.bytes(), 0, "it goes on behind a question")
            screen.do("key escape", "run 1500", "wait 5 RUNNING", "send x", "wait 10 CANCELLED")
            self.assertEqual(screen.leave(), (0, SANE))
            self.check_lines(screen.raw())

    def test_any_reported_size_is_readable(self):
        for rows, columns in SIZES:
            with self.subTest(size=f"{rows}x{columns}"), Screen(self.home, term="dumb", size=(rows, columns)) as screen:
                screen.record()
                screen.settled(700)
                self.assertEqual(screen.leave(), (0, SANE))
                text = self.check_lines(screen.raw())
                for word in ("STORAGE", "MEMORY", "dram", "enter tests"):
                    self.assertIn(word, text)
                self.assertLessEqual(max(map(len, text.split("\n"))), min(max(columns - 1, 40), 132))

    def test_no_end_writes_more_than_lines(self):
        """TERM alone does not tell the guard parent that a tty33 takes no escape sequence."""
        for term in PAPER[:2]:
            for name in ("KILL", "SEGV", "TERM"):
                with self.subTest(term=term, name=name), Screen(self.home, term=term) as screen:
                    screen.record()
                    start_sine(screen, 100)
                    screen.do("wait 15 RUNNING")
                    workers = screen.pids("iodyno-worker")
                    number = signal.Signals[f"SIG{name}"]
                    os.kill(screen.await_pid("iodyno-screen"), number)
                    self.assertEqual(screen.exit(), 128 + number)
                    self.assertEqual(screen.state(), SANE)
                    self.assertIsNotNone(seconds_until_gone(workers, 8))
                    self.check_lines(screen.raw())

    def check_screen(self, screen, said):
        screen.do("wait 15 STORAGE", f"wait 5 {said}")
        self.assertIn("alternate=1", screen.state())
        screen.do("send ?", "wait 5 Keys", "key escape", "gone 5 Keys")
        self.assertEqual(screen.leave(), (0, SANE))

    def test_an_unknown_terminal_gets_a_screen_and_a_sentence(self):
        with Screen(self.home, term="nonsense") as screen:
            self.check_screen(screen, "TERM=nonsense is unknown")
        with Screen(self.home, term="") as screen:
            self.check_screen(screen, "TERM is not set")
        with Screen(self.home, wrapper=("env", "-u", "TERM")) as screen:
            self.check_screen(screen, "TERM is not set")

    def test_a_terminal_with_sequences_of_its_own_gets_those(self):
        with Screen(self.home, term="wy50") as screen:
            screen.record()
            screen.do("run 1500")
            self.assertEqual(screen.leave()[0], 0)
            self.assertNotIn(b"\x1b[", screen.raw())

    @unittest.skipIf(os.geteuid() != 0, "hiding the descriptions of terminals needs root")
    def test_without_any_description_it_prints_lines(self):
        with Screen(self.home, term="xterm", wrapper=NO_DESCRIPTIONS) as screen:
            screen.record()
            open_menu(screen)
            self.assertEqual(screen.leave(), (0, SANE))
            self.check_lines(screen.raw())


if __name__ == "__main__":
    program.main()
