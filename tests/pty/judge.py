"""judge: drives pty-dump from Python tests. look() runs a program under a script and returns what it printed."""
import os
import subprocess

BUILD = os.environ.get("IODYNO_BUILD_DIR", "")
HERE = os.path.dirname(os.path.abspath(__file__))
# newterm() of a terminal nobody knows leaves 1.6 KB behind: curses' own, once.
SANITIZER = f"suppressions={HERE}/leaks.txt:print_suppressions=0"
DUMP = os.path.join(BUILD, "tests/pty/pty-dump")


class Seen:
    """What one run of pty-dump printed: screens by name, the other lines in order."""

    def __init__(self, code, text, errors):
        self.code, self.errors, self.screens, self.looks, self.lines = code, errors, {}, {}, []
        lines = iter(text.split("\n"))
        for line in lines:
            word = line.split(" ")
            if word[0] in ("dump", "looks") and len(word) == 3:
                rows = []
                for row in lines:
                    if row == "end":
                        break
                    rows.append(row)
                (self.screens if word[0] == "dump" else self.looks)[word[1]] = rows
            elif line:
                self.lines.append(line)

    def values(self, word):
        """The rest of each line that begins with `word`: values("bytes") -> ["3181", "0"]."""
        return [line[len(word) + 1:] for line in self.lines if line.startswith(word + " ")]


def look(program, script, size="24x80", baud=0, limit=60, **environment):
    """Runs `program` (a list) on a terminal; `environment` adds variables, None removes one."""
    full = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "LINES", "COLUMNS")}
    for key, value in {"TERM": "xterm-256color", "LANG": None, "LC_ALL": None, "LC_CTYPE": None,
                       "LSAN_OPTIONS": SANITIZER, **environment}.items():
        full.pop(key, None)
        if value is not None:
            full[key] = value
    done = subprocess.run([DUMP, f"--size={size}", f"--baud={baud}", f"--limit={limit}", "--", *program],
                          input=script, env=full, capture_output=True, text=True, timeout=limit + 30)
    return Seen(done.returncode, done.stdout, done.stderr)
