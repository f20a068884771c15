#!/usr/bin/env python3
"""`list --json` of every recorded machine against golden/NAME.json. `test_golden.py --update` takes them anew."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lib"), str(HERE)]

import make  # noqa: E402
import program  # noqa: E402

GOLDEN = HERE / "golden"
KEPT = sorted(p.name for p in HERE.iterdir() if (p / "sys").is_dir())


def roots(folder):
    """Name and root of each machine: kept ones, and those made from tables."""
    for name in KEPT:
        yield name, HERE / name
    for name in make.TREES:
        yield name, make.make(folder, name)


def listed(root):
    done = subprocess.run([program.BUILD / "bin/iodyno", "list", "--json", "--all", "--sysroot", root],
                          capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{root}: exit {done.returncode}: {done.stderr}")
    return done.stdout


class Golden(unittest.TestCase):
    maxDiff = 4000

    def test_lists(self):
        with tempfile.TemporaryDirectory(prefix="iodyno-roots-") as folder:
            seen = set()
            for name, root in roots(folder):
                seen.add(name)
                with self.subTest(name):
                    self.assertEqual(listed(root), (GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
            self.assertEqual({p.stem for p in GOLDEN.glob("*.json")}, seen)


def update():
    GOLDEN.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="iodyno-roots-") as folder:
        for name, root in roots(folder):
            (GOLDEN / f"{name}.json").write_text(listed(root), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        program.main()
