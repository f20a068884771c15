"""The screen as tests use it: iodyno on a pseudo-terminal of pty-dump, told what to type line by line.

    with Screen(home, size=(24, 80)) as screen:
        screen.do("wait 5 STORAGE", "key enter")     pty-dump's script language, see its dump.c
        rows = screen.dump()                          what a person sees, a string a row
        screen.leave()                                types q; the exit code and the terminal's state

What does not come true raises AssertionError with the screen in it.
"""
import itertools
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import program  # noqa: E402

LIMIT_S = 120
SANE = "alternate=0 cursor=1 mouse=0 termios=as-before"
EXIT_LIMIT_S = 20
NUMBERS = itertools.count(1)  # of screens, for their files: logs are appended to


class Dump(list):
    """Rows of a screen; str() of it is the picture."""

    def __str__(self):
        return "\n".join(self)

    def find(self, text):
        """The first row with this text, or None."""
        return next((row for row in self if text in row), None)


class Screen:
    """One pty-dump. words go to the program; alone: iodyno-screen without its guard parent."""

    def __init__(self, home, *words, size=(24, 80), term="xterm-256color", lang="C.UTF-8", env=None, baud=0,
                 limit=LIMIT_S, alone=False, wrapper=()):
        self.home = home
        binary = "libexec/iodyno/iodyno-screen" if alone else "bin/iodyno"
        environment = {k: v for k, v in home.env.items() if k not in ("LANG", "TERM", "NO_COLOR", "COLORTERM")}
        environment["TERM"] = term
        if lang is not None:
            environment["LANG"] = lang
        environment.update(IODYNO_SELFTEST="1")
        environment.update(env or {})
        argv = [*wrapper, program.BUILD / "tests/pty/pty-dump", f"--size={size[0]}x{size[1]}", f"--baud={baud}",
                f"--limit={limit}", "--", program.BUILD / binary, *words]
        number = next(NUMBERS)
        self.log = home.path / f"log-{number}"
        self.errors = open(home.path / f"errors-{number}", "w+", encoding="utf-8", errors="replace")
        self.judge = subprocess.Popen(list(map(str, argv)), env=environment, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=self.errors, text=True, encoding="utf-8",
                                      errors="surrogateescape", bufsize=1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends it whatever it does, with all that it started."""
        family = descendants(self.judge.pid)
        self.judge.stdin.close() if not self.judge.stdin.closed else None
        if self.judge.poll() is None:
            self.judge.kill()
        self.judge.wait()
        self.judge.stdout.close()
        self.errors.close()
        for pid in family:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass

    # ---- the script

    def _fail(self):
        self.judge.wait(10)
        self.errors.seek(0)
        raise AssertionError(f"pty-dump ended with {self.judge.returncode}: {self.errors.read()}")

    def _tell(self, line):
        try:
            self.judge.stdin.write(line + "\n")
            self.judge.stdin.flush()
        except OSError:
            self._fail()

    def _hear(self):
        line = self.judge.stdout.readline()
        if not line:
            self._fail()
        return line.rstrip("\n")

    def do(self, *lines):
        """Lines of the script that answer nothing; returns the milliseconds since the last do()."""
        for line in lines:
            self._tell(line)
        return self._ask("clock")

    def _ask(self, word, argument=""):
        self._tell(f"{word} {argument}".rstrip())
        name, _, answer = self._hear().partition(" ")
        assert name == word, f"asked for {word}, got {name} {answer}"
        return int(answer) if answer.isdigit() else answer

    def _picture(self, word):
        self._tell(word)
        head = self._hear().split()
        assert head[0] == word, head
        rows = int(head[2].split("x")[0])
        picture = Dump(self._hear() for _ in range(rows))
        while (line := self._hear()) != "end":
            picture.append(line)
        return picture

    def dump(self):
        return self._picture("dump")

    def looks(self):
        """Attributes: letters by cell, then what the letters mean."""
        return self._picture("looks")

    def settled(self, still_ms=150, limit_s=10):
        """The screen after nothing was written for that long."""
        self.do(f"quiet {still_ms} {limit_s}")
        return self.dump()

    def bytes(self):
        return self._ask("bytes")

    def high(self):
        return self._ask("high")

    def state(self):
        return self._ask("state")

    def exit(self, limit_s=EXIT_LIMIT_S):
        """How it ended: an exit code, or "signal NAME"."""
        return self._ask("exit", str(limit_s))

    def leave(self):
        self.do("send q")
        return self.exit(), self.state()

    def record(self):
        """From now on raw() has all that the program writes."""
        self.do(f"log {self.log}")

    def raw(self):
        self.do("run 1")
        self._tell(f"log {self.log}")  # closing flushes
        self.do("run 1")
        return self.log.read_bytes()

    # ---- its processes

    def pid(self, name):
        """The first process of that name under this screen, None."""
        return next((pid for pid in descendants(self.judge.pid) if name_of(pid) == name), None)

    def pids(self, name):
        return [pid for pid in descendants(self.judge.pid) if name_of(pid) == name]

    def await_pid(self, name, limit_s=5):
        pid = program.wait_for(lambda: self.pid(name), limit_s)
        assert pid, f"no {name} was started"
        return pid


def name_of(pid):
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        return None


def descendants(pid):
    found = []
    for child in program.children(pid):
        found.append(child)
        found.extend(descendants(child))
    return found


def is_alive(pid):
    """Neither gone nor waiting to be reaped."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def seconds_until_gone(pids, limit_s):
    """Seconds until none of the processes lives, None when the limit passed."""
    begin = time.monotonic()
    if program.wait_for(lambda: not any(map(is_alive, pids)), limit_s, 0.01):
        return time.monotonic() - begin
    return None


MARKS = ("›", ">")  # before the chosen line of a list


def chosen(dump):
    """The marked row of a list, or None."""
    return next((row for row in dump if row.lstrip().startswith(MARKS)), None)


def choose(screen, text, steps=40):
    """Moves the mark of a list onto the first line with this text."""
    screen.do("key home")
    for _ in range(steps):
        row = chosen(screen.settled(60, 5))
        if row and text in row:
            return row
        screen.do("key down")
    raise AssertionError(f"no line with {text}:\n{screen.dump()}")


def open_menu(screen, device="dram"):
    """From home into the tests of a device."""
    screen.do("wait 15 STORAGE")
    choose(screen, device)
    screen.do("key enter", "wait 10 Tests")
    screen.do("wait 15 enter run")


def in_field(dump):
    """Label and value of a form's marked field."""
    row = (chosen(dump) or "").strip().lstrip("".join(MARKS)).strip()
    return row


def set_option(screen, label, value):
    """In a form: gives the option of that label a value, by typing or, for a choice, by the arrow keys."""
    screen.do(*["key up"] * 16)
    for _ in range(16):
        if in_field(screen.settled(60, 5)).lower().startswith(label.lower()):
            break
        screen.do("key down")
    else:
        raise AssertionError(f"no field {label}:\n{screen.dump()}")
    if not any(mark in in_field(screen.dump())[len(label):] for mark in "‹<"):
        screen.do("key end", *["key backspace"] * 24, f"send {value}")
        return
    for _ in range(16):
        if f" {value} " in in_field(screen.settled(60, 5)):
            return
        screen.do("key right")
    raise AssertionError(f"no choice {value}:\n{screen.dump()}")


def start_test(screen, title, device="dram", **options):
    """From home to the running test; options by label, _ for a space."""
    open_menu(screen, device)
    choose(screen, title)
    screen.do("send o", "wait 10 enter start")
    for key, value in options.items():
        set_option(screen, key.replace("_", " "), value)
    screen.do("key enter", "wait 15 RUNNING")
