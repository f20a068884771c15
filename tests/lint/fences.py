#!/usr/bin/env python3
"""The fences of the architecture: who may include whom, no circles, forbidden calls.

Usage: fences.py SOURCE_DIR. Prints each breach as FILE:LINE: sentence; exit 1 when there is one.
"""
import pathlib
import re
import sys

# The stair of core: a room includes itself and the rooms above it.
STAIR = ["api", "base", "loop", "wire", "catalog", "device", "run", "diagnose", "report", "history"]
PURE_DATA = {"core/run/series.h", "core/catalog/options.h", "core/base/units.h", "core/base/str.h",
             "core/base/cleanup.h", "core/base/ini.h", "core/api/iodyno/plugin.h"}

# Headers of libraries and the only places that may name them.
LIBRARY_HEADERS = {
    r"n?curses(w/.*)?\.h|term\.h|ncursesw/.*": ["tui/terminal/term", "tui/terminal/canvas.c"],
    r"sqlite3\.h": ["core/store/"],
    r"dlfcn\.h": ["core/worker/"],
    r"netlink/.*": ["core/worker/ports.c", "core/worker/ethtool_ask.c"],
    r"gpiod\.h": ["core/device/gpio"],
    r"ini\.h": ["core/base/ini.c"],
    r"jansson\.h": ["core/report/", "core/cli/", "plugins/network/"],
    r"linux/mmc/.*|scsi/.*": [],  # a command to a card can hang its controller
}

# Calls that only some places may make.
CALLS = {
    r"\bdlopen\s*\(": ["core/worker/"],
    r"\bdlclose\s*\(": [],
    r"\b(printf|puts|putchar)\s*\(": ["core/cli/", "core/worker/", "core/store/report", "plugins/selftest/"],
    r"\b(atoi|atol|atoll|atof|gets|strcpy|strcat|sprintf|vsprintf|strtok|tmpnam|mktemp)\s*\(": [],
    r"\b(u?sleep|nanosleep|clock_nanosleep)\s*\(": ["plugins/"],
    r"\bsystem\s*\(|\bpopen\s*\(": [],
    r"\bpthread_create\s*\(": ["core/worker/", "plugins/"],
    r"\bgoto\b": [],
    r"\b(MMC_IOC\w*|SG_IO)\b": [],
    r"__attribute__\s*\(\(\s*constructor": [],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def strip_comments(text):
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', lambda m: m.group(0)
                  if m.group(0).startswith('"') and "include" in text[text.rfind("\n", 0, m.start()) + 1:m.start()]
                  else blank(m), text, flags=re.S)


def room_of(path):
    """"core/run", "tui/chart", "plugins/storage", … of a file's path."""
    parts = path.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def resolve(root, path, name):
    """The project file that an include in `path` names, or None."""
    own = (pathlib.PurePosixPath(path).parent / name)
    for base in (str(own.parent), "core", "core/api", "tui", "plugins"):
        candidate = f"{base}/{name}" if base != str(own.parent) else str(own)
        if (root / candidate).is_file():
            return candidate
    return None


def core_edge(source, target):
    """Reason why a file of core may not include a header, or None."""
    room = source.split("/")[1] if source.count("/") > 1 else "core"
    other = target.split("/")[1] if target.count("/") > 1 else "core"
    if room == other:
        return None
    if target.startswith(("tui/", "plugins/")):
        return "core does not know screens and plugins"
    if room in STAIR:
        if other in STAIR and STAIR.index(other) < STAIR.index(room):
            return None
        return f"room {room} stands above {other} on the stair"
    if room == "worker":
        if other in ("api", "base", "wire", "catalog", "device") or \
                target in ("core/run/guard.h", "core/loop/process.h"):
            return None
        return "the worker may use base, wire, catalog, device, run/guard and loop/process only"
    if room == "store":
        return None if other in STAIR else "the store may use the rooms of the stair only"
    if room in ("cli", "core"):
        return None if other in STAIR or other == "core" else f"nobody includes {other}"
    return f"unknown room {room}"


def tui_edge(source, target):
    if target.startswith("plugins/"):
        return "the screen does not know plugins"
    room = room_of(source)
    other = room_of(target)
    if room == other == "tui/screen":
        stem = pathlib.PurePosixPath(source).stem
        common = ("tui/screen/screen.h", f"tui/screen/{stem}.h", f"tui/screen/{stem.split('_')[0]}.h")
        return None if target in common or target.endswith("_common.h") else "a screen never includes another screen"
    if room == other:
        return None
    order = ["tui/terminal", "tui/chart", "tui/widget", "tui/view", "tui/screen", "tui"]
    if target.startswith("tui/"):
        if order.index(other) < order.index(room) and not (room == "tui/widget" and other == "tui/chart"):
            return None
        return f"{room} may not include {other}"
    if room in ("tui/terminal", "tui/chart", "tui/widget") and target not in PURE_DATA:
        return f"{room} may use pure data headers of core only"
    return None


def plugin_edge(source, target):
    if target == "core/api/iodyno/plugin.h" or target.startswith("plugins/common/"):
        return None
    if room_of(source) == room_of(target):
        return None
    return "a plugin may include iodyno/plugin.h and plugins/common only"


def edge_fault(source, target):
    if source.startswith("core/"):
        return core_edge(source, target)
    if source.startswith("tui/"):
        return tui_edge(source, target)
    return plugin_edge(source, target)


def allowed(path, places):
    return any(path == place or (path.startswith(place) and not place.endswith((".c", ".h")))
               for place in places)


def find_circle(graph):
    """One circle of the directed graph as a list of nodes, or None."""
    state, stack = {}, []

    def visit(node):
        state[node] = 1
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if state.get(other) == 1:
                return stack[stack.index(other):] + [other]
            if other not in state:
                circle = visit(other)
                if circle:
                    return circle
        stack.pop()
        state[node] = 2
        return None

    for node in sorted(graph):
        if node not in state:
            circle = visit(node)
            if circle:
                return circle
    return None


def check_file(root, path, files, rooms):
    faults = []
    text = strip_comments((root / path).read_text(encoding="utf-8"))
    for number, line in enumerate(text.split("\n"), 1):
        match = INCLUDE.match(line)
        if match:
            name = match.group(2)
            target = resolve(root, path, name) if match.group(1) == '"' or name.startswith("iodyno/") else None
            if match.group(1) == '"' and target is None:
                faults.append(f"{path}:{number}: includes {name}, which no room has")
            if target:
                files.setdefault(path, set()).add(target)
                if room_of(path) != room_of(target):
                    rooms.setdefault(room_of(path), set()).add(room_of(target))
                fault = edge_fault(path, target)
                if fault:
                    faults.append(f"{path}:{number}: includes {target}: {fault}")
            elif match.group(1) == "<":
                for pattern, places in LIBRARY_HEADERS.items():
                    if re.fullmatch(pattern, name) and not allowed(path, places):
                        faults.append(f"{path}:{number}: <{name}> belongs in {', '.join(places) or 'no file'}")
            continue
        for pattern, places in CALLS.items():
            match = re.search(pattern, line)
            if match and not allowed(path, places):
                where = ", ".join(places) or "no file"
                faults.append(f"{path}:{number}: {match.group(0).rstrip('( ')} belongs in {where}")
    return faults


def main():
    root = pathlib.Path(sys.argv[1])
    paths = sorted(str(p.relative_to(root)) for top in ("core", "tui", "plugins")
                   for p in (root / top).rglob("*.[ch]"))
    files, rooms, faults = {}, {}, []
    for path in paths:
        faults += check_file(root, path, files, rooms)
    for name, graph in (("files", files), ("rooms", {k: v - {k} for k, v in rooms.items()})):
        circle = find_circle(graph)
        if circle:
            faults.append(f"circle of {name}: " + " -> ".join(circle))
    top = {p.name for p in root.iterdir() if not p.name.startswith(".") and not p.name.startswith("build")}
    given = {"CMakeLists.txt", "tui", "core", "plugins", "themes", "tests", "assets", "README.md", "LICENSE",
             "CMakePresets.json"}
    if (root / ".git").exists() and top - given:
        faults.append("top level has more than the given names: " + ", ".join(sorted(top - given)))
    for fault in faults:
        print(fault)
    print(f"{len(paths)} files, {sum(map(len, files.values()))} includes, {len(faults)} breaches")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
