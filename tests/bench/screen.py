#!/usr/bin/env python3
"""The screen's own cost: first frame, idle bytes, processor and memory while it draws.

    screen.py BUILD_DIR [--seconds=25] [--assert]

Prints each bar with its figure. With --assert the exit code tells: bytes and memory at their bars, times at ten times
theirs (other programs may be running).
"""
import argparse
import fcntl
import math
import os
import pathlib
import pty
import select
import statistics
import struct
import sys
import termios
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
FIRST_FRAME_MS, FIRST_FRAME_BYTES = 50, 3 * 1024
CPU_S_A_MINUTE, RESIDENT_KB = 1.2, 6 * 1000
TIME_SLACK = 10
STARTS = 15
IDLE_MS = 5000
SIZES = ((24, 80), (40, 120), (67, 240))
STILL_MACHINE = "f5-rzg1e"  # the list of devices does not change while we look
NOISE = 7919


def bar(name, text, is_met, is_fit=None):
    """Prints it; 1 when not even the asserted limit holds."""
    print(f"{'met ' if is_met else 'MISS'}  {name}: {text}", flush=True)
    return not (is_met if is_fit is None else is_fit)


def run_on_pty(argv, env, size):
    """The master's descriptor and the pid, and when it began."""
    begin = time.monotonic()
    pid, master = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        os.execve(argv[0], argv, env)
    return master, pid, begin


def first_frame(home, size):
    """Milliseconds from before the fork to the end of the first frame, and its bytes."""
    import program
    argv = [str(program.BUILD / "bin/iodyno"), f"--sysroot={program.ROOT}/tests/sysroots/{STILL_MACHINE}"]
    env = {**home.env, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    master, pid, begin = run_on_pty(argv, env, size)
    seen, at = b"", None
    while at is None and select.select([master], [], [], 10)[0]:
        seen += os.read(master, 65536)
        if b"quit" in seen[-40:]:  # the last word of the last line
            at = time.monotonic()
    while select.select([master], [], [], 0.3)[0]:
        os.read(master, 65536)
    os.write(master, b"q")
    while True:
        try:
            if not select.select([master], [], [], 5)[0] or not os.read(master, 65536):
                break
        except OSError:
            break
    os.close(master)
    os.waitpid(pid, 0)
    if at is None:
        raise SystemExit(f"no first frame: {seen!r}")
    return (at - begin) * 1000, len(seen)


def check_first_frame(home):
    missed = 0
    for size in SIZES:
        taken = [first_frame(home, size) for _ in range(STARTS if size == SIZES[0] else 3)]
        ms, count = statistics.median(ms for ms, _ in taken), max(count for _, count in taken)
        text = f"{ms:.1f} ms (median of {len(taken)}, worst {max(ms for ms, _ in taken):.1f}), {count} bytes"
        if size != SIZES[0]:
            print(f"      first frame {size[1]}x{size[0]}: {text}")
            continue
        missed += bar("first frame 80x24", f"{text}; bars {FIRST_FRAME_MS} ms, {FIRST_FRAME_BYTES} bytes",
                      ms <= FIRST_FRAME_MS and count <= FIRST_FRAME_BYTES,
                      ms <= FIRST_FRAME_MS * TIME_SLACK and count <= FIRST_FRAME_BYTES)
    return missed


def check_idle(home, Screen, runs):
    path = runs.write(home.path / "done.jsonl", runs.card_write())
    machine = f"--sysroot={TESTS}/sysroots/{STILL_MACHINE}"
    missed = 0
    for name, words, ready in (("home", (), "wait 15 STORAGE"),
                               ("finished result", (f"--replay={path}", "--speed=0"), "wait 15 FIGURES")):
        with Screen(home, machine, *words) as screen:
            screen.do(ready, "quiet 700 10")
            screen.bytes()
            screen.do(f"run {IDLE_MS}")
            count = screen.bytes()
            screen.leave()
        missed += bar(f"idle, {name}", f"{count} bytes in {IDLE_MS / 1000:.0f} s; bar 0", count == 0)
    return missed


def ten_hertz(runs, seconds):
    """A run of that many seconds in intervals of 0.1 s: a wave with noise, as a device shows it."""
    lines = [runs.start("storage.write", "Sequential write", runs.CARD, {"method": "dd-direct"}, runs.STORAGE[:3], 0.1),
             runs.phase("write", 0.0)]
    for i in range(seconds * 10):
        amount = 4000000 + round(1500000 * math.sin(i / 15)) + (i * NOISE) % 1000003
        lines.append(runs.interval("device_written", i / 10, (i + 1) / 10, amount))
    return lines + [runs.end(float(seconds))]


def cpu_s(pid):
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def resident_kb(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return next(int(row.split()[1]) for row in status.splitlines() if row.startswith("VmHWM"))


def check_drawing(home, Screen, runs, seconds):
    path = runs.write(home.path / "ten.jsonl", ten_hertz(runs, seconds + 20))
    missed = 0
    for size in SIZES:
        is_bar = size == SIZES[0]
        with Screen(home, f"--replay={path}", "--speed=1", size=size, limit=seconds + 60) as screen:
            screen.do("wait 15 MB/s   mean", "run 1000")
            pid = screen.await_pid("iodyno-screen")
            screen.bytes()
            before, begin = cpu_s(pid), time.monotonic()
            screen.do(f"run {(seconds if is_bar else 10) * 1000}")
            took, used, count = time.monotonic() - begin, cpu_s(pid) - before, screen.bytes()
            resident = resident_kb(pid)
            screen.do("send q")
            screen.exit()
        a_minute = used / took * 60
        name = f"one plot at 10 Hz, {size[1]}x{size[0]}"
        text = f"{a_minute:.2f} CPU s/min over {took:.0f} s, {count / took:.0f} bytes/s, resident {resident} KB"
        if not is_bar:
            print(f"      {name}: {text}")
            continue
        missed += bar(name, f"{text}; bar {CPU_S_A_MINUTE}", a_minute <= CPU_S_A_MINUTE,
                      a_minute <= CPU_S_A_MINUTE * TIME_SLACK)
        missed += bar("resident", f"{resident} KB; bar {RESIDENT_KB}", resident <= RESIDENT_KB)
    return missed


def check_live(home, Screen, screen_module):
    """A live run, as it comes on the screen: four samples a second."""
    with Screen(home) as screen:
        screen_module.start_test(screen, "Sine", time="100s")
        screen.do("wait 10 MB/s   mean", "run 1000")
        pid = screen.await_pid("iodyno-screen")
        screen.bytes()
        before, begin = cpu_s(pid), time.monotonic()
        screen.do("run 10000")
        took, used, count = time.monotonic() - begin, cpu_s(pid) - before, screen.bytes()
        screen.do("send x", "wait 10 CANCELLED", "send q")
        screen.exit()
    print(f"      live sine 80x24, 4 samples a second: {used / took * 60:.2f} CPU s/min, {count / took:.0f} bytes/s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--seconds", type=int, default=25)
    parser.add_argument("--assert", dest="is_asserting", action="store_true")
    options = parser.parse_args()
    os.environ["IODYNO_BUILD_DIR"] = options.build
    sys.path[:0] = [str(TESTS / "lib"), str(TESTS / "pty"), str(TESTS / "golden")]
    import program
    import runs
    import screen
    home = program.Home()
    try:
        missed = check_first_frame(home)
        missed += check_idle(home, screen.Screen, runs)
        missed += check_drawing(home, screen.Screen, runs, options.seconds)
        check_live(home, screen.Screen, screen)
    finally:
        home.close()
    return 1 if missed and options.is_asserting else 0


if __name__ == "__main__":
    sys.exit(main())
