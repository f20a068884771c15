"""Network namespaces of a test's own: two of them, joined by a veth pair, removed at the end. Nothing leaves them."""
import os
import shutil
import subprocess
import uuid

NEEDED = ("ip", "iperf3", "tc", "nft", "ethtool", "nstat")
NEAR, FAR = "10.77.0.1", "10.77.0.2"
NEAR6, FAR6 = "fd77::1", "fd77::2"
PORT = "e0"


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


def lacking():
    """Why such tests cannot run here; None when they can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    missing = [name for name in NEEDED if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    if missing:
        return "not installed: " + " ".join(missing)
    name = "iodyno-probe-" + uuid.uuid4().hex[:6]
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False)
    if made.returncode != 0:
        return "this machine makes no network namespaces: " + made.stderr.decode().strip()
    subprocess.run(["ip", "netns", "del", name], check=True)
    return None


class Single:
    """One machine with two ports e0 and e1 of one subnet, a cable between them."""

    def __init__(self):
        self.name = f"iodyno-s{uuid.uuid4().hex[:6]}"
        ip("netns", "add", self.name)
        ip("-n", self.name, "link", "set", "lo", "up")
        ip("-n", self.name, "link", "add", "e0", "type", "veth", "peer", "name", "e1")
        for number, port in enumerate(("e0", "e1"), 1):
            ip("-n", self.name, "addr", "add", f"10.79.0.{number}/24", "dev", port)
            ip("-n", self.name, "link", "set", port, "up")

    def inside(self, *words):
        return ["ip", "netns", "exec", self.name, *map(str, words)]

    def run(self, *words):
        return subprocess.run(self.inside(*words), check=True, capture_output=True, text=True).stdout

    def counted(self, port, what="tx_bytes"):
        return int(self.run("cat", f"/sys/class/net/{port}/statistics/{what}"))

    def state(self):
        """All that a test might change and would have to put back."""
        settings = "".join(line for line in self.run("sysctl", "-a", "--pattern", r"^net\.ipv[46]\.conf").splitlines(True))
        shown = [self.run("ip", "-o", *words) for words in (["rule"], ["-6", "rule"], ["route", "show", "table", "all"])]
        addresses = self.run("ip", "-o", "addr")
        return settings, shown, addresses

    def close(self):
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True, check=False)


class Pair:
    """`near` and `far`, each with a port e0."""

    def __init__(self):
        mark = uuid.uuid4().hex[:6]
        self.near, self.far = f"iodyno-a{mark}", f"iodyno-b{mark}"
        for name in (self.near, self.far):
            self._ip("netns", "add", name)
            self._ip("-n", name, "link", "set", "lo", "up")
        self._ip("-n", self.near, "link", "add", PORT, "type", "veth", "peer", "name", PORT, "netns", self.far)
        for name, four, six in ((self.near, NEAR, NEAR6), (self.far, FAR, FAR6)):
            self._ip("-n", name, "addr", "add", four + "/24", "dev", PORT)
            self._ip("-n", name, "addr", "add", six + "/64", "dev", PORT, "nodad")
            self._ip("-n", name, "link", "set", PORT, "up")

    _ip = staticmethod(ip)

    def second(self):
        """A second cable, e1 to e1, in a subnet of its own."""
        self._ip("-n", self.near, "link", "add", "e1", "type", "veth", "peer", "name", "e1", "netns", self.far)
        for name, address in ((self.near, "10.78.0.1/24"), (self.far, "10.78.0.2/24")):
            self._ip("-n", name, "addr", "add", address, "dev", "e1")
            self._ip("-n", name, "link", "set", "e1", "up")
            self.run(name, "ethtool", "-K", "e1", "tso", "off", "gso", "off", "gro", "off")

    def inside(self, name, *words):
        return ["ip", "netns", "exec", name, *map(str, words)]

    def run(self, name, *words):
        return subprocess.run(self.inside(name, *words), check=True, capture_output=True, text=True).stdout

    def start(self, name, *words, **kwargs):
        return subprocess.Popen(self.inside(name, *words), stdin=subprocess.DEVNULL, **kwargs)

    def one_segment_a_frame(self):
        """So that what a filter counts is what TCP counts."""
        for name in (self.near, self.far):
            self.run(name, "ethtool", "-K", PORT, "tso", "off", "gso", "off", "gro", "off")

    def counted(self, *keys):
        """The kernel's own counters of the near end's TCP, such as TcpRetransSegs."""
        rows = [line.split() for line in self.run(self.near, "nstat", "-asz", *keys).splitlines()[1:]]
        return [int(next(row[1] for row in rows if row[0] == key)) for key in keys]

    def limit(self, rate="300mbit", queue="2m"):
        self.run(self.near, "tc", "qdisc", "add", "dev", PORT, "root", "tbf", "rate", rate, "burst", "64k", "limit", queue)

    def drop(self, per_mille):
        """Drops data segments of the test's port at random on their way to `far`."""
        rules = "\n".join(["table inet t {", " chain c {", "  type filter hook prerouting priority -300;",
                           f"  iifname {PORT} tcp dport 5201 meta length > 500 numgen random mod 1000 < {per_mille} "
                           "counter drop", " }", "}", ""])
        subprocess.run(self.inside(self.far, "nft", "-f", "-"), input=rules, text=True, check=True)

    def police(self, rate):
        """A short queue of that rate towards `far`: what comes faster is dropped."""
        self.run(self.near, "tc", "qdisc", "add", "dev", PORT, "root", "tbf", "rate", rate, "burst", "64k",
                 "limit", "128k")

    def dropped(self):
        words = self.run(self.far, "nft", "list", "table", "inet", "t").split()
        return int(words[words.index("packets") + 1])

    def close(self):
        for name in (self.near, self.far):
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
