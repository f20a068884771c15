#!/usr/bin/env python3
"""The installed tree runs from its prefix, and after it was moved, without any environment variable."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "lib"))
from program import BUILD, main  # noqa: E402


class InstallTest(unittest.TestCase):
    def test_moved_tree_finds_its_parts(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="iodyno-install-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        first, moved = folder / "first", folder / "moved here"
        subprocess.run(["cmake", "--install", str(BUILD), "--prefix", str(first)], check=True, capture_output=True)
        first.rename(moved)
        env = {"HOME": str(folder), "PATH": os.environ["PATH"]}

        def iodyno(*words):
            return subprocess.run([str(moved / "bin/iodyno"), *words], capture_output=True, text=True, env=env,
                                  check=False, timeout=120)

        tests = iodyno("tests")
        self.assertEqual(tests.returncode, 0, tests.stderr)
        self.assertIn("storage.write", tests.stdout)
        run = iodyno("run", "selftest.ramp", "dram", "--time=300ms")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("selftest.ramp", iodyno("history").stdout)
        doctor = iodyno("doctor")
        self.assertEqual(doctor.returncode, 0, doctor.stdout)
        for part in ("include/iodyno/plugin.h", "share/iodyno/themes/default.ini"):
            self.assertTrue((moved / part).is_file(), part)


if __name__ == "__main__":
    main()
