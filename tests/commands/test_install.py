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

FOREIGN = """
#include <iodyno/plugin.h>

static int run(const struct dyno_host *host, struct dyno_run *run)
{
    host->fact(run, "from", "elsewhere");
    return 0;
}

static const struct dyno_option *const options[] = {0};
static const struct dyno_metric *const metrics[] = {0};
static const struct dyno_test nothing = {
    .size = sizeof(nothing), .targets = DYNO_MEM, .id = "foreign.nothing", .title = "Nothing",
    .summary = "Does nothing.", .options = options, .metrics = metrics, .run = run,
};
static const struct dyno_test *const tests[] = {&nothing, 0};
const struct dyno_plugin dyno_plugin = {
    DYNO_MAGIC, DYNO_ABI_MAJOR, DYNO_ABI_MINOR, sizeof(struct dyno_plugin), "foreign", "Foreign", "1", "MIT", tests,
};
"""


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
        self.build_foreign_plugin(folder, moved)
        tests = iodyno("tests")
        self.assertIn("foreign.nothing", tests.stdout, tests.stderr)
        self.assertEqual(iodyno("run", "foreign.nothing", "dram").returncode, 0)

    def build_foreign_plugin(self, folder, prefix):
        """A plugin of somebody else, built outside the tree from what is installed; the header as C99 and C++11."""
        source = folder / "foreign.c"
        source.write_text(FOREIGN, encoding="utf-8")
        # pkg-config cannot quote a folder with a space, so the answer is taken where there is none.
        plain = folder / "plain"
        plain.symlink_to(prefix)
        flags = subprocess.run(["pkg-config", "--cflags", "iodyno"], capture_output=True, text=True, check=True,
                               env={**os.environ, "PKG_CONFIG_PATH": str(plain / "lib/pkgconfig")}).stdout.split()
        strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        subprocess.run(["cc", "-std=c99", *strict, *flags, "-shared", "-fPIC", str(source), "-o",
                        str(prefix / "lib/iodyno/plugins/foreign.so")], check=True)
        compiler = shutil.which("c++") or shutil.which("clang++")
        self.assertTrue(compiler, "no C++ compiler: packages g++ or clang")
        subprocess.run([compiler, "-std=c++11", *strict, *flags, "-x", "c++", "-fsyntax-only",
                        str(prefix / "include/iodyno/plugin.h")], check=True)


if __name__ == "__main__":
    main()
