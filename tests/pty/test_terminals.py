#!/usr/bin/env python3
"""Kinds of terminals and locales: it always starts, writes only what they understand, and leaves them as they were."""
import concurrent.futures
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from screen import SANE, Screen, program, start_test  # noqa: E402

TERMS = ("xterm-256color", "xterm", "linux", "vt100", "vt220", "ansi", "screen-256color", "no-such-term", "")
LINES_AS_LETTERS = re.compile(r"[lqkmjxtunvw]{3,}")  # what DEC's line drawing leaves where nobody understands it
# What leads into line drawing. Descriptions of older terminals have the way back (0x0f) in "no attributes" and prepare
# the second set (ESC ) 0) at the start; without a shift both do nothing.
SHIFTS = (b"\x0e", b"\x1b(0", b"\x1bn", b"\x1bN")
AT_ONCE = 4
COLOUR = re.compile(rb"\x1b\[[0-9;]*\b(3[0-79]|4[0-79]|9[0-7]|10[0-7]|38|48)[;0-9]*m")
POSIX = ({"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"LANG": "C"})


def non_ascii(raw):
    return sum(byte >= 0x80 for byte in raw)


class Terminals(program.Case):
    def each(self, items, check):
        """check(item) for all, several at once: they mostly wait."""
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for item, done in [(item, pool.submit(check, item)) for item in items]:
                with self.subTest(item=item):
                    done.result()

    def walk(self, screen):
        """Home, the menu, a running test, its result; what the last two showed."""
        screen.record()
        start_test(screen, "Sine", time="3s")
        screen.do("wait 5 MB/s   mean")
        running = screen.dump()
        screen.do("wait 15 DONE", "wait 5 Mean rate")
        return running, screen.settled()

    def check_letters(self, dump):
        for row in dump:
            self.assertIsNone(LINES_AS_LETTERS.fullmatch(row.strip()), f"lines drawn as letters:\n{dump}")
        self.assertFalse(re.search(r"q{3,}|x{3,}", str(dump)), f"lines drawn as letters:\n{dump}")

    def visit(self, term, lang, env=None):
        with Screen(self.home, term=term, lang=lang, env=env) as screen:
            running, done = self.walk(screen)
            for dump in (running, done):
                self.check_letters(dump)
            self.assertIsNotNone(running.find("MB/s"), f"\n{running}")
            self.assertIsNotNone(done.find("100 MB/s"), f"\n{done}")
            code, state = screen.leave()
            self.assertEqual(code, 0)
            self.assertEqual(state, SANE)
            return running, screen.raw()

    def test_utf8_everywhere(self):
        def check(term):
            _, raw = self.visit(term, "C.UTF-8")
            raw.decode("utf-8")  # whole characters only
            self.assertEqual([shift for shift in SHIFTS if shift in raw], [])

        self.each(TERMS, check)

    def test_posix_locale_is_ascii_only(self):
        def check(term):
            running, raw = self.visit(term, None, POSIX[0])
            self.assertEqual(non_ascii(raw), 0)
            self.assertNotIn("?", "".join(running[:-1]), f"a character was replaced:\n{running}")

        self.each(TERMS, check)

    def test_each_way_to_ask_for_posix(self):
        self.each(POSIX, lambda env: self.assertEqual(non_ascii(self.visit("linux", None, env)[1]), 0))

    def test_no_locale_is_taken_for_utf8(self):
        """getty and units of systemd set none; the console is in UTF-8 mode all the same."""
        def check(term):
            _, raw = self.visit(term, None, {"LC_ALL": "", "LANG": ""})
            raw.decode("utf-8")
            self.assertGreater(non_ascii(raw), 0)

        self.each(("linux", "xterm-256color"), check)

    def test_no_locale_from_the_first_moment(self):
        """Acceptance: TERM=linux, no LANG, 80x24: the menu stands after a second and no byte is a stray one."""
        with Screen(self.home, term="linux", lang=None, env={"LANG": "", "LC_ALL": ""}) as screen:
            screen.record()
            screen.do("run 1000")
            screen.do("expect STORAGE", "expect MEMORY")
            screen.raw().decode("utf-8")
            self.assertEqual(screen.leave(), (0, SANE))

    def test_no_color(self):
        def check(term):
            self.assertIsNone(COLOUR.search(self.visit(term, "C.UTF-8", {"NO_COLOR": "1"})[1]))
            self.assertIsNotNone(COLOUR.search(self.visit(term, "C.UTF-8")[1]), "no colour without NO_COLOR either")

        self.each(("xterm-256color", "linux"), check)


if __name__ == "__main__":
    program.main()
