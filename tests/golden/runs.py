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


def result(key, value, lane=None):
    return {"type": "result", "metric": key, "lane": lane, "value": value}


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
    metric("received", "B", "delta", "Received", "higher"),
    metric("retransmits", "count", "delta", "Retransmits", "zero"),
    metric("retransmit_share", "ratio", "gauge", "Retransmits, share of segments", "zero"),
    metric("out_of_order", "count", "delta", "Arrived out of order", "zero"),
    metric("cwnd", "B", "gauge", "Congestion window"),
    metric("rtt", "s", "gauge", "Round trip", "lower"),
    metric("rtt_var", "s", "gauge", "Round trip, variation", "lower"),
    metric("delivery_rate", "bit/s", "gauge", "Delivery rate", "higher"),
    metric("busy", "ratio", "gauge", "Busy"),
    metric("rwnd_limited", "ratio", "gauge", "Receiver-limited"),
    metric("sndbuf_limited", "ratio", "gauge", "Buffer-limited"),
    metric("app_limited", "ratio", "gauge", "App-limited"),
    metric("rate", "bit/s", "total", "Rate", "higher"),
    metric("rate_out", "bit/s", "total", "Rate out", "higher"),
    metric("rate_in", "bit/s", "total", "Rate in", "higher"),
]
UDP = [
    metric("sent", "B", "delta", "Sent", "higher"),
    metric("received", "B", "delta", "Received", "higher"),
    metric("packets", "count", "delta", "Packets"),
    metric("lost", "count", "delta", "Lost", "zero"),
    metric("out_of_order", "count", "delta", "Arrived out of order", "zero"),
    metric("jitter", "s", "gauge", "Jitter", "lower"),
    metric("rate", "bit/s", "total", "Rate", "higher"),
    metric("rate_out", "bit/s", "total", "Rate out", "higher"),
    metric("rate_in", "bit/s", "total", "Rate in", "higher"),
]
SEGMENT = 1448
PEER = "192.168.0.2"
LOSSY_BPS = [71.2e6, 74e6, 80e6, 66e6, 0, 74e6, 150e6, 71e6, 73e6, 78e6, 69e6, 70e6]
LOSSY_RETRANSMITS = [350, 340, 380, 310, 420, 350, 900, 355, 361, 372, 333, 340]


def network(rates_bps, retransmits, interval_s=1):
    metrics = NETWORK
    lines = [start("network.tcp", "TCP", PORT, {"server": PEER, "port": 5201, "direction": "out",
                                                "time": len(rates_bps) * interval_s}, metrics, interval_s),
             fact("congestion", "cubic"), fact("by-hand", f"iperf3 -c {PEER} -p 5201 -t {len(rates_bps) * interval_s}"),
             phase("out", 0.0)]
    total = 0
    for i, (rate, lost) in enumerate(zip(rates_bps, retransmits)):
        begin, until = i * interval_s, (i + 1) * interval_s
        amount = round(rate * interval_s / 8)
        total += amount
        lines += [interval("sent", begin, until, amount), interval("retransmits", begin, until, lost),
                  interval("cwnd", begin, until, 2896), interval("rtt", begin, until, 0.0009),
                  interval("rtt_var", begin, until, 0.0004), interval("busy", begin, until, 1.0),
                  interval("rwnd_limited", begin, until, 0.0), interval("app_limited", begin, until, 0.0)]
    seconds = len(rates_bps) * interval_s
    return lines + [result("rate", total * 8 / seconds), end(float(seconds))]


def sway(second, stream=0):
    """A factor around 1 that is the same each time and rests nowhere."""
    return 1 + 0.04 * math.sin(second / 3 + stream) + 0.02 * math.sin(second * 1.7 + 2 * stream)


def tcp_sample(way, lane, begin, until, bps, lost=0, cwnd=195480, rtt=0.0031, receiver=0.0):
    amount = round(bps * (until - begin) / 8)
    if way == "in":
        return [interval("received", begin, until, amount, lane), interval("out_of_order", begin, until, lost, lane)]
    return [interval("sent", begin, until, amount, lane), interval("retransmits", begin, until, lost, lane),
            interval("retransmit_share", begin, until, lost * SEGMENT / amount if amount else 0, lane),
            interval("cwnd", begin, until, cwnd, lane), interval("rtt", begin, until, rtt, lane),
            interval("rtt_var", begin, until, rtt / 8, lane), interval("busy", begin, until, 1.0, lane),
            interval("rwnd_limited", begin, until, receiver, lane), interval("sndbuf_limited", begin, until, 0.0, lane),
            interval("app_limited", begin, until, 0.0, lane)]


def tcp(direction, seconds, plan, streams=1, port=PORT, interval_s=1, events=(), state="done", command="",
        ends=False):
    """plan(way, stream, second) → (bit/s, lost) of a TCP run; in turns each direction has `seconds`; `ends`: with the
    other end's bytes of each stream."""
    options = {"server": PEER, "port": 5201, "direction": direction, "parallel": streams, "time": seconds * interval_s}
    ways = {"out": ["out"], "in": ["in"]}.get(direction, ["out", "in"])
    lines = [start("network.tcp", "TCP", port, options, NETWORK, interval_s), fact("congestion", "cubic"),
             fact("by-hand", f"iperf3 -c {PEER} -p 5201 -t {seconds * interval_s}{command}")]
    totals, at = dict.fromkeys(ways, 0), 0
    for turn in ([[way] for way in ways] if direction == "turns" else [ways]):
        lines.append(phase(turn[0] if len(turn) == 1 else "both", float(at)))
        for second in range(seconds):
            begin, until = at + second * interval_s, at + (second + 1) * interval_s
            for way in turn:
                for stream in range(streams):
                    bps, lost = plan(way, stream, second)
                    lane = stream + (streams if direction == "both" and way == "in" else 0)
                    lines += tcp_sample(way, lane, begin, until, bps, lost)
                    totals[way] += round(bps * interval_s / 8)
        at += seconds * interval_s
    lines += events
    rates = {way: total * 8 / seconds / interval_s * 0.999 for way, total in totals.items()}
    lines.append(result("rate", min(rates.values())))
    if len(rates) > 1:
        lines += [result(f"rate_{way}", rate) for way, rate in rates.items()]
    for lane in range(streams * len(ways) if ends else 0):
        way = ways[lane // streams]
        lines.append(result({"out": "received", "in": "sent"}[way], round(totals[way] * 0.999 / streams), lane))
    if ends and len(ways) == 1:
        lines.append(result({"out": "received", "in": "sent"}[ways[0]], round(totals[ways[0]] * 0.999)))
    return [*lines, end(float(at), state)]


def network_turns():
    """An asymmetric port: good out, bad in."""
    return tcp("turns", 10, lambda way, _, second: (938e6 * min(1, 0.97 + second / 100), 0) if way == "out"
               else (113e6 * sway(second), 140 + second * 7 % 40), command="; iperf3 -R")


def network_both(streams=1):
    return tcp("both", 30, lambda way, stream, second: ((520e6 if way == "out" else 402e6) / streams
                                                        * sway(second, stream + (way == "in")), int(second % 7 == 0)), streams,
               command=" --bidir")


def network_streams(streams=4):
    return tcp("out", 20, lambda _, stream, second: (940e6 / streams * sway(second, stream) * (1.25 - stream * 0.17),
                                                     int((second + stream) % 5 == 0)), streams, command=f" -P {streams}")


def network_in():
    return tcp("in", 20, lambda _, __, second: (613e6 * sway(second), 30 * (8 <= second < 12)), command=" -R")


def network_soak():
    """Twelve hours of a minute each: a pulled cable, and a bad hour."""
    def plan(_, __, minute):
        if minute in (192, 193):
            return 0, 0
        return (612e6 if 400 <= minute < 460 else 941e6 * (1 - 0.002 * (minute % 3))), (2 if 400 <= minute < 460 else 0)
    return tcp("out", 720, plan, interval_s=60, events=[event("link-down", 11521.0, "eth0 lost its carrier"),
                                                       event("link-up", 11633.0, "eth0 has its carrier again")])


def network_udp(direction="in", seconds=15, bps=300e6, length=1448):
    key = "sent" if direction == "out" else "received"
    lines = [start("network.udp", "UDP", PORT, {"server": PEER, "port": 5201, "direction": direction, "time": seconds,
                                                "bitrate": int(bps), "len": length}, UDP, 1),
             fact("by-hand", f"iperf3 -c {PEER} -u -b 300M -l {length} -t {seconds}" + " -R" * (direction == "in")),
             phase(direction, 0.0)]
    lost_all = packets_all = 0
    for second in range(seconds):
        packets = round(bps / 8 / length)
        lost = 0 if direction == "out" else round(packets * (0.012 if 6 <= second < 9 else 0.0008))
        packets_all, lost_all = packets_all + packets, lost_all + lost
        lines += [interval(key, second, second + 1, (packets - lost) * length),
                  interval("packets", second, second + 1, packets)]
        if direction == "in":
            lines += [interval("lost", second, second + 1, lost), interval("out_of_order", second, second + 1, 0),
                      interval("jitter", second, second + 1, 0.000021)]
    if direction == "out":
        lost_all = 113
        lines += [result("lost", lost_all), result("jitter", 0.000018)]
    else:
        lines.append(result("sent", packets_all * length))
    return [*lines, result("rate", (packets_all - lost_all) * length * 8 / seconds), end(float(seconds))]


# ---- memory: a small board, two cores, 16 bit of DDR4-1600

DRAM = {"id": "dram", "kind": "dram", "name": "DDR4", "access": "mem", "size_bytes": 2 << 30, "mode": "DDR4-1600",
        "width": 16, "ceiling": 3200000000, "ceiling_source": "board file rzg2l.ini"}
CACHES = fact("caches", "L1 32 KiB, L3 256 KiB, last level 256 KiB in all (sysfs)")
KERNELS = ("read", "write", "write-nt", "copy", "copy-nt", "triad", "memset", "memcpy", "zva", "rd", "wr")
ORDER = ("read", "rd", "copy", "copy-nt", "memcpy", "triad", "write", "write-nt", "memset", "zva", "wr")
MBPS = {"read": (2671, 2804), "rd": (2765,), "copy": (2204, 2391), "copy-nt": (2260, 2402), "memcpy": (2187, 2370),
        "triad": (1986, 2255), "write": (1892, 2077), "write-nt": (1911, 2079), "memset": (2480, 2551),
        "zva": (2502, 2560), "wr": (891,)}
COLUMN = (("rate", "B/s", "higher"), ("p5", "B/s", "higher"), ("p95", "B/s", "higher"), ("best", "B/s", "higher"),
          ("mean", "B/s", "higher"), ("samples", "count", "none"), ("switches", "count", "none"))
TAKEN = metric("taken", "B", "delta", "Memory taken")
BANDWIDTH = [
    metric("moved", "B", "delta", "Moved by the kernel"),
    metric("published", "B", "delta", "Moved, published convention"),
    metric("rate", "B/s", "total", "Read", "higher"),
    metric("rate_write", "B/s", "total", "Write, ordinary", "higher"),
    metric("rate_write_nt", "B/s", "total", "Write, around the caches", "higher"),
    metric("rate_copy", "B/s", "total", "Copy, read + written", "higher"),
    metric("rate_triad", "B/s", "total", "Triad, read + written", "higher"),
    metric("peak_share", "ratio", "total", "Read, share of the peak", "higher"),
    metric("peak", "B/s", "total", "Peak of the DRAM"),
    metric("published_rd", "B/s", "total", "rd, published convention", "higher"),
    metric("published_wr", "B/s", "total", "wr, published convention", "higher"),
    *(metric(f"{name}_{key}", unit, "total", f"{key}, {name}", better) for name in ("one", "all")
      for key, unit, better in COLUMN),
    TAKEN,
]


def memory_cells():
    """(kernel, column, MB/s): one thread first."""
    return [(kernel, column, MBPS[kernel][column]) for column in (0, 1) for kernel in ORDER if column < len(MBPS[kernel])]


def memory_bandwidth(cells=None):
    """Every kernel by one thread, then by two; `cells`: only so many of them, and the run goes on no further."""
    lines = [start("memory.bandwidth", "Memory bandwidth", DRAM, {"kernel": "all", "method": "full", "time": 10},
                   BANDWIDTH, 0.5, 0), CACHES, phase("take memory", 0.0),
             interval("taken", 0.0, 0.5, 134217728), fact("set", "64 MiB, 8 x the last-level cache, at least 32 MiB")]
    at = 0.5
    for kernel, column, mbps in memory_cells()[:cells]:
        lines.append(phase(f"{kernel}, {'2 threads' if column else '1 thread'}", at))
        key = "published" if kernel in ("rd", "wr") else "moved"
        lane = KERNELS.index(kernel) - (9 if key == "published" else 0)
        lines.append(interval(key, at + 0.05, at + 0.5, round(mbps * 0.998e6 * 0.45), lane))
        at += 0.5
    if cells:
        return lines + [end(at, "cancelled")]
    for lane, kernel in enumerate(KERNELS):
        columns = [f"{i + 1} thread{'s' * i} {mbps} MB/s (p5 {mbps - 20}, p95 {mbps + 12}, best {mbps + 15}, "
                   f"10 samples, 0 switches)" for i, mbps in enumerate(MBPS[kernel])]
        lines += [result(f"{('one', 'all')[i]}_rate", mbps * 1e6, lane) for i, mbps in enumerate(MBPS[kernel])]
        lines.append(fact(f"kernel-{kernel}", "; ".join([*columns, "neon"])))
    lines += [fact("isa", "neon"), fact("set-level", "DRAM"), fact("pages", "100 % in huge pages, the rest 4 KiB"),
              fact("published-convention", "wr stores one word of 4 bytes in every 16 and fills no line, so each line "
                   "is read before it is written: it is not the board's write bandwidth"),
              result("rate", 2804e6), result("rate_write", 2551e6), result("rate_write_nt", 2560e6),
              result("rate_copy", 2402e6), result("rate_triad", 2255e6), result("peak_share", 2804 / 3200),
              result("peak", 3200e6), result("published_rd", 2765e6), result("published_wr", 891e6)]
    return [*lines, end(at)]


STAIRS = [
    metric("moved", "B", "delta", "Read"),
    metric("latency_now", "s", "gauge", "One load", "lower"),
    metric("rate", "B/s", "total", "Read, largest set", "higher"),
    metric("latency", "s", "total", "Latency, largest set", "lower"),
    metric("stair_size", "B", "total", "Set"),
    metric("stair_rate", "B/s", "total", "Read", "higher"),
    metric("stair_latency", "s", "total", "Latency", "lower"),
    metric("edge", "B", "total", "Edge, measured"),
    metric("edge_reported", "B", "total", "Cache, reported"),
    TAKEN,
]


def stair(size):
    """MB/s and ns of a set: L1 to 32 KiB, L3 to 256 KiB, then the DRAM."""
    def level(first, second, third):
        past_l1 = 1 / (1 + (32768 * 1.25 / size) ** 6)
        past_l3 = 1 / (1 + (262144 * 1.3 / size) ** 4)
        return math.exp(math.log(first) + past_l1 * math.log(second / first) + past_l3 * math.log(third / second))
    return level(17600, 7900, 2671), level(3.4, 14.0, 148.0)


def memory_stairs(points=None):
    sizes, size = [], 4096
    while size < 64 << 20:
        sizes += [size, size * 3 // 2]
        size *= 2
    sizes.append(size)
    lines = [start("memory.stairs", "Cache stairs", DRAM, {"cpus": "all", "isa": "auto", "time": 5}, STAIRS, 0.5, 0),
             CACHES, phase("take memory", 0.0), fact("set", "64 MiB, 8 x the last-level cache, at least 32 MiB")]
    for i, size in enumerate(sizes[:points]):
        at = 0.2 + i * 0.16
        rate, latency = stair(size)
        lines += [phase(f"{size // 1024} KiB", at), interval("moved", at, at + 0.08, round(rate * 0.08e6), 0),
                  interval("moved", at + 0.08, at + 0.16, round(64 * 0.08e9 / latency), 1),
                  interval("latency_now", at + 0.08, at + 0.16, latency / 1e9, 1),
                  result("stair_size", size, i), result("stair_rate", rate * 1e6, i),
                  result("stair_latency", latency / 1e9, i)]
    if points:
        return [*lines, end(0.2 + points * 0.16, "cancelled")]
    rate, latency = stair(sizes[-1])
    return [*lines, result("edge", 32768, 1), result("edge", 196608, 2), fact("edges-measured", "32 KiB, 192 KiB"),
            result("edge_reported", 32768, 1), result("edge_reported", 262144, 3), fact("edges-source", "sysfs"),
            result("rate", rate * 1e6), result("latency", latency / 1e9), end(0.2 + len(sizes) * 0.16)]


LATENCY = [
    metric("moved", "B", "delta", "Read"),
    metric("latency_now", "s", "gauge", "One load", "lower"),
    metric("latency", "s", "total", "Latency, one chain", "lower"),
    metric("chain_latency", "s", "total", "Time of a load, by chains", "lower"),
    metric("loaded_latency", "s", "total", "Latency under load", "lower"),
    metric("loaded_rate", "B/s", "total", "Load"),
    TAKEN,
]
CHAINS = {1: 148.2, 2: 75.1, 4: 39.4, 8: 33.0}
LOADED = ((0, 148.2), (310, 151.0), (820, 158.4), (1610, 189.3), (2170, 262.8), (2420, 431.5))


def memory_latency():
    lines = [start("memory.latency", "Memory latency", DRAM, {"cpus": "all", "loaded": "yes", "time": 5}, LATENCY, 0.5,
                   0), CACHES, phase("take memory", 0.0),
             fact("set", "64 MiB in all, 8 x the last-level cache, at least 32 MiB"), fact("set-level", "DRAM")]
    at = 0.2
    for chains, nanoseconds in CHAINS.items():
        lines += [phase(f"{chains} chain{'s' if chains > 1 else ''}", at),
                  interval("moved", at, at + 0.5, round(64 * 0.5e9 / nanoseconds), 0),
                  interval("latency_now", at, at + 0.5, nanoseconds / 1e9, 0),
                  result("chain_latency", nanoseconds / 1e9, chains)]
        at += 0.5
    lines.append(result("latency", CHAINS[1] / 1e9))
    for step, (mbps, nanoseconds) in enumerate(LOADED):
        lines += [phase(f"load {step} of 5", at), interval("moved", at, at + 0.5, round(64 * 0.5e9 / nanoseconds), 0),
                  interval("moved", at, at + 0.5, round(mbps * 0.5e6) + 1, 1),
                  interval("latency_now", at, at + 0.5, nanoseconds / 1e9, 0),
                  result("loaded_latency", nanoseconds / 1e9, step), result("loaded_rate", mbps * 1e6, step)]
        at += 0.5
    return [*lines, end(at)]


VERIFY = [
    metric("moved", "B", "delta", "Written, read, copied"),
    metric("rate", "B/s", "total", "Written, read, copied", "higher"),
    metric("errors", "count", "total", "Wrong words", "zero"),
    metric("passes", "count", "total", "Patterns gone through"),
    metric("size", "B", "total", "Memory tested"),
    metric("drift", "ratio", "total", "Last tenth against the first"),
    metric("switches", "count", "total", "Involuntary switches"),
    TAKEN,
    metric("temperature", "degC", "gauge", "Temperature of the board", "none", True),
    metric("cpu_clock", "Hz", "gauge", "Clock of the CPU", "none", True),
]
NIGHT_BYTES = 805306368
WRONG = ("address 0x7fae15380000 (physical 0x68980000): expected 0x00007fae15380000, got 0x00007fae15180000, "
         "read again 0x00007fae15180000, bits 0x0000000000200000, CPU 1")


def memory_verify(has_error=False):
    """Eight hours of a board that grows warm and a little slower; or 5 h 12 min until a bit was wrong."""
    minutes = 480
    lines = [start("memory.verify", "Memory verify", DRAM, {"share": 50, "time": "8h"}, VERIFY, 60, 0), CACHES,
             fact("edac", "no EDAC: nobody counts the errors of this memory"), phase("take memory", 0.0),
             interval("taken", 0.0, 1.0, NIGHT_BYTES), phase("verify", 1.0)]
    total = 0
    for minute in range(minutes):
        begin, until = 1.0 + minute * 60, 1.0 + (minute + 1) * 60
        amount = round(60 * (2.05e9 + 0.06e9 * math.exp(-minute / 60)))
        total += amount
        lines += [interval("moved", begin, until, amount),
                  interval("temperature", begin, until, 64.0 - 21 * math.exp(-minute / 25) + minute % 3 * 0.5),
                  interval("cpu_clock", begin, until, 1.2e9)]
        if has_error and minute == 311:
            lines.append(event("memory-error", until - 20.0, WRONG))
    lines += [result("errors", 1.0 if has_error else 0.0), result("passes", float(total // (5 * NIGHT_BYTES))),
              result("size", float(NIGHT_BYTES))]
    seconds = 1.0 + minutes * 60
    if has_error:
        return [*lines, end(seconds, "failed", f"memory error: 1 wrong word; {WRONG}")]
    return [*lines, result("rate", total / (seconds - 1)), result("drift", -0.027), end(seconds)]
