#!/usr/bin/env python3
"""Memory tests within a control group that allows less than the machine has: a sentence or a smaller size that is told,
and the OOM killer never comes."""
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import memgroup  # noqa: E402
import program  # noqa: E402

MIB = 1 << 20


class InAGroup(program.Case):
    def within(self, limit_mib, test, *words):
        """Runs a memory test in a fresh group; (group, result)."""
        try:
            group = memgroup.Group(limit_mib * MIB)
            self.addCleanup(group.close)
            group.kills()
        except memgroup.Unavailable as reason:
            self.skipTest(str(reason))
        argv = group.argv(self.home.argv("run", f"memory.{test}", "dram", "--no-record", *words))
        done = program.Result(subprocess.run(argv, capture_output=True, text=True, env=self.home.env, check=False,
                                             stdin=subprocess.DEVNULL, timeout=program.HANG_LIMIT_S))
        self.assertEqual(group.kills(), 0, done.err + done.out[-2000:])
        return group, done

    def test_more_than_the_group_allows_is_a_sentence(self):
        for test in ("bandwidth", "stairs", "latency", "verify"):
            _, done = self.within(256, test, "--size=1G", "--time=200ms")
            self.assertEqual(done.code, 3, done.err)
            self.assertRegex(done.err, r"size=1 GiB is more than may be taken here: at most [0-9.]+ MiB "
                                       r"\(control group /iodyno-test-[0-9-]+ may hold 256 MiB")

    def test_without_a_size_it_is_a_smaller_one_and_says_so(self):
        for test in ("bandwidth", "stairs", "latency"):
            group, done = self.within(256, test, "--time=500ms", "--json")
            if done.code == 3:  # too small a group for eight times this machine's cache
                self.assertIn("too little memory is free to see past the caches", done.err)
                self.assertIn("control group", done.err)
                continue
            self.assertEqual(done.code, 0, done.err)
            facts = done.json()["facts"]
            if "512 MiB" not in facts["set"]:
                self.assertRegex(facts["set"], r"reduced|at least 32 MiB a thread|not measured by all threads")
            if group.most_used():
                self.assertLess(group.most_used(), 256 * MIB)

    def test_verify_takes_all_that_is_granted_and_no_more(self):
        group, done = self.within(384, "verify", "--share=100", "--time=2", "--json")
        self.assertEqual(done.code, 0, done.err)
        run = done.json()
        size = program.result_of(run, "size")
        self.assertLessEqual(size, (384 - 64) * MIB)
        self.assertGreater(size, 64 * MIB)
        self.assertEqual(program.result_of(run, "errors"), 0)
        if group.most_used():
            self.assertLess(group.most_used(), 384 * MIB)

    def test_a_group_of_nothing_is_a_sentence(self):
        for test in ("bandwidth", "verify"):
            _, done = self.within(72, test, "--time=200ms")
            self.assertEqual(done.code, 3, done.err + done.out)
            self.assertIn("control group", done.err)

    def test_what_a_neighbour_holds_is_left_to_it(self):
        """Half of the group is another program's: verify takes of the rest, and nothing is killed."""
        try:
            group = memgroup.Group(512 * MIB)
            self.addCleanup(group.close)
            group.kills()
        except memgroup.Unavailable as reason:
            self.skipTest(str(reason))
        hog = ("import sys, time\n"
               "held = bytearray(220 << 20)\n"
               "held[::4096] = b'x' * len(held[::4096])\n"
               "print('held', flush=True)\n"
               "sys.stdin.read()\n")
        with subprocess.Popen(group.argv([sys.executable, "-c", hog]), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as neighbour:
            try:
                self.assertEqual(neighbour.stdout.readline(), "held\n")
                done = program.Result(subprocess.run(
                    group.argv(self.home.argv("run", "memory.verify", "dram", "--no-record", "--share=100", "--time=1", "--json")),
                    capture_output=True, text=True, env=self.home.env, check=False, stdin=subprocess.DEVNULL,
                    timeout=program.HANG_LIMIT_S))
                self.assertEqual(done.code, 0, done.err)
                self.assertLess(program.result_of(done.json(), "size"), (512 - 220 - 64) * MIB)
                self.assertEqual(group.kills(), 0)
                self.assertIsNone(neighbour.poll())
            finally:
                neighbour.stdin.close()
                neighbour.wait(timeout=30)


if __name__ == "__main__":
    program.main()
