#!/usr/bin/env python3
"""The terminal and the charts on a real pseudo-terminal, seen through an emulator."""
import os
import re
import sys
import tempfile
import unittest

from judge import BUILD, DUMP, look

DEMO = os.path.join(BUILD, "tests/pty/plot-demo")
READY = "quiet 100 5\n"
FIRST_FRAME_BYTES = 3072
PLOT_BYTES_PER_S = 400


def demo(*arguments):
    return [DEMO, *arguments]


class Terminal(unittest.TestCase):
    def assert_left_clean(self, seen):
        self.assertEqual(seen.values("state")[-1], "alternate=0 cursor=1 mouse=0 termios=as-before", seen.errors)

    def test_faults_leave_the_terminal_as_it_was(self):
        for name in ("SEGV", "ABRT", "BUS", "FPE", "ILL"):
            with self.subTest(name):
                seen = look(demo("sine"), f"{READY}state\nsignal {name}\nexit 3\nstate\n")
                self.assertIn("alternate=1 cursor=0", seen.values("state")[0])
                self.assertEqual(seen.values("exit"), [f"signal {name}"])
                self.assert_left_clean(seen)

    def test_interrupt_keys_are_keys(self):
        seen = look(demo("sine"), f"{READY}key ctrl-c\nkey ctrl-z\nsend \\x1c\nrun 200\nexpect MB/s\nsend q\nexit 3\nstate\n")
        self.assertEqual(seen.values("exit"), ["0"], seen.errors)
        self.assert_left_clean(seen)

    def test_an_unset_locale_is_utf8_and_a_set_c_is_ascii(self):
        seen = look(demo("sine"), f"{READY}high\ndump a\n", TERM="linux")
        self.assertGreater(int(seen.values("high")[0]), 0)
        self.assertIn("┼", "".join(seen.screens["a"]))
        for term in ("linux", "xterm-256color", "vt100"):
            seen = look(demo("gap", "--cursor=9"), f"{READY}high\ndump a\n", TERM=term, LC_ALL="C")
            self.assertEqual(seen.values("high"), ["0"])
            self.assertIn("SDR104", "".join(seen.screens["a"]))

    def test_no_terminal_shows_line_letters(self):
        for term in ("xterm", "vt100", "ansi", "putty", "linux", "screen", "dumb", "", "no-such-terminal"):
            for locale in ("C.UTF-8", "C"):
                with self.subTest(term=term, locale=locale), tempfile.NamedTemporaryFile() as log:
                    seen = look(demo("sine"), f"log {log.name}\n{READY}dump a\nsend q\nexit 3\nstate\n", TERM=term, LC_ALL=locale)
                    self.assertEqual(seen.values("exit"), ["0"], seen.errors)
                    self.assertIsNone(re.search("[lqkxmjtuvwn]{4}", "".join(seen.screens["a"])))
                    written = log.read()
                    self.assertNotIn(b"\x1b(0", written)
                    self.assertNotIn(b"\x0e", written)
                    self.assert_left_clean(seen)

    def test_a_console_shows_only_what_its_fonts_have(self):
        seen = look(demo("noisy", "--cursor=3"), f"{READY}dump a\n", TERM="linux")
        shown = set("".join(seen.screens["a"])) - set(map(chr, range(0x20, 0x7f)))
        self.assertLessEqual(shown, set("─│┤┼┬█░▒·↑←→"), shown)

    def test_no_colour_when_asked(self):
        for variable in ("1", ""):
            seen = look(demo("sine"), f"{READY}looks a\n", NO_COLOR=variable)
            colours = [line for line in seen.looks["a"] if re.search(r"fg=\d", line)]
            self.assertEqual(bool(colours), variable == "")

    def test_a_palette_is_given_back(self):
        theme = os.path.join(BUILD, "share/iodyno/themes/console.ini")
        for end in ("send q", "signal SEGV"):
            with tempfile.NamedTemporaryFile() as log:
                look(demo("sine", f"--theme={theme}"), f"log {log.name}\n{READY}{end}\nexit 3\n", TERM="linux")
                written = log.read()
                self.assertIn(b"\x1b]P", written)
                self.assertGreater(written.rfind(b"\x1b]R"), written.rfind(b"\x1b]P"))

    def test_any_size_is_alive(self):
        script = READY + "".join(f"resize {r} {c}\nquiet 60 3\n" for r, c in
                                 ((1, 1), (3, 10), (12, 40), (11, 39), (67, 240), (2, 200), (200, 2), (24, 80)))
        seen = look(demo("sine"), f"{script}dump a\nsend q\nexit 3\nstate\n")
        self.assertEqual(seen.values("exit"), ["0"], seen.errors)
        fresh = look(demo("sine"), f"{READY}dump a\n")
        self.assertEqual(seen.screens["a"], fresh.screens["a"])
        self.assert_left_clean(seen)

    def test_nothing_new_is_no_byte(self):
        seen = look(demo("sine"), f"{READY}bytes\nsend r\nsend r\nrun 300\nbytes\n")
        self.assertEqual(seen.values("bytes")[1], "0")

    def test_first_frame_is_short(self):
        seen = look(demo("sine", "--for=0"), f"{READY}bytes\n")
        self.assertLessEqual(int(seen.values("bytes")[0]), FIRST_FRAME_BYTES)

    def test_a_moving_plot_is_cheap(self):
        for shape in ("sine", "noisy"):
            seen = look(demo(shape, "--live", "--one", "--for=20", "--planned=60"), "quiet 60 3\nbytes\nrun 4000\nbytes\n")
            self.assertLessEqual(int(seen.values("bytes")[1]) / 4, PLOT_BYTES_PER_S)

    def test_a_slow_line_still_answers(self):
        seen = look(demo("noisy", "--live"), "wait 5 quit\nrun 1500\nclock\nsend q\nexit 5\nclock\n", TERM="vt220", baud=9600)
        self.assertLessEqual(int(seen.values("clock")[1]), 1000, seen.errors)

    def test_keys_of_every_terminal(self):
        for term in ("xterm-256color", "linux", "vt220", "screen"):
            seen = look(demo("sine"), f"{READY}key up\nkey down\nkey f1\nkey escape\nrun 150\nexpect MB/s\nsend q\nexit 3\n", TERM=term)
            self.assertEqual(seen.values("exit"), ["0"], seen.errors)


class Judge(unittest.TestCase):
    """The judge itself must be able to say no."""

    def test_it_fails_when_something_does_not_come_true(self):
        self.assertEqual(look(["true"], "wait 1 never\n").code, 1)
        self.assertEqual(look(["sleep", "5"], "wait 0.2 never\n").code, 1)
        self.assertEqual(look(["sleep", "5"], "expect never\n").code, 1)
        self.assertEqual(look(["echo", "hello"], "wait 2 hello\nreject hello\n").code, 1)
        self.assertEqual(look(["sleep", "5"], "run 9000\n", limit=1).code, 1)

    def test_bad_scripts_are_refused(self):
        for line in ("fly", "wait TEXT", "key hyper", "signal NONE", "resize 0 0", "send \\q"):
            self.assertEqual(look(["sleep", "5"], line + "\n").code, 2, line)

    def test_it_sees_ends_sizes_and_modes(self):
        seen = look(["sh", "-c", "stty size; stty -echo; printf '\\033[?1049h\\033[?25l'; exit 7"],
                    "exit 3\nstate\n", size="7x33")
        self.assertEqual(seen.values("exit"), ["7"])
        self.assertEqual(seen.values("state"), ["alternate=1 cursor=0 mouse=0 termios=changed"])
        seen = look(["sh", "-c", "stty size; printf 'ab\\033[3bc'"], "exit 3\ndump a\n", size="7x33")
        self.assertEqual(seen.screens["a"][:2], ["7 33", "abbbbc"])


if __name__ == "__main__":
    if not os.access(DUMP, os.X_OK):
        print("no pty-dump was built (libvterm)")
        sys.exit(77)
    unittest.main()
