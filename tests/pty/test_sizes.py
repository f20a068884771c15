#!/usr/bin/env python3
"""Every screen at every size: alive from 1x1 on, keys work, nothing is left behind by a storm of resizes."""
import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from screen import SANE, Screen, choose, open_menu, program, start_test  # noqa: E402

SIZES = ((1, 1), (3, 10), (10, 3), (12, 40), (24, 80), (40, 120), (67, 240), (100, 300))
STORM = [f"resize {rows} {columns}" for rows, columns in (*SIZES, *reversed(SIZES), (1, 300), (300, 1), (2, 2))]
SPREAD = [line for resize in STORM for line in (resize, "run 40")]
RULE = "─"
FRAMED = (12, 40)  # from here on a screen has its frame: header, rule, body, rule, events, keys. A run
# does without its second rule.


def rules(dump):
    return [i for i, row in enumerate(dump) if row.startswith(RULE * 8)]


class Sizes(program.Case):
    def check_frame(self, dump, rows, columns, is_run=False):
        """The frame closes: two rules over the whole width, in their places, and keys in the last line."""
        self.assertEqual(len(dump), rows)
        self.assertTrue(all(len(row) <= columns for row in dump), f"wider than {columns}:\n{dump}")
        if rows < FRAMED[0] or columns < FRAMED[1]:
            return
        found = rules(dump)
        self.assertEqual(found[0], 1, f"\n{dump}")
        self.assertIn(found[-1], (rows - 3,) if not is_run else (1, rows - 3), f"\n{dump}")
        for i in (found[0], found[-1]):
            self.assertEqual(dump[i], RULE * columns, f"\n{dump}")
        self.assertTrue(dump[0].strip() and dump[-1].strip(), f"\n{dump}")

    def test_starts_and_quits_at_any_size(self):
        for rows, columns in SIZES:
            with self.subTest(size=f"{rows}x{columns}"), Screen(self.home, size=(rows, columns)) as screen:
                screen.do("run 100")
                dump = screen.settled()
                self.assertTrue(any(row.strip() for row in dump), "an empty screen")
                self.check_frame(dump, rows, columns)
                before = dump
                screen.do("key down", "send ?")
                self.assertNotEqual(screen.settled(), before, "no key changed anything")
                screen.do("key escape")
                self.assertEqual(screen.leave(), (0, SANE))

    def storm(self, screen, is_still=True):
        """Storms through the sizes and comes back: the same picture, and the one a repaint gives."""
        before = screen.settled() if is_still else None
        screen.do(*STORM, *SPREAD)
        for rows, columns in SIZES:
            screen.do(f"resize {rows} {columns}", "run 120")
            dump = screen.settled(80, 5) if is_still else screen.dump()
            self.check_frame(dump, rows, columns, not is_still)
        screen.do("resize 24 80", "run 120")
        after = screen.settled() if is_still else screen.dump()
        if is_still:
            self.assertEqual(after, before, f"after the storm:\n{after}\nbefore:\n{before}")
            screen.do("key ctrl-l")
            self.assertEqual(screen.settled(), before, "a repaint shows something else")
        self.check_frame(after, 24, 80, not is_still)

    def test_home_help_history_runs(self):
        with Screen(self.home, f"--sysroot={program.ROOT}/tests/sysroots/f5-rzg1e") as screen:
            screen.do("wait 15 STORAGE")
            self.storm(screen)
            for key, text in (("?", "Keys"), ("H", "History"), ("r", "Runs")):
                with self.subTest(screen=text):
                    screen.do(f"send {key}", f"wait 10 {text}")
                    self.storm(screen)
                    screen.do("key escape", f"gone 10 {text}")
            self.assertEqual(screen.leave(), (0, SANE))

    def test_menu_and_form(self):
        with Screen(self.home) as screen:
            open_menu(screen)
            choose(screen, "Sine")
            self.storm(screen)
            screen.do("send o", "wait 10 enter start")
            self.storm(screen)
            screen.do("key escape", "gone 10 enter start")
            self.assertEqual(screen.leave(), (0, SANE))

    def test_run_dialog_and_result(self):
        with Screen(self.home) as screen:
            start_test(screen, "Sine", time="100s")
            self.storm(screen, is_still=False)
            screen.do("send q", "wait 10 One run is alive")
            screen.do(*STORM, *SPREAD, "resize 24 80", "wait 10 One run is alive", "key escape", "gone 10 is alive")
            screen.do("send x", "wait 10 CANCELLED")
            screen.settled(600, 10)
            self.storm(screen)
            self.assertEqual(screen.leave(), (0, SANE))


if __name__ == "__main__":
    program.main()
