#!/usr/bin/env python3
"""Shape of the sources: no file above 600 lines, no function above 120, headers open with their room's sentence.

The aim is 400 and 60 (printed, not failed). Usage: shape.py SOURCE_DIR.
"""
import pathlib
import re
import sys

FILE_AIM, FILE_MOST, FUNCTION_AIM, FUNCTION_MOST = 400, 600, 60, 120


def functions(lines):
    """(first line, length) of each function body: '{' alone in column 0 to '}' in column 0."""
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start:
            yield start, number - start
            start = None


def main():
    root = pathlib.Path(sys.argv[1])
    faults, long_files, long_functions, total, count = [], 0, 0, 0, 0
    for top in ("core", "tui", "plugins"):
        for path in sorted((root / top).rglob("*.[ch]")):
            name = path.relative_to(root)
            lines = path.read_text(encoding="utf-8").split("\n")
            total += len(lines)
            count += 1
            if len(lines) > FILE_AIM:
                long_files += 1
                print(f"note: {name} has {len(lines)} lines (aim {FILE_AIM})")
            if len(lines) > FILE_MOST:
                faults.append(f"{name}: {len(lines)} lines, at most {FILE_MOST}")
            for line, length in functions(lines):
                if length > FUNCTION_AIM:
                    long_functions += 1
                    print(f"note: {name}:{line} has {length} lines (aim {FUNCTION_AIM})")
                if length > FUNCTION_MOST:
                    faults.append(f"{name}:{line}: a function of {length} lines, at most {FUNCTION_MOST}")
            if path.suffix == ".h" and not re.match(rf"/\* {re.escape(path.stem)}: ", lines[0]):
                faults.append(f"{name}: its first line must be \"/* {path.stem}: <the room's sentence>\"")
    for fault in faults:
        print(fault)
    print(f"{count} files, {total} lines; above the aim: {long_files} files, {long_functions} functions; "
          f"{len(faults)} breaches")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
