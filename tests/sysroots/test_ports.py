#!/usr/bin/env python3
"""Network ports of a namespace made for the test: what `list` says of them each way of asking, and that the screen
follows them without a key."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lib"), str(HERE.parent / "pty")]

import program  # noqa: E402
from screen import Screen  # noqa: E402

SEEN_S = 5  # a slow machine with others at work; the figure itself is printed
SPACE = f"iodyno-ports-{os.getpid()}"
INSIDE = ["ip", "netns", "exec", SPACE]


def ip(*words):
    subprocess.run(["ip", "-n", SPACE, *words], check=True, capture_output=True, timeout=20)


class Ports(program.Case):
    def setUp(self):
        super().setUp()
        if os.geteuid() != 0 or not shutil.which("ip"):
            self.skipTest("needs root and ip")
        made = subprocess.run(["ip", "netns", "add", SPACE], capture_output=True, check=False, timeout=20)
        if made.returncode != 0:
            self.skipTest(f"no network namespaces here: {made.stderr.decode().strip()}")
        self.addCleanup(subprocess.run, ["ip", "netns", "del", SPACE], capture_output=True, check=False, timeout=20)
        ip("link", "add", "e0", "type", "veth", "peer", "name", "e1")
        ip("addr", "add", "10.79.0.1/24", "dev", "e0")
        ip("addr", "add", "10.79.0.2/24", "dev", "e1")
        ip("link", "set", "e0", "up")
        ip("link", "set", "e1", "up")

    def ports(self, **env):
        done = subprocess.run([*INSIDE, str(program.BUILD / "bin/iodyno"), "list", "--json", "--all"],
                              env={**os.environ, **self.home.env, **env}, capture_output=True, text=True, timeout=60,
                              check=True)
        return {d["id"]: d for d in json.loads(done.stdout)["devices"] if d["kind"] == "ethernet"}

    def test_each_way_of_asking_says_the_same(self):
        kernel = self.ports()
        self.assertEqual(set(kernel), {"lo", "e0", "e1"})
        self.assertEqual((kernel["e0"]["carrier"], kernel["e0"]["speed_mbps"], kernel["e0"]["duplex"]),
                         (True, 10000, "full"))
        self.assertIn("10.79.0.1/24", kernel["e0"]["addresses"])
        self.assertEqual(kernel["e0"]["source"], "netlink")
        self.assertEqual(kernel["e0"]["mtu"], 1500)
        self.assertTrue(kernel["e0"]["hidden"] and kernel["e0"]["testable"])
        ways = {"ioctl": {"IODYNO_NO_ETHTOOL_NETLINK": "1"},
                "sysfs": {"IODYNO_NO_ETHTOOL_NETLINK": "1", "IODYNO_NO_ETHTOOL_IOCTL": "1"},
                "plain": {"IODYNO_NO_RTNETLINK": "1"},
                "plainest": {"IODYNO_NO_RTNETLINK": "1", "IODYNO_NO_ETHTOOL_NETLINK": "1",
                             "IODYNO_NO_ETHTOOL_IOCTL": "1"}}
        for name, switches in ways.items():
            with self.subTest(name):
                other = self.ports(**switches)
                self.assertEqual(set(other), set(kernel))
                for key in ("carrier", "speed_mbps", "duplex", "mac", "mtu", "up", "index", "carrier_changes"):
                    self.assertEqual((key, other["e0"][key]), (key, kernel["e0"][key]))
                for port in ("e0", "lo"):
                    self.assertEqual(sorted(other[port]["addresses"]), sorted(kernel[port]["addresses"]))
                if name in ("ioctl", "sysfs"):
                    self.assertEqual(other["e0"]["source"], name)
                self.assertEqual(set(other["e0"]["counters"]), set(kernel["e0"]["counters"]))

    def test_no_carrier_and_down(self):
        ip("link", "set", "e1", "down")
        for switches in ({}, {"IODYNO_NO_RTNETLINK": "1"}):
            port = self.ports(**switches)
            self.assertEqual((port["e0"]["carrier"], port["e0"]["speed_mbps"], port["e0"]["duplex"]),
                             (False, None, None))
            self.assertIn("no carrier", port["e0"]["remark"])
            self.assertEqual((port["e1"]["up"], port["e1"]["carrier"]), (False, False))
            self.assertIn("it is down", port["e1"]["remark"])

    def seen(self, screen, what, act, expected):
        """Does something, and waits for the row of the screen that tells of it."""
        before = time.monotonic()
        act()
        screen.do(f"wait {SEEN_S} {expected}")
        print(f"{what}: on the screen after {time.monotonic() - before:.2f} s")

    def test_the_screen_follows(self):
        with Screen(self.home, size=(30, 110), wrapper=INSIDE) as screen:
            screen.do("wait 15 NETWORK", "send a")
            screen.do(f"wait {SEEN_S} 10000 full")
            self.assertIn("10.79.0.1", screen.dump().find("e0"))
            self.seen(screen, "no carrier", lambda: ip("link", "set", "e1", "down"), "no carrier")
            self.assertIn("e0", screen.dump().find("no carrier"))
            ip("addr", "flush", "dev", "e1")
            self.seen(screen, "a new address", lambda: ip("addr", "add", "10.81.0.9/24", "dev", "e1"), "10.81.0.9")
            self.seen(screen, "a carrier", lambda: ip("link", "set", "e1", "up"), "10000 full")
            self.seen(screen, "a new port",
                      lambda: ip("link", "add", "e7", "type", "veth", "peer", "name", "p7"), "e7")
            self.seen(screen, "a new name", lambda: ip("link", "set", "e7", "name", "e8"), "e8")
            self.assertFalse(screen.dump().find("e7"))
            before = time.monotonic()
            ip("link", "del", "e0")
            self.assertTrue(program.wait_for(lambda: not screen.dump().find("e1"), SEEN_S, 0.05), f"\n{screen.dump()}")
            print(f"gone: off the screen after {time.monotonic() - before:.2f} s")
            screen.leave()

    def test_no_lock_is_taken_by_the_screen(self):
        """The screen's process opens no file of a port that waits for the kernel's lock."""
        if not shutil.which("strace"):
            self.skipTest("needs strace")
        trace = self.home.path / "trace"
        with Screen(self.home, size=(30, 110), alone=True,
                    wrapper=[*INSIDE, "strace", "-f", "-qq", "-e", "trace=open,openat,execve", "-o",
                              trace]) as screen:
            screen.do("wait 30 NETWORK", "send a", f"wait {SEEN_S} 10000 full")
            ip("link", "set", "e1", "down")
            screen.do(f"wait {SEEN_S} no carrier")
            screen.leave()
        lines = trace.read_text().splitlines()
        own = {line.split()[0] for line in lines if "execve(" in line and 'iodyno-screen"' in line}
        self.assertTrue(own)
        opened = "\n".join(line for line in lines if line.split()[0] in own and "openat(" in line)
        self.assertIn("ifindex", opened)
        for name in ("speed", "duplex", "carrier", "operstate", "statistics", "phys_port_name", "phys_switch_id"):
            self.assertNotIn(f'/{name}"', "".join(line for line in opened.splitlines() if "/net/" in line), name)


if __name__ == "__main__":
    program.main()
