"""Disks for tests: a slow one, a starving one, a small one. Loop devices over files in a temporary folder, ext4, always
undone. Needs root; why_not() says what is missing.

    with slow_disk(size_mib=600, write_mib=40, read_mib=80) as disk:
        disk.run(["dd", ...])        in the throttled group
        disk.mount, disk.device, disk.name, disk.stat()
"""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

CGROUPS = pathlib.Path("/sys/fs/cgroup")
MIB = 1 << 20
TOOLS = ("losetup", "mkfs.ext4", "mount", "umount")
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def _tool(*argv):
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env={**os.environ, "PATH": PATH})
    if done.returncode:
        raise OSError(f"{' '.join(map(str, argv))}: {done.stderr.strip() or done.returncode}")
    return done.stdout.strip()


def why_not(throttle=False):
    """Why these disks cannot be made here; None when they can."""
    if os.geteuid() != 0:
        return "needs root"
    for tool in TOOLS:
        if not shutil.which(tool, path=PATH):
            return f"needs {tool}"
    if not os.path.exists("/dev/loop-control"):
        return "needs loop devices"
    if throttle and not _throttle_kind():
        return "needs the blkio (v1) or io (v2) controller"
    return None


def _throttle_kind():
    if (CGROUPS / "blkio/blkio.throttle.write_bps_device").exists():
        return "v1"
    controllers = CGROUPS / "cgroup.subtree_control"
    if controllers.exists():
        if "io" not in controllers.read_text().split():
            with contextlib.suppress(OSError):
                controllers.write_text("+io")
        if "io" in controllers.read_text().split():
            return "v2"
    return None


class Disk:
    """A mounted loop device, perhaps with a group whose members it serves slowly."""

    def __init__(self, image, device, mount):
        self.image, self.device, self.mount = image, device, mount
        self.name = os.path.basename(device)
        self.group = None

    def stat(self):
        """Bytes read and written by the device since it was made."""
        fields = pathlib.Path(f"/sys/block/{self.name}/stat").read_text().split()
        return int(fields[2]) * 512, int(fields[6]) * 512

    def free(self):
        room = os.statvfs(self.mount)
        return room.f_bavail * room.f_frsize

    def inside(self, argv):
        """The command line that runs argv in the slow group."""
        if not self.group:
            return list(map(str, argv))
        return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(self.group / "cgroup.procs"), *map(str, argv)]

    def run(self, argv, limit=300, env=None, **kwargs):
        return subprocess.run(self.inside(argv), capture_output=True, text=True, timeout=limit, check=False, env=env,
                              stdin=subprocess.DEVNULL, **kwargs)

    def limit(self, write_mib=None, read_mib=None):
        """MiB/s for the group's members; None lifts the limit."""
        number = pathlib.Path(f"/sys/block/{self.name}/dev").read_text().strip()
        if (self.group / "io.max").exists():
            words = [f"{key}={value * MIB if value else 'max'}"
                     for key, value in (("wbps", write_mib), ("rbps", read_mib))]
            (self.group / "io.max").write_text(f"{number} {' '.join(words)}")
            return
        for key, value in (("write", write_mib), ("read", read_mib)):
            path = self.group / f"blkio.throttle.{key}_bps_device"
            path.write_text(f"{number} {value * MIB if value else 0}")


@contextlib.contextmanager
def _group():
    parent = CGROUPS / "blkio" if _throttle_kind() == "v1" else CGROUPS
    group = parent / f"iodyno-test-{os.getpid()}-{os.urandom(2).hex()}"
    group.mkdir()
    try:
        yield group
    finally:
        for pid in (group / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):
                (parent / "cgroup.procs").write_text(pid)  # who is left goes home
        group.rmdir()


MAKERS = {"ext4": ("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"),
          "xfs": ("mkfs.xfs", "-q", "-f"), "btrfs": ("mkfs.btrfs", "-q", "-f"),
          "vfat": ("mkfs.vfat", "-F", "32"), "exfat": ("mkfs.exfat",)}


def lacks_maker(kind):
    return None if shutil.which(MAKERS[kind][0], path=PATH) else f"needs {MAKERS[kind][0]}"


def lacks(kind):
    """Why no file system of this kind can be made and mounted here; None when it can."""
    if lacks_maker(kind):
        return lacks_maker(kind)
    known = pathlib.Path("/proc/filesystems").read_text(encoding="ascii").split()
    if kind not in known and shutil.which("modprobe", path=PATH):
        subprocess.run(["modprobe", kind], capture_output=True, check=False, env={**os.environ, "PATH": PATH})
        known = pathlib.Path("/proc/filesystems").read_text(encoding="ascii").split()
    if kind not in known:
        return f"this kernel has no {kind}"
    return None


@contextlib.contextmanager
def bare_disk(size_mib, kind=None, sector=512, base=None):
    """A loop device that is not mounted, with a file system of that kind on it or blank; .mount is a folder for it."""
    with _folder(base) as folder, contextlib.ExitStack() as undo:
        image, mount = folder / "image", folder / "mount"
        mount.mkdir()
        with open(image, "wb") as out:
            out.truncate(size_mib * MIB)
        device = _tool("losetup", "--find", "--show", "--sector-size", str(sector), str(image))
        undo.callback(_tool, "losetup", "--detach", device)
        if kind:
            _tool(*MAKERS[kind], device)
        yield Disk(image, device, mount)


@contextlib.contextmanager
def mounted(disk, *options):
    """The bare disk, mounted at its folder."""
    _tool("mount", *options, disk.device, str(disk.mount))
    try:
        yield disk
    finally:
        for left in reversed(range(20)):  # a screen may just be asking for its room
            try:
                _tool("umount", str(disk.mount))
                break
            except OSError:
                if not left:
                    raise
                time.sleep(0.1)


@contextlib.contextmanager
def _loop_ext4(folder, image_folder, size_mib):
    image, mount = image_folder / "image", folder / "mount"
    mount.mkdir()
    with contextlib.ExitStack() as undo:
        with open(image, "wb") as out:
            out.truncate(size_mib * MIB)
        undo.callback(image.unlink)
        device = _tool("losetup", "--find", "--show", str(image))
        undo.callback(_tool, "losetup", "--detach", device)
        _tool("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0", device)
        # data=writeback: else the journal's thread writes a file's last 8 MiB itself when a commit falls into an
        # fsync (by its timer or someone's sync), and no cgroup v1 throttle holds that thread
        _tool("mount", "-o", "noatime,data=writeback", device, str(mount))
        undo.callback(_tool, "umount", str(mount))
        yield Disk(image, device, mount)


def _is_dead(pid):
    return not os.path.exists(f"/proc/{pid}")


def _sweep(base):
    """Undoes what a test that was killed left: its folders and groups bear its process number."""
    for group in [*CGROUPS.glob("iodyno-test-*"), *(CGROUPS / "blkio").glob("iodyno-test-*")]:
        if _is_dead(group.name.split("-")[2]):
            with contextlib.suppress(OSError):
                group.rmdir()
    for folder in pathlib.Path(base or tempfile.gettempdir()).glob("iodyno-disk-*-*"):
        if not folder.name.split("-")[2].isdigit() or not _is_dead(folder.name.split("-")[2]):
            continue
        mounts = [line.split() for line in pathlib.Path("/proc/mounts").read_text().splitlines()]
        for device, mount, *_ in reversed(mounts):
            if mount.startswith(f"{folder}/"):
                with contextlib.suppress(OSError):
                    _tool("umount", mount)
                    if device.startswith("/dev/loop"):
                        _tool("losetup", "--detach", device)
        if not any(mount.startswith(f"{folder}/") for _, mount, *_ in
                   map(str.split, pathlib.Path("/proc/mounts").read_text().splitlines())):
            shutil.rmtree(folder, ignore_errors=True)


def _leave(number, frame):
    raise SystemExit(128 + number)


@contextlib.contextmanager
def _folder(base=None):
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _leave)  # so that what is made here is undone
    _sweep(base)
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"iodyno-disk-{os.getpid()}-", dir=base))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def small_disk(size_mib, base=None):
    """ext4 of that size on a loop device, at full speed."""
    with _folder(base) as folder, _loop_ext4(folder, folder, size_mib) as disk:
        yield disk


def own_folder(case):
    """A folder on a disk that no other run holds, for the time of a test; without root the case's home."""
    if why_not():
        return case.home.files
    return case.enterContext(small_disk(200)).mount


@contextlib.contextmanager
def slow_disk(size_mib=600, write_mib=40, read_mib=80, base=None):
    """The same, and slow for whoever runs in its group (disk.run)."""
    with small_disk(size_mib, base) as disk, _group() as group:
        disk.group = group
        disk.limit(write_mib, read_mib)
        yield disk


@contextlib.contextmanager
def starving_disk(size_mib, backing_mib):
    """ext4 that believes in size_mib while only backing_mib are there: buffered writes succeed, fsync fails."""
    with _folder() as folder:
        backing = folder / "backing"
        backing.mkdir()
        _tool("mount", "-t", "tmpfs", "-o", f"size={backing_mib}m", "tmpfs", str(backing))
        try:
            with _loop_ext4(folder, backing, size_mib) as disk:
                yield disk
        finally:
            _tool("umount", str(backing))
