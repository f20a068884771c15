#!/usr/bin/env python3
"""fences.py must fail: each kind of breach is planted in a small tree and must be named."""
import pathlib
import subprocess
import sys
import tempfile

FENCES = pathlib.Path(__file__).with_name("fences.py")
BREACHES = {
    "stair": ({"core/base/a.c": '#include "run/b.h"\n', "core/run/b.h": ""}, "room base stands above run"),
    "circle": ({"core/run/a.h": '#include "run/b.h"\n', "core/run/b.h": '#include "run/a.h"\n'}, "circle of files"),
    "curses": ({"tui/screen/a.c": "#include <ncurses.h>\n"}, "<ncurses.h> belongs in"),
    "screen": ({"tui/screen/a.c": '#include "screen/b.h"\n', "tui/screen/b.h": ""}, "never includes another"),
    "widget": ({"tui/widget/a.c": '#include "core.h"\n', "core/core.h": ""}, "pure data headers"),
    "plugin": ({"plugins/storage/a.c": '#include "base/str.h"\n', "core/base/str.h": ""}, "iodyno/plugin.h and"),
    "dlopen": ({"core/run/a.c": "void f(void) { dlopen(0, 0); }\n"}, "dlopen belongs in core/worker/"),
    "sqlite": ({"core/run/a.c": "#include <sqlite3.h>\n"}, "<sqlite3.h> belongs in core/store/"),
    "printf": ({"core/run/a.c": "void f(void) { printf(0); }\n"}, "printf belongs in"),
    "goto": ({"core/run/a.c": "void f(void) { goto x; x:; }\n"}, "goto belongs in no file"),
    "card": ({"core/device/a.c": "int x = MMC_IOC_CMD;\n"}, "MMC_IOC_CMD belongs in no file"),
    "ioctl": ({"core/device/a.c": "#include <linux/mmc/ioctl.h>\n"}, "<linux/mmc/ioctl.h> belongs in"),
    "lost": ({"core/run/a.c": '#include "run/none.h"\n'}, "which no room has"),
}


def run(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, FENCES, folder], capture_output=True, text=True, check=False)


def main():
    failed = 0
    for name, (files, sentence) in BREACHES.items():
        done = run(files)
        ok = done.returncode == 1 and sentence in done.stdout
        print(f"{'ok' if ok else 'FAIL'} {name}" + ("" if ok else ": " + done.stdout.strip()))
        failed += not ok
    clean = run({"core/run/a.c": '/* dlopen( in a comment */\n#include "base/b.h"\n', "core/base/b.h": ""})
    print("ok clean" if clean.returncode == 0 else "FAIL clean: " + clean.stdout)
    return 1 if failed or clean.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
