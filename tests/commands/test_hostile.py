"""Odd words, places and limits by command: one clear sentence, the right exit status, nothing taken over or left."""
import os
import shutil
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from program import BUILD, Case, main  # noqa: E402


class HostileCase(Case):
    def sentence(self, code, part, *words, **kwargs):
        """The command ends with that status and one line on stderr, which holds `part`."""
        result = self.home.run(*words, **kwargs)
        self.assertEqual(result.code, code, result.out + result.err)
        self.assertIn(part, result.err)
        self.assertEqual(len(result.err.strip().splitlines()), 1, result.err)
        return result

    def shell(self, script):
        return subprocess.run(["sh", "-c", script, str(BUILD / "bin/iodyno")], capture_output=True, text=True,
                              check=False, timeout=60, env=self.home.env)


class ExportTest(HostileCase):
    def setUp(self):
        super().setUp()
        self.run_json("selftest.sine", "dram", "--time=200ms")

    def test_an_export_never_takes_the_place_of_a_fifo(self):
        fifo = self.home.path / "fifo"
        os.mkfifo(fifo)
        self.sentence(3, "not a regular file", "export", 1, "-o", fifo)
        self.assertTrue(fifo.is_fifo())

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_an_export_never_takes_the_place_of_a_device(self):
        device = self.home.path / "null"
        os.mknod(device, 0o666 | 0o020000, os.makedev(1, 3))
        self.sentence(3, "not a regular file", "export", 1, "-o", device)
        self.assertTrue(device.is_char_device())

    def test_an_export_follows_a_link(self):
        file, link = self.home.path / "there.jsonl", self.home.path / "link"
        file.write_text("before")
        link.symlink_to(file)
        self.assertEqual(self.home.run("export", 1, "-o", link).code, 0)
        self.assertTrue(link.is_symlink())
        self.assertIn('"end"', file.read_text())
        link.unlink()
        link.symlink_to("nowhere")
        self.sentence(3, "leads nowhere", "export", 1, "-o", link)
        self.assertEqual(os.readlink(link), "nowhere")

    def test_names_that_look_like_options(self):
        name = "-dash.jsonl"
        exported = self.home.run("export", 1, "-o", name, cwd=self.home.path)
        self.assertEqual(exported.code, 0, exported.err)
        self.assertEqual(self.home.run("show", "--", name, cwd=self.home.path).code, 0)
        self.assertEqual(self.home.run("import", "--", name, cwd=self.home.path).code, 0)
        for base in ("-dash.db", ":memory:", "file:x?mode=memory"):
            self.run_json("selftest.sine", "dram", "--time=100ms", f"--db={base}", cwd=self.home.path)
            self.assertTrue((self.home.path / base).exists(), base)


class DescriptorTest(HostileCase):
    def test_a_closed_stdout_is_never_a_file_of_ours(self):
        for closed in (">&-", "<&- >&-"):
            done = self.shell(f'"$0" run selftest.sine dram --time=200ms --json {closed}')
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("cannot write the output", done.stderr)

    def test_few_descriptors_are_named(self):
        done = self.shell('ulimit -n 10; "$0" run selftest.sine dram --time=200ms')
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("Too many open files", done.stderr)

    def test_a_file_size_limit_is_an_error_and_no_crash(self):
        done = self.shell(f'ulimit -f 100; "$0" run storage.write {self.home.files} --size=1M --no-record --json')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertNotIn("signal", done.stderr)
        self.assertEqual(os.listdir(self.home.files), [])
        done = self.shell('ulimit -f 0; "$0" run selftest.sine dram --time=200ms')
        self.assertIn("not recorded", done.stderr)
        self.assertNotIn("crashed", done.stderr)


class PluginTest(HostileCase):
    def setUp(self):
        super().setUp()
        self.tree = self.home.path / "tree"
        for part in ("bin", "libexec", "lib"):
            shutil.copytree(BUILD / part, self.tree / part, symlinks=True)

    def start(self):
        return subprocess.run([str(self.tree / "bin/iodyno"), "run", "selftest.sine", "dram", "--time=200ms"],
                              capture_output=True, text=True, check=False, timeout=60, env=self.home.env)

    def expect(self, *parts):
        done = self.start()
        self.assertEqual(done.returncode, 3, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)

    def test_a_missing_worker_is_not_an_unknown_test(self):
        (self.tree / "libexec/iodyno/iodyno-worker").unlink()
        self.expect("iodyno-worker cannot be started")

    def test_a_refused_plugin_is_not_an_unknown_test(self):
        plugin = self.tree / "lib/iodyno/plugins/selftest.so"
        plugin.chmod(0o777)
        self.expect("selftest.so was refused", "other users may write to it")
        plugin.chmod(0o755)
        plugin.write_bytes(b"no shared object")
        self.expect("selftest.so was refused")

    def test_no_plugin_at_all(self):
        shutil.rmtree(self.tree / "lib/iodyno/plugins")
        self.expect("there is no plugin", "iodyno doctor")


class OptionTest(HostileCase):
    def test_an_empty_number_is_no_zero(self):
        for word in ("--bs=", "--bs", "--size=", "--size", "--method=", "--file"):
            self.sentence(2, "expected a value", "run", "storage.write", self.home.files, "--count=1", word)
        run = self.run_json("storage.write", self.home.files, "--size=1M", "--count=", "--file=")
        self.assertEqual(run["state"], "done")

    def test_what_a_test_will_not_do_is_refused(self):
        (self.home.files / "foreign").write_text("precious")
        for part, words in (("iodyno did not write it", ("storage.write", "--file=foreign")),
                            ("plain name", ("storage.write", "--file=a/b")),
                            ("logical block", ("storage.write", "--method=dd-direct", "--bs=513")),
                            ("No such file", ("storage.read", "--file=absent"))):
            self.sentence(3, part, "run", words[0], self.home.files, "--size=1M", "--json", *words[1:])
        self.assertEqual((self.home.files / "foreign").read_text(), "precious")
        self.assertEqual(os.listdir(self.home.files), ["foreign"])


class ShowTest(HostileCase):
    def test_what_is_not_there_is_told_at_once(self):
        self.run_json("selftest.sine", "dram", "--time=100ms")
        for word in ("999", "absent.jsonl", "/dev/null", str(self.home.files)):
            begun = time.monotonic()
            shown = self.sentence(3, "", "show", word)
            self.assertEqual(shown.out, "")
            self.assertLess(time.monotonic() - begun, 1.5)

    def test_a_value_that_is_no_number(self):
        self.run_json("selftest.sine", "dram", "--time=100ms")
        file = self.home.path / "run.jsonl"
        self.home.run("export", 1, "-o", file)
        lines = [line.replace('"value": ', '"value": null, "x": ') if '"interval"' in line else line
                 for line in file.read_text().splitlines()]
        file.write_text("\n".join(lines))
        self.sentence(3, '"value", a number', "import", file)
        self.assertNotIn("null to null", self.home.run("import", file).err)


class LockedTest(HostileCase):
    def test_a_run_that_meets_a_locked_database_is_recorded_or_says_that_it_is_not(self):
        self.run_json("selftest.sine", "dram", "--time=100ms")
        lock = subprocess.Popen([sys.executable, "-c", "import sqlite3, sys, time\n"
                                 "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
                                 "c.execute('BEGIN EXCLUSIVE')\nprint(flush=True)\ntime.sleep(8)\n",
                                 str(self.home.database)], stdout=subprocess.PIPE)
        self.addCleanup(lock.stdout.close)
        lock.stdout.readline()
        result = self.home.run("run", "selftest.sine", "dram", "--time=200ms", "--json")
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("not recorded", result.err)
        lock.wait()
        end = time.monotonic() + 20  # the store goes on trying
        while len(self.home.run("history", "--json").json()["runs"]) < 2 and time.monotonic() < end:
            time.sleep(0.2)
        states = [run["state"] for run in self.home.run("history", "--json").json()["runs"]]
        self.assertEqual(states, ["done", "done"])


if __name__ == "__main__":
    main()
