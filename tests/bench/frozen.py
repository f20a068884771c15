#!/usr/bin/env python3
"""The screen beside a frozen file system, and after kill -9 of the screen: each bar with its figure. Needs root.

    frozen.py BUILD_DIR [--rounds=1] [--assert]

With --assert the exit code tells, and times count at ten times their bar (other programs may be running).
"""
import argparse
import os
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
LATE_MS, STALLED_S, STOPPING_S, GONE_S = 100, 2.0, 1.0, 6.0
TIME_SLACK = 10


class Bars:
    def __init__(self):
        self.missed = 0

    def __call__(self, name, value, most, unit, is_time=True):
        is_met = value is not None and value <= most
        is_fit = value is not None and value <= most * (TIME_SLACK if is_time else 1)
        text = "never" if value is None else f"{value:.3f} {unit}"
        print(f"{'met ' if is_met else 'MISS'}  {name}: {text}; bar {most} {unit}", flush=True)
        self.missed += not is_fit

    def clean(self, name, seen):
        from screen import SANE
        is_met = not seen.get("left") and seen.get("room_s", 0) is not None and seen["terminal"] == SANE
        print(f"{'met ' if is_met else 'MISS'}  {name}: terminal {seen['terminal']}"
              + (f", files left {seen['left']}, room back {seen['room_s'] is not None}" if "left" in seen else ""))
        self.missed += not is_met


def play(home, bars, frozen):
    seen = frozen.freeze_a_run(home)
    bars("frozen: worst lateness of the screen's timers", seen["late_ms"], LATE_MS, "ms")
    bars("frozen: \"stalled\" is said after", seen["stalled_s"], STALLED_S, "s")
    bars("frozen: \"stopping\" is said after", seen["stopping_s"], STOPPING_S, "s")
    print(f"      frozen: ended {seen['ended_s']:.2f} s after the thaw as {seen['state']}")
    bars.clean("frozen: afterwards", seen)
    for name, kill in (("a write", frozen.kill_in_a_write), ("a frozen write, after the thaw", frozen.kill_while_frozen),
                       ("selftest.hang", frozen.kill_in_a_hang)):
        seen = kill(home)
        bars(f"kill -9 of the screen in {name}: worker gone after", seen["gone_s"], GONE_S, "s")
        bars.clean(f"kill -9 of the screen in {name}: afterwards", seen)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--assert", dest="is_asserting", action="store_true")
    options = parser.parse_args()
    os.environ["IODYNO_BUILD_DIR"] = options.build
    sys.path.insert(0, str(TESTS / "lib"))
    import frozen
    import program
    import slowdisk
    reason = slowdisk.why_not(throttle=True)
    if reason:
        print(f"skipped: {reason}")
        return 77
    bars = Bars()
    for _ in range(options.rounds):
        home = program.Home()
        try:
            play(home, bars, frozen)
        finally:
            home.close()
    return 1 if bars.missed and options.is_asserting else 0


if __name__ == "__main__":
    sys.exit(main())
