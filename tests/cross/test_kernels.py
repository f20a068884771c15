#!/usr/bin/env python3
"""The memory kernels on aarch64 (cross compiler and qemu-user: with SVE, and on a core without it), and the portable
ones of all other machines. Each self-check must pass, and each instruction set must really have been looked at."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import program  # noqa: E402

PLUGIN = program.ROOT / "plugins/memory"
KERNELS = ["kernel.c", "kernel_x86.c", "kernel_arm64.c", "kernel_other.c", "content.c"]
FLAGS = ["-std=c11", "-D_GNU_SOURCE", '-DIODYNO_VERSION="0"', "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
         "-Werror", "-fno-tree-loop-distribute-patterns", "-fno-tree-vectorize", "-fno-tree-slp-vectorize",
         f"-I{program.ROOT / 'plugins'}", f"-I{program.ROOT / 'core/api'}"]
CROSS, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
MISSING = [name for name in (CROSS, EMULATOR) if not shutil.which(name)]
PLAIN = ["memset", "memcpy", "rd", "wr", "rdwr", "cp", "frd", "fwr", "fcp", "bzero", "bcopy"]
NEON = {"read", "write", "write-nt", "copy", "copy-nt", "triad"}


class Kernels(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="iodyno-cross-")
        self.addCleanup(self.folder.cleanup)
        self.binary = str(pathlib.Path(self.folder.name) / "kernels")

    def build(self, compiler, *flags):
        sources = [program.ROOT / "tests/cross/kernels.c"] + [PLUGIN / name for name in KERNELS]
        done = subprocess.run([compiler, *FLAGS, *flags, *map(str, sources), "-o", self.binary], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def check(self, *emulator):
        """Instruction set → names of the kernels it was checked with."""
        done = subprocess.run([*emulator, self.binary], capture_output=True, text=True, check=False, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(" 0 checks wrong", done.stdout)
        sets = {}
        for isa, kernel in re.findall(r"^(\S+) +(\S+) +right$", done.stdout, re.M):
            sets.setdefault(isa, set()).add(kernel)
        self.assertEqual(sets.pop("plain"), set(PLAIN))
        return sets

    @unittest.skipIf(MISSING, f"not installed: {', '.join(MISSING)}")
    def test_aarch64_with_and_without_sve(self):
        self.build(CROSS, "-static")
        self.assertEqual(self.check(EMULATOR, "-cpu", "cortex-a53"), {"neon": NEON, "zva": {"zva"}})
        for width in (128, 256, 2048):
            sets = self.check(EMULATOR, "-cpu", f"max,sve-max-vq={width // 128}")
            self.assertEqual(sets, {"neon": NEON, "zva": {"zva"}, "sve": {"read", "write", "copy", "triad"}}, width)

    @unittest.skipIf(MISSING[:1] == [CROSS], f"not installed: {CROSS}")
    def test_the_whole_plugin_builds_for_aarch64(self):
        sources = sorted(map(str, list(PLUGIN.glob("*.c")) + list((program.ROOT / "plugins/common").glob("*.c"))))
        done = subprocess.run([CROSS, *FLAGS, "-shared", "-fPIC", "-pthread", "-Wl,-z,defs", *sources, "-o",
                               self.binary], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipUnless(shutil.which("gcc"), "not installed: gcc")
    def test_portable(self):
        self.build("gcc", "-DIODYNO_KERNELS_PORTABLE")
        self.assertEqual(self.check(), {"portable": {"read", "write", "copy", "triad"}})


if __name__ == "__main__":
    program.main()
