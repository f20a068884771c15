#!/usr/bin/env python3
"""The golden screens: pictures of recorded machines and made runs, without a clock in them.

    screens.py BUILD_DIR            compares with NAME.txt beside this file, prints a diff, exit 1
    screens.py BUILD_DIR --update   writes NAME.txt anew
"""
import difflib
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ARGUMENTS = [argument for argument in sys.argv[1:] if argument != "--update"]
if ARGUMENTS:
    os.environ["IODYNO_BUILD_DIR"] = ARGUMENTS[0]
sys.path[:0] = [str(HERE), str(HERE.parent / "pty"), str(HERE.parent / "sysroots")]
import make  # noqa: E402
import runs  # noqa: E402
from screen import Screen, program  # noqa: E402

RESULT = ("wait 15 DONE", "wait 5  took ")
PICTURE = (*RESULT, "send g", "wait 5 mean")
LOSSY = runs.network(runs.LOSSY_BPS, runs.LOSSY_RETRANSMITS)
TURNS = runs.network_turns()
SOAK = runs.network_soak()
CARD = runs.card_write()
ENDS = ("wait 15 DONE", "wait 5 same by hand")  # a network run's result
FLOW = (*ENDS, "send g", "wait 5 read out")
OWN = ("wait 15 DONE", "send g", "wait 5 read out")  # a test's own charts
OWN_SMALL = ("wait 15 DONE", "send g", "wait 5 zoom")
FAULT = ("wait 15 FAILED", "send g", "wait 5 read out")
CUT = ("wait 15 CANCELLED", "send g", "wait 5 read out")
MEMORY = {"bandwidth": runs.memory_bandwidth(), "stairs": runs.memory_stairs(), "latency": runs.memory_latency(),
          "verify": runs.memory_verify()}

#         name                    size       glyphs     run or machine         what is typed
SCREENS = (
    ("home-24x80", (24, 80), "eighths", "f5-rzg1e", ("wait 15 STORAGE",)),
    ("home-40x120-ascii", (40, 120), "ascii", "f1-allwinner", ("wait 15 STORAGE",)),
    ("home-ports-24x80", (24, 80), "eighths", "net-broken", ("wait 15 eth2",)),
    ("write-12x40", (12, 40), "eighths", CARD, ("wait 15 DONE", "send g", "wait 5 mean")),
    ("write-24x80", (24, 80), "eighths", CARD, PICTURE),
    ("write-40x120", (40, 120), "eighths", CARD, PICTURE),
    ("write-67x240", (67, 240), "eighths", CARD, PICTURE),
    ("write-24x80-shades", (24, 80), "shades", CARD, PICTURE),
    ("write-24x80-ascii", (24, 80), "ascii", CARD, PICTURE),
    ("write-result-24x80", (24, 80), "eighths", CARD, RESULT),
    ("network-24x80", (24, 80), "eighths", LOSSY, FLOW),
    ("network-12x40", (12, 40), "eighths", LOSSY, ("wait 15 DONE", "send g", "wait 5 mean")),
    ("network-40x120", (40, 120), "eighths", LOSSY, FLOW),
    ("network-24x80-ascii", (24, 80), "ascii", LOSSY, FLOW),
    ("network-24x80-braille", (24, 80), "braille", LOSSY, FLOW),
    ("network-result-24x80", (24, 80), "eighths", LOSSY, ENDS),
    ("network-read-out-24x80", (24, 80), "eighths", LOSSY, (*FLOW, "key right", "wait 5 at 11")),
    ("network-turns-24x80", (24, 80), "eighths", TURNS, FLOW),
    ("network-turns-24x80-ascii", (24, 80), "ascii", TURNS, FLOW),
    ("network-turns-result-24x80", (24, 80), "eighths", TURNS, ENDS),
    ("network-turns-big-24x80", (24, 80), "eighths", TURNS, (*FLOW, "send b", "wait 5 receive")),
    ("network-turns-big-67x240", (67, 240), "eighths", TURNS, (*FLOW, "send b", "wait 5 receive")),
    ("network-turns-big-12x40", (12, 40), "eighths", TURNS,
     ("wait 15 DONE", "send g", "wait 5 mean", "send b", "wait 5 receive")),
    ("network-both-24x80", (24, 80), "eighths", runs.network_both(), FLOW),
    ("network-both-24x80-ascii", (24, 80), "ascii", runs.network_both(), FLOW),
    ("network-both-streams-40x120", (40, 120), "eighths", runs.network_both(3), FLOW),
    ("network-streams-24x80", (24, 80), "eighths", runs.network_streams(), FLOW),
    ("network-streams-rows-24x80", (24, 80), "eighths", runs.network_streams(), (*FLOW, "send l", "wait 5 each row")),
    ("network-in-24x80", (24, 80), "eighths", runs.network_in(), FLOW),
    ("network-udp-in-24x80", (24, 80), "eighths", runs.network_udp(), FLOW),
    ("network-udp-out-24x80", (24, 80), "eighths", runs.network_udp("out"), FLOW),
    ("network-soak-24x80", (24, 80), "eighths", SOAK, FLOW),
    ("network-soak-result-40x120", (40, 120), "eighths", SOAK, ENDS),
    ("network-help-40x100", (40, 100), "eighths", LOSSY, (*FLOW, "send ?", "wait 5 retransmits")),
    ("write-big-24x80", (24, 80), "eighths", CARD, (*PICTURE, "send b", "wait 5 Written")),
    ("network-result-24x80-ascii", (24, 80), "ascii", LOSSY, ENDS),
    *((f"memory-{name}-24x80", (24, 80), "eighths", run, OWN) for name, run in MEMORY.items()),
    *((f"memory-{name}-40x120", (40, 120), "eighths", run, OWN) for name, run in MEMORY.items()),
    *((f"memory-{name}-24x80-ascii", (24, 80), "ascii", run, OWN) for name, run in MEMORY.items()),
    *((f"memory-{name}-12x40", (12, 40), "eighths", run, OWN_SMALL) for name, run in MEMORY.items()),
    ("memory-bandwidth-midway-24x80", (24, 80), "eighths", runs.memory_bandwidth(15), CUT),
    ("memory-stairs-midway-24x80", (24, 80), "eighths", runs.memory_stairs(16), CUT),
    ("memory-stairs-read-out-24x80", (24, 80), "eighths", MEMORY["stairs"],
     (*OWN, "key right", "key right", "key right", "wait 5 at 8K")),
    ("memory-latency-24x80-braille", (24, 80), "braille", MEMORY["latency"], OWN),
    ("memory-stairs-24x80-shades", (24, 80), "shades", MEMORY["stairs"], OWN),
    ("memory-verify-error-24x80", (24, 80), "eighths", runs.memory_verify(True), FAULT),
    ("memory-bandwidth-result-24x80", (24, 80), "eighths", MEMORY["bandwidth"], ("wait 15 DONE",)),
    ("memory-stairs-result-40x120", (40, 120), "eighths", MEMORY["stairs"], ("wait 15 DONE",)),
    ("memory-verify-result-24x80", (24, 80), "eighths", MEMORY["verify"], ("wait 15 DONE",)),
    ("help-24x80", (24, 80), "eighths", "f5-rzg1e", ("wait 15 STORAGE", "send ?", "wait 5 Keys")),
)


def take(home, size, glyphs, source, script):
    """The picture as text."""
    words = [f"--glyphs={glyphs}"]
    if isinstance(source, str):
        kept = program.ROOT / "tests/sysroots" / source
        words.append(f"--sysroot={kept if kept.exists() else make.make(home.path / 'made', source)}")
    else:
        words = ["replay", runs.write(home.path / "run.jsonl", source), "--step", *words]
    lang = "C" if glyphs == "ascii" else "C.UTF-8"
    with Screen(home, *words, size=size, lang=lang, env={"TZ": "UTC"}) as screen:
        screen.do(*script)
        picture = screen.settled(400)
        screen.leave()
    return "".join(row + "\n" for row in picture)


def main():
    home, faults = program.Home(), 0
    try:
        for name, *what in SCREENS:
            path, picture = HERE / f"{name}.txt", take(home, *what)
            if "--update" in sys.argv:
                path.write_text(picture, encoding="utf-8")
                continue
            golden = path.read_text(encoding="utf-8") if path.exists() else ""
            if picture != golden:
                faults += 1
                sys.stdout.writelines(difflib.unified_diff(golden.splitlines(True), picture.splitlines(True),
                                                           f"tests/golden/{name}.txt", "the screen"))
    finally:
        home.close()
    print(f"{len(SCREENS)} screens, {faults} differ" + (": if that is as it should be, tests/golden/update BUILD_DIR"
                                                       if faults else ""))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
