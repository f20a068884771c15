"""A memory control group made for a test, of whichever version this machine has; raises Unavailable with the reason."""
import os
import pathlib
import re
import time

OLD, NEW = pathlib.Path("/sys/fs/cgroup/memory"), pathlib.Path("/sys/fs/cgroup")


class Unavailable(Exception):
    pass


class Group:
    def __init__(self, limit_bytes):
        self.is_old = (OLD / "memory.limit_in_bytes").exists()
        if not self.is_old and "memory" not in self.text(NEW / "cgroup.controllers").split():
            raise Unavailable("no memory controller is mounted below /sys/fs/cgroup")
        self.path = (OLD if self.is_old else NEW) / f"iodyno-test-{os.getpid()}-{time.monotonic_ns()}"
        try:
            if not self.is_old and "memory" not in self.text(NEW / "cgroup.subtree_control").split():
                (NEW / "cgroup.subtree_control").write_text("+memory")
            self.path.mkdir()
        except OSError as error:
            raise Unavailable(f"no control group can be made here: {error}") from error
        try:
            (self.path / ("memory.limit_in_bytes" if self.is_old else "memory.max")).write_text(str(limit_bytes))
            if not self.is_old and (self.path / "memory.swap.max").exists():
                (self.path / "memory.swap.max").write_text("0")
        except OSError as error:
            self.close()
            raise Unavailable(f"the group takes no limit: {error}") from error

    @staticmethod
    def text(path):
        try:
            return path.read_text()
        except OSError:
            return ""

    def argv(self, words):
        """The words as a command that runs within the group."""
        return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(self.path / "cgroup.procs"), *words]

    def kills(self):
        found = re.search(r"^oom_kill (\d+)$", self.text(self.path / ("memory.oom_control" if self.is_old else "memory.events")),
                          re.MULTILINE)
        if not found:
            raise Unavailable("this kernel does not count what the OOM killer took of a group")
        return int(found[1])

    def most_used(self):
        """Bytes; None where the kernel does not tell."""
        text = self.text(self.path / ("memory.max_usage_in_bytes" if self.is_old else "memory.peak")).strip()
        return int(text) if text else None

    def close(self):
        for _ in range(50):
            try:
                self.path.rmdir()
                return
            except OSError:  # its last process is still on its way out
                time.sleep(0.1)
