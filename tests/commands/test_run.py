#!/usr/bin/env python3
"""The command `run` with the self-test plugin: states, exit codes, JSON, lines, expectations."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "lib"))
from program import BUILD, ROOT, Case, children, main, result_of, totals, wait_for  # noqa: E402

RUN_KEYS = ["schema", "id", "label", "test", "machine", "target", "options", "started", "interval_s", "state", "error",
            "partial", "metrics", "intervals", "results", "phases", "events", "facts", "verdict", "checks",
            "merged_samples"]


class RunTest(Case):
    def test_json_has_the_keys_of_the_interface_in_order(self):
        run = self.run_json("selftest.sine", "dram", "--label=A label")
        self.assertEqual(list(run), RUN_KEYS)
        self.assertEqual(run["schema"], "iodyno.run/1")
        self.assertEqual((run["label"], run["state"], run["error"]), ("A label", "done", None))
        self.assertGreater(run["id"], 0)

    def test_plain_text_goes_to_stdout_and_ends_with_zero(self):
        result = self.home.run("run", "selftest.sine", "dram", "--no-record")
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("selftest.sine", result.out)

    def test_jsonl_lines_are_complete_and_end_is_last(self):
        result = self.home.run("run", "selftest.ramp", "dram", "--jsonl")
        self.assertEqual(result.code, 0, result.err)
        lines = result.lines()
        self.assertEqual(lines[0]["type"], "start")
        self.assertEqual(lines[-1]["type"], "end")
        self.assertEqual(lines[-1]["state"], "done")

    def test_flood_sums_exactly(self):
        run = self.run_json("selftest.flood", "dram")
        sent = totals(run, run["metrics"][0]["key"])
        total = next(r["value"] for r in run["results"] if r["lane"] is None)
        self.assertEqual(sum(sent.values()), total)

    def test_crash_names_its_signal_and_keeps_intervals(self):
        run = self.run_json("selftest.crash", "dram", code=1)
        self.assertEqual(run["state"], "failed")
        self.assertIn("signal 11", run["error"])
        self.assertTrue(run["intervals"])

    def test_exit_bad_frame_and_leak(self):
        self.assertEqual(self.run_json("selftest.exit", "dram", code=1)["state"], "failed")
        bad = self.run_json("selftest.bad-frame", "dram", code=1)
        self.assertIn("protocol error", bad["error"])
        self.assertEqual(self.run_json("selftest.leak", "dram")["state"], "done")

    def test_chatter_never_reaches_stdout(self):
        run = self.run_json("selftest.chatter", "dram")
        self.assertEqual(run["state"], "done")

    def test_wide_is_exact(self):
        result = self.home.run("run", "selftest.wide", "dram", "--interval=0.1", "--json")
        self.assertEqual(result.code, 0, result.err)
        run = result.json()
        lanes = {(i["metric"], i["lane"]) for i in run["intervals"]}
        self.assertEqual(len(lanes), 256)
        shown = self.home.run("show", run["id"], "--json")
        self.assertEqual(shown.code, 0, shown.err)
        again = shown.json()
        order = lambda i: (i["metric"], i["lane"], i["t0_s"])  # noqa: E731
        self.assertEqual(sorted(run["intervals"], key=order), sorted(again["intervals"], key=order))
        for key in RUN_KEYS:
            if key != "intervals":
                self.assertEqual(run[key], again[key], key)

    def test_expectations(self):
        for expect, code in (("rate >= 1B/s", 0), ("rate >= 1000GB/s", 1)):
            result = self.home.run("run", "selftest.sine", "dram", "--json", f"--expect={expect}")
            self.assertEqual(result.code, code, result.err + result.out[-600:])
            check = result.json()["checks"][0]
            self.assertEqual((check["expect"], check["pass"]), (expect, code == 0))

    def test_interrupt_cancels(self):
        process = self.home.start("run", "selftest.sine", "dram", "--time=30s", "--json")
        self.assertTrue(wait_for(lambda: len(children(process.pid)) >= 2, 10))
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        import json
        self.assertEqual(json.loads(out)["state"], "cancelled")

    def test_terminate_ends_with_143(self):
        process = self.home.start("run", "selftest.sine", "dram", "--time=30s", "--jsonl")
        self.assertTrue(wait_for(lambda: len(children(process.pid)) >= 2, 10))
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143, err)
        self.assertIn('"end"', out.splitlines()[-1])

    def test_hang_is_ended_by_the_ladder(self):
        process = self.home.start("run", "selftest.hang", "dram", "--json")
        self.assertTrue(wait_for(lambda: len(children(process.pid)) >= 2, 10))
        time.sleep(0.5)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=90)
        print(f"hang ended {time.monotonic() - begun:.1f} s after the cancel", file=sys.stderr)
        self.assertEqual(process.returncode, 130)

    def test_kill_9_of_the_owner_ends_the_worker(self):
        process = self.home.start("run", "selftest.hang", "dram", "--json")
        self.assertTrue(wait_for(lambda: len(children(process.pid)) >= 2, 10))
        pids = children(process.pid)
        time.sleep(0.3)
        process.kill()
        process.communicate(timeout=30)
        begun = time.monotonic()
        gone = wait_for(lambda: not any(os.path.exists(f"/proc/{p}") and "Z" not in
                                        pathlib.Path(f"/proc/{p}/stat").read_text().split(") ")[1][:1]
                                        for p in pids if os.path.exists(f"/proc/{p}")), 60)
        print(f"children gone {time.monotonic() - begun:.1f} s after kill -9 of the owner (bar: 6 s)",
              file=sys.stderr)
        self.assertTrue(gone)


class BadInputTest(Case):
    def expect(self, code, sentence, *words, **kwargs):
        result = self.home.run(*words, **kwargs)
        self.assertEqual(result.code, code, result.out + result.err)
        self.assertIn(sentence, result.err)
        self.assertEqual(len(result.err.strip().splitlines()), 1, result.err)

    def test_unknown_names_and_values(self):
        self.expect(2, "there is no test", "run", "storage.wriet", "dram")
        self.expect(2, "has no option", "run", "selftest.sine", "dram", "--frobnicate=1")
        self.expect(2, "expected", "run", "selftest.sine", "dram", "--time=5parsecs")
        self.expect(2, "expected", "run", "storage.write", self.home.files, "--bs=1Q")
        self.expect(2, "expected", "run", "storage.write", self.home.files, "--bs=1")
        self.expect(2, "expected", "run", "storage.write", self.home.files, "--method=dd-magic")
        self.expect(2, "interval", "run", "selftest.sine", "dram", "--interval=1.0005")
        self.expect(2, "interval", "run", "selftest.sine", "dram", "--interval=0.05")
        self.expect(2, "there is no command", "rnu")
        self.expect(2, "expected", "run", "selftest.sine")
        self.expect(2, "expect", "run", "selftest.sine", "dram", "--expect=speed >= 1")
        self.expect(2, "expect", "run", "selftest.sine", "dram", "--expect=rate >= 1 parsec")
        self.expect(2, "--limit", "history", "--limit=none")

    def test_absent_or_unfit_targets(self):
        self.expect(3, "there is no device", "run", "storage.write", "mmcblk77")
        self.expect(3, "does not exist", "run", "storage.write", self.home.files / "absent")
        self.expect(3, "does not run", "run", "storage.write", "dram")
        self.expect(3, "does not run in a folder", "run", "selftest.sine", self.home.files)
        (self.home.path / "link").symlink_to(self.home.files)
        self.expect(3, "link", "run", "storage.write", self.home.path / "link")
        self.expect(3, "largest", "run", "storage.write", self.home.files, "--size=1000T")

    def test_no_terminal_prints_help(self):
        result = self.home.run()
        self.assertEqual(result.code, 2)
        self.assertIn("  list  ", result.out)


class StoredTest(Case):
    def test_history_show_export_import(self):
        run = self.run_json("selftest.sine", "dram", "--label=first")
        rows = self.home.run("history", "--json").json()["runs"]
        self.assertEqual([(r["id"], r["label"], r["state"]) for r in rows], [(run["id"], "first", "done")])
        file = self.home.path / "out.jsonl"
        exported = self.home.run("export", run["id"], "-o", file)
        self.assertEqual(exported.code, 0, exported.err)
        from_file = self.home.run("show", file, "--json").json()
        for key in ("test", "label", "state", "results", "intervals", "facts", "phases"):
            self.assertEqual(run[key], from_file[key], key)
        imported = self.home.run("import", file)
        self.assertEqual(imported.code, 0, imported.err)
        rows = self.home.run("history", "--json").json()["runs"]
        self.assertEqual(len(rows), 2)
        again = self.home.run("show", rows[0]["id"], "--json").json()
        self.assertEqual(again["intervals"], run["intervals"])

    def test_history_tells_what_came_from_ram(self):
        run = self.run_json("storage.read", self.home.files, "--method=dd", "--size=1M")
        row = self.home.run("history", "--json").json()["runs"][0]
        cached = result_of(run, "cached")
        self.assertEqual((row["id"], row.get("cached")), (run["id"], cached))
        if cached:
            self.assertIn("from RAM", self.home.run("history").out)

    def test_earlier_runs_are_told_however_short_the_run_is(self):
        told = []
        for _ in range(8):
            run = self.run_json("storage.write", self.home.files, "--method=dd-direct", "--bs=64K", "--size=64K")
            told.append(run["facts"].get("before"))
        self.assertEqual(told[0], "no earlier run like this one on this device")
        for number, text in enumerate(told[1:], 1):
            count = min(number, 5)
            self.assertRegex(text or "", rf"^[0-9.e+]+ B/s, the median of {count} run{'s' if count > 1 else ''}$")
        # Other settings, another kind of run.
        run = self.run_json("storage.write", self.home.files, "--method=dd-direct", "--bs=32K", "--size=64K")
        self.assertEqual(run["facts"]["before"], told[0])

    def test_a_store_that_hangs_does_not_hold_up_the_end(self):
        """Its answer is waited for two seconds at the end of a run, and the run says so."""
        tree = self.home.path / "tree"
        for part in ("bin", "lib", "libexec", "share"):
            shutil.copytree(BUILD / part, tree / part)
        store = tree / "libexec/iodyno/iodyno-store"
        store.rename(store.with_name("store-itself"))
        store.write_text(f'#!/bin/sh\n[ "$1" = query ] && exec sleep 20\nexec {store.with_name("store-itself")} "$@"\n')
        store.chmod(0o755)
        begin = time.monotonic()
        done = subprocess.run([tree / "bin/iodyno", "run", "storage.write", self.home.files, "--size=64K", "--json"],
                              capture_output=True, text=True, env=self.home.env, timeout=60, check=False)
        self.assertLess(time.monotonic() - begin, 8)
        run = json.loads(done.stdout)
        self.assertEqual((run["state"], run["facts"]["before"]), ("done", "unknown: the store did not answer in time"))

    def test_summaries_fit_the_menu(self):
        tests = self.home.run("tests", "--all", "--json").json()["tests"]
        self.assertEqual([t["id"] for t in tests if not 0 < len(t["summary"]) <= 44], [])

    def test_show_of_nothing(self):
        self.run_json("selftest.sine", "dram", "--time=200ms")
        for what in ("999", str(self.home.path / "absent.jsonl")):
            result = self.home.run("show", what)
            self.assertNotEqual(result.code, 0)
            self.assertEqual(len(result.err.strip().splitlines()), 1, result.err)

    def test_detach_watch_stop(self):
        started = self.home.run("run", "selftest.sine", "dram", "--time=60s", "--detach")
        self.assertEqual(started.code, 0, started.err)
        number = started.out.split()[-1]
        watch = self.home.start("watch", number, "--jsonl")
        time.sleep(2.5)
        shown = self.home.run("show", number, "--json")
        self.assertEqual((shown.code, shown.json()["state"]), (0, "running"), shown.err)
        stopped = self.home.run("stop", number)
        self.assertEqual(stopped.code, 0, stopped.err)
        out, err = watch.communicate(timeout=60)
        lines = out.splitlines()
        self.assertIn('"start"', lines[0])
        self.assertIn('"end"', lines[-1])
        self.assertEqual(watch.returncode, 130, err)
        self.assertEqual(self.home.run("show", number, "--json").json()["state"], "cancelled")
        self.assertEqual(self.home.run("stop", number).code, 3)

    def test_a_detached_run_without_a_record_does_not_go_on(self):
        """It would be out of reach; told at once, not when an hour is over."""
        self.home.database.parent.mkdir(parents=True)
        self.home.database.mkdir()
        began = time.monotonic()
        started = self.home.run("run", "selftest.sine", "dram", "--time=1h", "--detach")
        self.assertLess(time.monotonic() - began, 20)
        self.assertEqual(started.code, 1, started.out + started.err)
        self.assertIn("not recorded", started.err)

    def test_stop_without_pidfd(self):
        started = self.home.run("run", "selftest.sine", "dram", "--time=60s", "--detach")
        self.assertEqual(started.code, 0, started.err)
        number = started.out.split()[-1]
        stopped = self.home.run("stop", number, env={"IODYNO_NO_PIDFD": "1"})
        self.assertEqual(stopped.code, 0, stopped.err)
        self.assertEqual(stopped.out, f"run {number} stopped\n")
        self.assertEqual(self.home.run("show", number, "--json").json()["state"], "cancelled")

    def test_stop_is_a_cancel_for_a_run_in_a_terminal(self):
        owner = self.home.start("run", "selftest.sine", "dram", "--time=60s", "--jsonl")
        started = json.loads(owner.stdout.readline())
        self.assertEqual(started["type"], "start")
        rows = []
        while not rows:
            rows = self.home.run("history", "--json").json()["runs"]
        stopped = self.home.run("stop", rows[0]["id"])
        self.assertEqual(stopped.code, 0, stopped.err)
        out, err = owner.communicate(timeout=60)
        self.assertEqual(owner.returncode, 130, err)
        self.assertIn('"end"', out.splitlines()[-1])

    def test_refusal_of_a_detached_run_is_told(self):
        result = self.home.run("run", "selftest.nothing", "dram", "--detach")
        self.assertEqual(result.code, 2)
        self.assertIn("there is no test", result.err)

    def test_no_record_leaves_nothing(self):
        self.run_json("selftest.sine", "dram", "--time=200ms", "--no-record")
        self.assertEqual(self.home.run("history", "--json").json()["runs"], [])


class ForeignTest(Case):
    """What others wrote does not command the terminal."""

    def test_a_shown_file_is_cleaned(self):
        metric = {"key": "moved", "unit": "B", "kind": "delta", "better": "higher", "label": "M\x1b[31m"}
        start = {"type": "start", "schema": "iodyno.run/1", "test": "storage.x\x1b[2J", "label": "\x1b]0;t\x07",
                 "interval_s": 1, "metrics": [metric], "target": {"id": "sda\x1b", "kind": "usb", "name": "n\x1b"},
                 "options": {"bs": "\x1b"}, "machine": {"board": "\x1b"}, "expectations": ["moved > 1 B\x1b"]}
        lines = [start, {"type": "fact", "key": "o_direct", "text": "not honoured"},
                 {"type": "fact", "key": "o_direct-why", "text": "w\x1b"},
                 {"type": "event", "t_s": 0.5, "code": "mark", "text": "e\x1b"},
                 {"type": "interval", "metric": "moved", "lane": 0, "t0_s": 0, "t1_s": 1, "value": 5},
                 {"type": "end", "t_s": 1, "state": "failed", "error": "bad\x1b[31m end"}]
        file = self.home.path / "evil.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        for form in ("--plain", "--markdown", "--csv", "--json", "--jsonl"):
            shown = self.home.run("show", file, form)
            self.assertNotIn("\x1b", shown.out, form)
            self.assertNotIn("\x07", shown.out, form)
            self.assertNotIn("\x1b", shown.err, form)
        self.assertIn("bad?[31m end", shown.err)
        watched = self.home.run("watch", file)
        self.assertIn("e?", watched.out)
        self.assertNotIn("\x1b", watched.out + watched.err)

    @unittest.skipIf(os.geteuid() != 0 or not shutil.which("mount"), "needs root and mount")
    def test_a_full_disk_is_called_full(self):
        """SQLite calls it an I/O error when the index of its log finds no room."""
        folder = self.home.path / "data"
        folder.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", folder], check=True)
        self.addCleanup(subprocess.run, ["umount", folder], check=True)
        self.home.run("run", "selftest.sine", "dram", "--time=200ms")
        with open(folder / "fill", "wb", buffering=0) as fill, self.assertRaises(OSError):
            while True:
                fill.write(bytes(4096))
        result = self.home.run("run", "selftest.sine", "dram", "--time=200ms")
        self.assertEqual(result.code, 0, result.err)  # the run itself is sound
        self.assertRegex(result.err, r"not recorded: cannot write results to .*results\.db: No space left on device")

    def test_a_form_of_other_runs_is_refused_with_a_sentence(self):
        """It said "No data available", and of bw-mem that no plugin makes such runs when one did."""
        self.home.run("run", "selftest.sine", "dram", "--time=200ms")
        number = self.home.run("history", "--json").json()["runs"][0]["id"]
        for form, runs in (("--dd", "storage runs"), ("--bw-mem", "memory.bandwidth with method=bw_mem")):
            shown = self.home.run("show", number, form)
            self.assertEqual(shown.code, 3, shown.err)
            self.assertEqual(shown.out, "")
            self.assertIn(f"this run of selftest.sine has no such lines: {form} is for {runs}", shown.err)

    def test_a_word_given_is_cleaned(self):
        self.assertNotIn("\x1b", self.home.run("run", "\x1b[2J", "dram").err)

    def test_names_of_a_recorded_tree_are_cleaned(self):
        root = self.home.path / "tree"
        disk = root / "sys/devices/platform/x/block/sd\x1b[2J"
        for path, text in ((disk / "dev", "8:0"), (disk / "size", "2048"), (root / "proc/self/mountinfo",
                           "36 35 8:0 / /mnt/a\\033[31m rw - ext4 /dev/sda rw\n")):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        (root / "sys/class/block").mkdir(parents=True)
        (root / "sys/class/block/sda").symlink_to(os.path.relpath(disk, root / "sys/class/block"))
        shown = self.home.run("list", "--all", "--sysroot", root)
        self.assertEqual(shown.code, 0, shown.err)
        self.assertIn("/mnt/a?[31m", shown.out)
        self.assertNotIn("\x1b", shown.out)


class ToolsTest(Case):
    def test_list_and_tests_and_doctor(self):
        devices = self.home.run("list", "--json").json()
        self.assertEqual(devices["schema"], "iodyno.list/1")
        self.assertIn("dram", [d["id"] for d in devices["devices"]])
        tests = self.home.run("tests", "--json").json()
        write = next(t for t in tests["tests"] if t["id"] == "storage.write")
        self.assertEqual(next(o for o in write["options"] if o["key"] == "bs")["default"], "1M")
        self.assertNotIn("selftest.sine", [t["id"] for t in tests["tests"]])
        reader = self.home.run("list", "--json", "--sysroot", ROOT / "tests/sysroots/usb-reader").json()
        disk = next(d for d in reader["devices"] if d["kind"] == "usb")
        self.assertEqual(list(disk["usb"])[:4], ["speed_mbps", "driver", "uas_capable", "port_mbps"])
        self.assertGreaterEqual(disk["usb"]["speed_mbps"], 480)
        self.assertTrue(disk["usb"]["driver"])
        doctor = self.home.run("doctor", "--json")
        self.assertEqual(doctor.json()["schema"], "iodyno.doctor/1")
        self.assertEqual(doctor.code, 0, doctor.out)

    def test_stdout_that_is_full_is_a_failure(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(self.home.argv("list"), stdout=full, stderr=subprocess.PIPE, text=True,
                                  env=self.home.env, check=False, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)

    def test_a_stdout_that_was_full_for_a_while_is_a_failure(self):
        """Lines lost on the way are not made good by a last one that finds room."""
        run = ["run", "selftest.sine", "dram", "--time=300ms", "--jsonl", "--no-record"]
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(self.home.argv(*run), stdout=full, stderr=subprocess.PIPE, text=True,
                                  env=self.home.env, check=False, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)


if __name__ == "__main__":
    main()
