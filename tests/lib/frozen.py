"""A write run on the screen while its file system is frozen, and screens that are killed: what happens, when.

Used by a test (it must happen) and by a bench (how soon). Needs root.
"""
import contextlib
import fcntl
import os
import pathlib
import re
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "pty"))
import screen as screens  # noqa: E402
import slowdisk  # noqa: E402

FIFREEZE, FITHAW = 0xC0045877, 0xC0045878
FREEZE_S = 5.0
CANCEL_S = 3.0  # after the freeze
LADDER_S = 6.0
END_S = 20
MIB = 1 << 20


@contextlib.contextmanager
def frozen(mount):
    """The file system takes no write until the end, or until the thaw() that it hands out."""
    fd = os.open(mount, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    is_frozen = False

    def thaw():
        nonlocal is_frozen
        if is_frozen:
            fcntl.ioctl(fd, FITHAW, 0)
            is_frozen = False

    try:
        fcntl.ioctl(fd, FIFREEZE, 0)
        is_frozen = True
        yield thaw
    finally:
        thaw()
        os.close(fd)


def start_write(screen, disk):
    screens.start_test(screen, "Sequential write", device=disk.name, size="200M", method="dd-direct", block_size="64K")
    screen.do("wait 15 MB/s   mean", "run 500")


def left_behind(disk):
    return sorted(entry.name for entry in disk.mount.iterdir() if entry.name != "lost+found")


def room_back(disk, room):
    """Seconds until the room is as before, None when it is not within a while: freeing is the kernel's last act."""
    begin = time.monotonic()
    done = screens.program.wait_for(lambda: disk.free() == room, 3, 0.02)
    return time.monotonic() - begin if done else None


def freeze_a_run(home):
    """Freezes for FREEZE_S, cancels meanwhile; a dict of what a person saw and when."""
    seen = {}
    with slowdisk.slow_disk(400, write_mib=8) as disk:
        room = disk.free()
        with screens.Screen(home, "--timing", wrapper=disk.inside([])) as screen:
            start_write(screen, disk)
            workers = screen.pids("iodyno-worker")
            with frozen(disk.mount) as thaw:
                begin = time.monotonic()
                screen.do(f"wait {CANCEL_S} STALLED")
                seen["stalled_s"] = time.monotonic() - begin
                screen.do(f"run {max(0, int((begin + CANCEL_S - time.monotonic()) * 1000))}")
                screen.do("reject STOPPING")
                asked = time.monotonic()
                screen.do("send x", "wait 5 STOPPING")
                seen["stopping_s"] = time.monotonic() - asked
                screen.do(f"run {max(0, int((begin + FREEZE_S - time.monotonic()) * 1000))}")
                thaw()
            thawed = time.monotonic()
            screen.do("gone 20 STOPPING")
            seen["ended_s"] = time.monotonic() - thawed
            dump = screen.settled(300)
            seen["state"] = next((word for word in ("CANCELLED", "ABANDONED") if dump.find(word)), str(dump))
            seen["gone_s"] = screens.seconds_until_gone(workers, END_S)
            seen["left"], seen["room_s"] = left_behind(disk), room_back(disk, room)
            screen.do("send q")
            seen["code"], seen["terminal"] = screen.exit(), screen.state()
            late = re.search(r"worst lateness of a timer: ([\d.]+) ms", str(screen.dump()))
            seen["late_ms"] = float(late[1]) if late else None
    return seen


def kill_the_screen(home, start, disk=None):
    """kill -9 of the screen under its guard while start(screen) has a run going."""
    room = disk.free() if disk else None
    with screens.Screen(home, wrapper=disk.inside([]) if disk else ()) as screen:
        start(screen)
        workers = screen.pids("iodyno-worker")
        os.kill(screen.await_pid("iodyno-screen"), signal.SIGKILL)
        begin = time.monotonic()
        code, terminal = screen.exit(), screen.state()
        gone = screens.seconds_until_gone(workers, LADDER_S + 4)
        seen = {"code": code, "terminal": terminal, "gone_s": None if gone is None else time.monotonic() - begin}
        if disk:
            seen["left"], seen["room_s"] = left_behind(disk), room_back(disk, room)
    return seen


def kill_in_a_write(home):
    with slowdisk.slow_disk(400, write_mib=8) as disk:
        return kill_the_screen(home, lambda screen: start_write(screen, disk), disk)


def kill_in_a_hang(home):
    def start(screen):
        screens.open_menu(screen)
        screens.choose(screen, "Hang")
        screen.do("key enter", "wait 10 RUNNING", "run 500")

    return kill_the_screen(home, start)


def kill_while_frozen(home):
    """The worker is in the kernel then: it can go only after the thaw, and must then go by itself."""
    with slowdisk.slow_disk(400, write_mib=8) as disk:
        room = disk.free()
        with screens.Screen(home, wrapper=disk.inside([])) as screen:
            start_write(screen, disk)
            workers = screen.pids("iodyno-worker")
            with frozen(disk.mount):
                screen.do("run 500")
                os.kill(screen.await_pid("iodyno-screen"), signal.SIGKILL)
                code, terminal = screen.exit(), screen.state()
                time.sleep(FREEZE_S)
            gone = screens.seconds_until_gone(workers, LADDER_S + 4)
            return {"code": code, "terminal": terminal, "gone_s": gone, "left": left_behind(disk),
                    "room_s": room_back(disk, room)}
