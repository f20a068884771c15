"""Made runs as JSON lines, the same bytes each time: what the golden screens and the figures' tests replay."""
import json
import math

MACHINE = {"board": "RZ/G2L SMARC", "kernel": "5.10.184", "iodyno": "1.0.0", "cpus": 2, "memory_bytes": 2 << 30,
           "clock_set": True}
STARTED = "2026-01-31T09:00:00Z"


def metric(key, unit, kind, label, better="none", host=False):
    row = {"key": key, "unit": unit, "kind": kind, "better": better, "label": label}
    return {**row, "host": True} if host else row


def start(test, title, target, options, metrics, interval_s=1, flags=5):
    return {"type": "start", "schema": "iodyno.run/1", "label": None, "test": test, "title": title, "machine": MACHINE,
            "target": target, "options": options, "started": STARTED, "interval_s": interval_s, "flags": flags,
            "metrics": metrics, "expectations": []}


def fact(key, text):
    return {"type": "fact", "key": key, "text": text}


def phase(name, at_s):
    return {"type": "phase", "name": name, "t0_s": at_s}


def result(key, value):
    return {"type": "result", "metric": key, "lane": None, "value": value}


def interval(key, begin_s, end_s, value, lane=0):
    return {"type": "interval", "metric": key, "lane": lane, "t0_s": begin_s, "t1_s": end_s, "value": value}


def event(code, at_s, text):
    return {"type": "event", "t_s": at_s, "code": code, "text": text, "owner": True}


def end(at_s, state="done", error=None):
    return {"type": "end", "t_s": at_s, "state": state, "error": error}


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


CARD = {"id": "mmcblk1p1", "kind": "sd", "access": "folder", "path": "/media/card", "mode": "SDR104", "width": 4,
        "clock_hz": 208000000, "ceiling": 104000000, "source": "SDR104, 4 bit"}
STORAGE = [
    metric("written", "B", "delta", "Written by the test", "higher"),
    metric("device_written", "B", "delta", "Written by the disk"),
    metric("rate", "B/s", "total", "Rate", "higher"),
    metric("real_time", "s", "total", "Real time, with open and sync", "lower"),
    metric("sync_time", "s", "total", "Time in fsync and sync", "lower"),
]
CARD_BYTES = 524288000
CARD_S = 107


def card_write():
    """dd conv=fsync, 500 MiB on a slow card: 107 s, one stall; the application was done at 1.1 s."""
    lines = [start("storage.write", "Sequential write", CARD,
                   {"method": "dd-fsync", "bs": 1048576, "count": 500, "data": "zero"}, STORAGE),
             fact("engine", "plain"), fact("file-system", "ext4"),
             fact("by-hand", "dd if=/dev/zero of=FILE bs=1M count=500 conv=fsync"), phase("write", 0.0)]
    lines.append(interval("written", 0.0, 1.0, 476053504))
    lines.append(interval("written", 1.0, 1.1, CARD_BYTES - 476053504))
    lines.append(phase("fsync", 1.1))
    weights = [0 if 60 <= i < 63 else 100 + round(30 * math.sin(i / 5)) + (i * 7919) % 41 for i in range(CARD_S)]
    done, total = 0, sum(weights)
    for second, weight in enumerate(weights):
        until = CARD_BYTES * sum(weights[:second + 1]) // total
        lines.append(interval("device_written", second, second + 1, until - done))
        done = until
        if second == 62:
            lines.append(event("stalled", 62.0, "nothing moved for 2 s"))
    lines += [result("rate", CARD_BYTES / CARD_S), result("real_time", float(CARD_S)), result("sync_time", 105.9),
              end(float(CARD_S))]
    return lines


def dd_write(seconds=3.5):
    """524288000 B in 3.5 s, as dd prints it."""
    lines = [start("storage.write", "Sequential write", CARD, {"method": "dd-direct", "bs": 1048576, "count": 500},
                   STORAGE), phase("write", 0.0)]
    at = [0, 1, 2, 3, seconds]
    for begin, until in zip(at, at[1:]):
        amount = int(CARD_BYTES * until / seconds) - int(CARD_BYTES * begin / seconds)
        lines.append(interval("written", begin, until, amount))
        lines.append(interval("device_written", begin, until, amount))
    return lines + [result("rate", CARD_BYTES / seconds), result("real_time", seconds), end(seconds)]


def cliff_write():
    """2 GB around the page cache: 40 MB/s until 1.2 GB, then 10."""
    rates = [40_000_000] * 30 + [10_000_000] * 80
    lines = [start("storage.write", "Sequential write", CARD, {"method": "dd-direct", "bs": 1048576, "size": sum(rates)},
                   STORAGE), fact("o_direct", "honoured"), phase("write", 0.0)]
    for second, amount in enumerate(rates):
        lines.append(interval("written", second, second + 1, amount))
        lines.append(interval("device_written", second, second + 1, amount))
    seconds = float(len(rates))
    return lines + [result("rate", sum(rates) / seconds), result("real_time", seconds), end(seconds)]


def over_ceiling():
    """What a card behind SDR104 cannot give: 524 MB in 0.5 s."""
    lines = [start("storage.write", "Sequential write", CARD, {"method": "dd-fsync", "bs": 1048576, "count": 500},
                   STORAGE), phase("write", 0.0), interval("written", 0.0, 0.5, CARD_BYTES)]
    return lines + [result("rate", CARD_BYTES / 0.5), result("real_time", 0.5), end(0.5)]


PORT = {"id": "eth0", "kind": "ethernet", "access": "net", "speed_mbps": 1000, "duplex": "full"}
NETWORK = [
    metric("sent", "B", "delta", "Sent", "higher"),
    metric("retransmits", "count", "delta", "Retransmits", "zero"),
    metric("cwnd", "B", "gauge", "Congestion window"),
    metric("rtt", "s", "gauge", "Round trip", "lower"),
    metric("rate", "bit/s", "total", "Rate", "higher"),
]
LOSSY_BPS = [71.2e6, 74e6, 80e6, 66e6, 0, 74e6, 150e6, 71e6, 73e6, 78e6, 69e6, 70e6]
LOSSY_RETRANSMITS = [350, 340, 380, 310, 420, 350, 900, 355, 361, 372, 333, 340]


def network(rates_bps, retransmits, interval_s=1):
    metrics = NETWORK
    lines = [start("network.tcp", "TCP", PORT, {"server": "192.168.0.2", "port": 5201, "time": len(rates_bps)},
                   metrics, interval_s), phase("out", 0.0)]
    total = 0
    for i, (rate, lost) in enumerate(zip(rates_bps, retransmits)):
        begin, until = i * interval_s, (i + 1) * interval_s
        amount = round(rate * interval_s / 8)
        total += amount
        lines += [interval("sent", begin, until, amount), interval("retransmits", begin, until, lost),
                  interval("cwnd", begin, until, 2896), interval("rtt", begin, until, 0.0009)]
    seconds = len(rates_bps) * interval_s
    return lines + [result("rate", total * 8 / seconds), end(float(seconds))]
