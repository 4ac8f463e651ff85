#!/usr/bin/env python3
"""Load on `dehusk serve` from this machine: rates and times beside the program without HTTP, overload, hostile clients, stopping.

    cargo build --profile quick -p dehusk-cli
    eval/serve/load.py --program target/quick/dehusk --pages DATA/wcxb-dev.jsonl.zst --out docs/results/serve.md

Needs nothing but Python and `zstd`. Everything is bounded in number and time, and stays on 127.0.0.1. The client shares the processors with the service, so
processor time per page says more than pages per second.
"""

import argparse
import asyncio
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import time

TICK = os.sysconf("SC_CLK_TCK")


def read_pages(path, count):
    data = subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True).stdout if path.endswith(".zst") else open(path, "rb").read()
    return [json.loads(line) for line in data.splitlines()[:count]]


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory(pid, key="VmRSS"):
    return int(re.search(key + r":\s+(\d+) kB", open(f"/proc/{pid}/status").read())[1]) / 1024


class Service:
    def __init__(self, program, *flags):
        self.child = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0", *flags], stderr=subprocess.PIPE, text=True)
        line = self.child.stderr.readline()
        self.port = int(re.search(r"listening on http://127\.0\.0\.1:(\d+)", line)[1])
        self.pid = self.child.pid

    def stop(self):
        """The summary of the service: requests answered, of these with 200, cut; and the exit code."""
        self.child.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self):
        text = self.child.stderr.read()
        code = self.child.wait()
        return [int(number) for number in re.search(r"stopped: (\d+) requests answered, (\d+) of them with status 200, (\d+) cut", text).groups()], code


def head(length, path="/v1/extract"):
    return f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n".encode()


async def answer(reader):
    """Status and body of an answer that has a length; raises if it is not whole."""
    start = await reader.readuntil(b"\r\n\r\n")
    status = int(start[9:12])
    length = int(re.search(rb"content-length: (\d+)", start, re.I)[1])
    body = await reader.readexactly(length)
    return status, body


class Load:
    """Closed loops: each connection sends its next page when it has the answer to the last."""

    def __init__(self, port, bodies):
        self.port, self.bodies = port, bodies
        self.seconds, self.statuses, self.broken = [], {}, 0

    async def loop(self, numbers, until):
        reader = writer = None
        for number in numbers:
            if time.monotonic() > until:
                break
            try:
                if writer is None:
                    reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
                body = self.bodies[number % len(self.bodies)]
                start = time.perf_counter()
                writer.write(head(len(body)) + body)
                await writer.drain()
                status, _ = await asyncio.wait_for(answer(reader), 60)
                if status == 200:
                    self.seconds.append(time.perf_counter() - start)
                self.statuses[status] = self.statuses.get(status, 0) + 1
            except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
                self.broken += 1
                writer = None
                await asyncio.sleep(0.01)
        if writer is not None:
            writer.close()

    async def run(self, connections, requests, seconds):
        until, numbers = time.monotonic() + seconds, iter(range(requests))
        start = time.perf_counter()
        await asyncio.gather(*(self.loop(numbers, until) for _ in range(connections)))
        return time.perf_counter() - start

    def percentile(self, share):
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000


def extract(program, lines, threads):
    """Pages per second and processor time per page of `dehusk extract`: the same records without HTTP."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pages.jsonl")
        with open(path, "w") as file:
            file.writelines(json.dumps({"html": page["html"]}) + "\n" for page in lines)
        before = os.times()
        start = time.perf_counter()
        subprocess.run([program, "extract", path, "-o", os.path.join(folder, "out.jsonl"), "--threads", str(threads)], check=True, capture_output=True)
        took, after = time.perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return len(lines) / took, cpu / len(lines) * 1000


def rates(program, pages, bodies, rounds, out):
    """The service beside the program, in turns: other work on the machine disturbs both."""
    rows = {}
    for _ in range(rounds):
        for threads in (1, 2):
            rows.setdefault(f"`dehusk extract --threads {threads}`", []).append((*extract(program, pages, threads), None, None))
        for connections in (1, 8, 64):
            service = Service(program)
            asyncio.run(Load(service.port, bodies).run(2, 50, 30))
            load, before = Load(service.port, bodies), cpu_seconds(service.pid)
            took = asyncio.run(load.run(connections, len(bodies), 120))
            done = load.statuses.get(200, 0)
            cpu = (cpu_seconds(service.pid) - before) / max(done, 1) * 1000
            rows.setdefault(f"service, {connections} connections", []).append((done / took, cpu, load.percentile(0.5), load.percentile(0.99)))
            assert load.broken == 0 and set(load.statuses) == {200}, (load.broken, load.statuses)
            service.stop()
    median = lambda values: sorted(values)[len(values) // 2]
    out.append("| | pages/s | of one thread | CPU ms per page | p50 ms | p99 ms |\n|---|---|---|---|---|---|")
    one = median([row[0] for row in rows["`dehusk extract --threads 1`"]])
    for name, found in rows.items():
        cells = [median([row[number] for row in found]) if found[0][number] is not None else None for number in range(4)]
        shown = lambda value, digits: "" if value is None else f"{value:.{digits}f}"
        out.append(f"| {name} | {cells[0]:.0f} | {cells[0] / one:.2f} | {cells[1]:.2f} | {shown(cells[2], 1)} | {shown(cells[3], 1)} |")


async def watch(pid, samples):
    while True:
        samples.append(memory(pid))
        await asyncio.sleep(0.25)


def overload(program, bodies, out):
    """Ten times as many connections as there are places, none of which waits."""
    threads, queue = 2, 16
    service = Service(program, "--threads", str(threads), "--queue", str(queue))
    connections = 10 * (threads + queue)
    asyncio.run(Load(service.port, bodies).run(8, 1000, 60))
    before, samples, load = memory(service.pid), [], Load(service.port, bodies)

    async def both():
        watcher = asyncio.create_task(watch(service.pid, samples))
        took = await load.run(connections, 200_000, 30)
        watcher.cancel()
        return took

    took = asyncio.run(both())
    half = len(samples) // 2
    total = sum(load.statuses.values())
    out.append(
        f"{connections} connections that ask without a pause, {threads + queue} places (`--threads {threads} --queue {queue}`), {took:.0f} s: {total} answers, "
        f"{load.statuses.get(200, 0)} with 200, {load.statuses.get(429, 0)} with 429 ({load.statuses.get(429, 0) / total:.0%}), "
        f"{sum(count for status, count in load.statuses.items() if status not in (200, 429))} with another status, {load.broken} broken connections. "
        f"Memory (RSS): {before:.0f} MB before, at most {max(samples[:half]):.0f} MB in the first half and {max(samples[half:]):.0f} MB in the second, {memory(service.pid):.0f} MB after."
    )
    service.stop()


def slow_loris(program, bodies, out):
    """200 connections that send a byte of a head or a body now and then."""
    service = Service(program, "--read-timeout", "5", "--threads", "2")

    async def slow(number):
        reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
        text = head(10_000) + b"x" * 100 if number % 2 else b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"x" * 1000
        start, sent = time.monotonic(), 40 if number % 2 == 0 else 110
        writer.write(text[:sent])
        try:
            while time.monotonic() - start < 60:
                try:
                    if not await asyncio.wait_for(reader.read(1000), 0.5):
                        break
                except asyncio.TimeoutError:
                    writer.write(b"x")
        except OSError:
            pass
        writer.close()
        return time.monotonic() - start

    async def both():
        load = Load(service.port, bodies)
        slow_ones = [asyncio.create_task(slow(number)) for number in range(200)]
        await asyncio.sleep(0.5)
        await load.run(4, 2000, 4)
        return load, await asyncio.gather(*slow_ones)

    load, times = asyncio.run(both())
    out.append(
        f"Slow-loris: 200 connections that send a byte every half second, `--read-timeout 5`: the service cut all of them, the last after {max(times):.1f} s. "
        f"Meanwhile {load.statuses.get(200, 0)} other requests were answered with 200, {sum(load.statuses.values()) - load.statuses.get(200, 0)} otherwise, "
        f"{load.broken} broken; p50 {load.percentile(0.5):.1f} ms, p99 {load.percentile(0.99):.1f} ms with 4 connections."
    )
    service.stop()


def large_bodies(program, out):
    """1 GB, announced by Content-Length and in chunks, 20 times each."""
    service = Service(program)

    async def send(chunked):
        reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
        if chunked:
            writer.write(b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
        else:
            writer.write(head(1 << 30))
        block, sent = b"x" * (1 << 16), 0
        status = asyncio.create_task(answer(reader))
        try:
            while sent < 1 << 30 and not status.done():
                writer.write(b"%x\r\n%s\r\n" % (len(block), block) if chunked else block)
                await writer.drain()
                sent += len(block)
                await asyncio.sleep(0)
        except OSError:
            pass
        try:
            found = (await asyncio.wait_for(status, 10))[0]
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
            found = "no answer"
        writer.close()
        return found, sent

    before = memory(service.pid)
    for chunked in (False, True):
        found = [asyncio.run(send(chunked)) for _ in range(20)]
        statuses = sorted({str(status) for status, _ in found})
        kind = "in chunks" if chunked else "announced by Content-Length"
        out.append(f"1 GB bodies {kind}, 20 of them: answered {', '.join(statuses)}, after the client had sent at most {max(sent for _, sent in found) / 1e6:.1f} MB.")
    out.append(f"Memory (RSS): {before:.0f} MB before, {memory(service.pid):.0f} MB after, never more than {memory(service.pid, 'VmHWM'):.0f} MB.")
    service.stop()


def broken_chunks(program, out):
    """500 connections with chunks that are damaged at random."""
    service = Service(program, "--read-timeout", "5")
    random.seed(1)

    async def send(number):
        reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
        parts = bytearray(b"".join(b"%x\r\n%s\r\n" % (length, b"y" * length) for length in (5, 300, 20)) + b"0\r\n\r\n")
        for _ in range(1 + number % 5):
            place = random.randrange(len(parts))
            parts[place : place + random.randrange(3)] = bytes(random.randrange(256) for _ in range(random.randrange(4)))
        path = "/v1/batch" if number % 2 else "/v1/extract"
        writer.write(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + parts)
        try:
            start = await asyncio.wait_for(reader.read(12), 20)
        except (OSError, asyncio.TimeoutError):
            start = b""
        writer.close()
        return start[9:12].decode() or "closed"

    async def all_of_them():
        return await asyncio.gather(*(send(number) for number in range(500)))

    found = asyncio.run(all_of_them())
    counts = ", ".join(f"{found.count(status)} {status}" for status in sorted(set(found)))
    load = Load(service.port, [b"<p>x"])
    asyncio.run(load.run(1, 10, 10))
    out.append(f"Broken chunks: 500 connections, damaged at random: {counts} (some are still whole, and a batch begins its answer before its body is there; it is cut then). After that {load.statuses.get(200, 0)} of 10 sound requests were answered with 200.")
    service.stop()


def stopping(program, bodies, out):
    """SIGTERM under load, several times: what was answered, and what the service says."""
    rows = []
    for _ in range(5):
        service, load = Service(program, "--connections", "512"), None

        async def until_stopped():
            load = Load(service.port, bodies)
            asyncio.get_running_loop().call_later(2, lambda: os.kill(service.pid, signal.SIGTERM))
            await load.run(64, 200_000, 4)
            return load

        load = asyncio.run(until_stopped())
        (answered, ok, cut), code = service.wait()
        rows.append((load.statuses.get(200, 0), ok, sum(load.statuses.values()), answered, cut, code))
    received, counted = sum(row[0] for row in rows), sum(row[1] for row in rows)
    out.append(
        f"SIGTERM under load of 64 connections, 5 times: clients received {received} whole answers with 200, the service counted {counted}; of any status "
        f"{sum(row[2] for row in rows)} and {sum(row[3] for row in rows)}. Requests cut: {sum(row[4] for row in rows)}. Exit codes: {sorted({row[5] for row in rows})}. "
        f"Each time equal: {'yes' if all(row[0] == row[1] and row[2] == row[3] for row in rows) else 'NO'}."
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--pages", required=True)
    parser.add_argument("--count", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="one of the parts")
    parser.add_argument("--out")
    args = parser.parse_args()
    pages = read_pages(args.pages, args.count)
    bodies = [page["html"].encode() for page in pages]
    size = sum(map(len, bodies)) / len(bodies) / 1000
    out = [
        "# Load on `dehusk serve`",
        "",
        f"- Date: {time.strftime('%Y-%m-%d')}",
        "- Command: `eval/serve/load.py --program target/quick/dehusk --pages wcxb-dev.jsonl.zst --out docs/results/serve.md`",
        "- Build: profile `quick` (optimized, without link-time optimization)",
        f"- Corpus: {os.path.basename(args.pages)}, {len(bodies)} pages of {size:.0f} kB on average",
        f"- Machine: {os.cpu_count()} processors, shared by the service, the client (Python) and other programs (load average before the run {os.getloadavg()[0]:.1f}): compare rows of this run, "
        "not runs, and processor time rather than pages per second",
        "",
    ]
    parts = [
        ("Rates", lambda: rates(args.program, pages, bodies, args.rounds, out)),
        ("Overload", lambda: overload(args.program, bodies, out)),
        ("Slow clients", lambda: slow_loris(args.program, bodies, out)),
        ("Large bodies", lambda: large_bodies(args.program, out)),
        ("Broken chunks", lambda: broken_chunks(args.program, out)),
        ("Stopping", lambda: stopping(args.program, bodies, out)),
    ]
    for name, part in parts:
        if args.only and not name.lower().startswith(args.only.lower()):
            continue
        out.extend([f"## {name}", ""])
        first = len(out)
        part()
        print("\n".join(out[first:]), flush=True)
        out.append("")
    if args.out:
        with open(args.out, "w") as file:
            file.write("\n".join(out).rstrip() + "\n")


if __name__ == "__main__":
    main()
