#!/usr/bin/env python3
"""A server that misbehaves: speaks iperf3's protocol up to a point, then does what its name says.

Usage: peer.py MANNER [PORT]. Serves one control connection after another until it is ended.
"""
import json
import os
import socket
import struct
import sys
import time

COOKIE = 37
PARAMS, CREATE, START, RUNNING, END, EXCHANGE, DISPLAY = 9, 10, 1, 2, 4, 13, 14


def take(sock, size):
    data = b""
    while len(data) < size:
        part = sock.recv(size - len(data))
        if not part:
            raise ConnectionError
        data += part
    return data


def state(sock, number):
    sock.sendall(struct.pack("b", number))


def text_of(sock):
    return json.loads(take(sock, struct.unpack(">I", take(sock, 4))[0]))


def put_text(sock, text):
    sock.sendall(struct.pack(">I", len(text)) + text)


def results(ids=(1,), **changes):
    streams = [{"id": i, "bytes": 1000, "retransmits": -1, "jitter": 0, "errors": 0, "packets": 0,
                "start_time": 0, "end_time": 1.0} for i in ids]
    whole = {"cpu_util_total": 1.0, "cpu_util_user": 0.5, "cpu_util_system": 0.5, "sender_has_retransmits": -1,
             "streams": streams}
    whole.update(changes)
    return json.dumps(whole).encode()


def rest(_):
    while True:
        time.sleep(60)


def until_running(listener, sock):
    """The streams, drained by nobody: their buffers are enough for what a test sends."""
    take(sock, COOKIE)
    state(sock, PARAMS)
    params = text_of(sock)
    state(sock, CREATE)
    streams = []
    for _ in range(params["parallel"]):
        stream, _ = listener.accept()
        take(stream, COOKIE)
        streams.append(stream)
    state(sock, START)
    state(sock, RUNNING)
    return streams


def drain(streams, seconds):
    end = time.monotonic() + seconds
    for stream in streams:
        stream.settimeout(0.05)
    while time.monotonic() < end:
        for stream in streams:
            try:
                stream.recv(1 << 20)
            except TimeoutError:
                pass


def until_exchange(listener, sock):
    streams = until_running(listener, sock)
    sock.setblocking(False)
    while True:
        drain(streams, 0.05)
        try:
            if sock.recv(1) == bytes([END]):
                break
        except BlockingIOError:
            pass
    sock.setblocking(True)
    state(sock, EXCHANGE)
    text_of(sock)


def silent(_, sock):
    rest(sock)


def early_eof(_, sock):
    take(sock, COOKIE)


def noise(_, sock):
    sock.sendall(bytes([0x53, 0x53, 0x48]) + os.urandom(4096))
    rest(sock)


def busy(_, sock):
    state(sock, -1)


def wants_authentication(_, sock):
    take(sock, COOKIE)
    state(sock, PARAMS)
    text_of(sock)
    sock.sendall(struct.pack(">bI", -2, 142))


def eof_after_params(_, sock):
    take(sock, COOKIE)
    state(sock, PARAMS)
    text_of(sock)


def wrong_state(_, sock):
    take(sock, COOKIE)
    state(sock, PARAMS)
    text_of(sock)
    state(sock, 99)
    rest(sock)


def vanishes(listener, sock):
    streams = until_running(listener, sock)
    drain(streams, 0.7)


def terminates(listener, sock):
    streams = until_running(listener, sock)
    drain(streams, 0.7)
    state(sock, 11)
    drain(streams, 5)


def never_ends(listener, sock):
    drain(until_running(listener, sock), 3600)


def of_text(text, length=None):
    def answer(listener, sock):
        until_exchange(listener, sock)
        sock.sendall(struct.pack(">I", len(text) if length is None else length) + text)
        rest(sock)
    return answer


def eof_for_results(listener, sock):
    until_exchange(listener, sock)


MANNERS = {
    "silent": silent,
    "early_eof": early_eof,
    "noise": noise,
    "busy": busy,
    "wants_authentication": wants_authentication,
    "eof_after_params": eof_after_params,
    "wrong_state": wrong_state,
    "vanishes": vanishes,
    "terminates": terminates,
    "never_ends": never_ends,
    "eof_for_results": eof_for_results,
    "length_huge": of_text(b"{}", 0xFFFFFFFF),
    "length_zero": of_text(b"", 0),
    "length_short": of_text(results(), 10),
    "json_deep": of_text(b"[" * 20000 + b"]" * 20000),
    "json_wide": of_text(b"[" + b"1," * 60000 + b"1]"),
    "json_other": of_text(b'"iperf3"'),
    "json_types": of_text(results(streams="many")),
    "results_of_others": of_text(results(ids=(7,))),
    "results_absurd": of_text(results(cpu_util_total=1e300)),
}


def main():
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 5201
    listener = socket.create_server(("127.0.0.1", port))
    while True:
        sock, _ = listener.accept()
        try:
            MANNERS[sys.argv[1]](listener, sock)
        except (ConnectionError, ValueError, TimeoutError):
            pass
        sock.close()


if __name__ == "__main__":
    main()
