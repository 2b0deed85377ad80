#!/usr/bin/env python3
"""The questions of `robocensus scan`, answered with FastWARC, Protego and pyarrow: a peer to be timed against.

    fastwarc_protego.py INPUT... --agents FILE --probes FILE --out DIR [--memo] [--no-verdicts]

Inputs are .warc.gz files or folders of them. Every HTTP response becomes a row of captures.parquet; every body of a
2xx answer is parsed once and asked every agent x probe, which becomes that many rows of verdicts.parquet (body,
agent, probe, allowed). With --memo a body that was met before is not parsed again and has no rows of its own: a
fair peer of a tool that does the same. Agents and probes are plain text, one a line, `#` begins a comment.

Counts and CPU seconds (user and system, this process) are printed as one JSON object.
"""

import argparse
import array
import hashlib
import json
import os
import resource

import pyarrow as pa
import pyarrow.parquet as pq
from fastwarc.warc import ArchiveIterator, WarcRecordType
from protego import Protego

LIMIT = 512_000  # bytes of a robots.txt that count (RFC 9309, section 2.5)
ROWS = 1 << 20  # rows of a row group

CAPTURES = pa.schema([
    ("warc_filename", pa.string()),
    ("warc_record_offset", pa.int64()),
    ("url", pa.string()),
    ("fetch_time", pa.timestamp("us", "UTC")),
    ("fetch_status", pa.int16()),
    ("content_type", pa.string()),
    ("location", pa.string()),
    ("body_bytes", pa.int64()),
    ("body_key", pa.int64()),
    ("body_id", pa.binary(16)),
])
VERDICTS = pa.schema([("body_key", pa.int64()), ("agent", pa.int16()), ("probe", pa.int16()), ("allowed", pa.bool_())])


def lines(path):
    with open(path, encoding="utf-8") as file:
        stripped = (line.strip() for line in file)
        return [line for line in stripped if line and not line.startswith("#")]


def archives(inputs):
    for name in inputs:
        if os.path.isdir(name):
            for folder, below, files in os.walk(name):
                below.sort()
                yield from (os.path.join(folder, file) for file in sorted(files) if file.endswith(".warc.gz"))
        else:
            yield name


def column(kind, values):
    """An Arrow array over the bytes of an array.array, without a copy."""
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])


class Verdicts:
    """The long table, gathered in flat buffers and written a row group at a time."""

    def __init__(self, path, agents, probes):
        self.writer = pq.ParquetWriter(path, VERDICTS, compression="zstd", compression_level=1)
        self.pairs = len(agents) * len(probes)
        self.agents = array.array("h", [a for a in range(len(agents)) for _ in probes])
        self.probes = array.array("h", list(range(len(probes))) * len(agents))
        self.keys, self.answers = [], bytearray()

    def add(self, key, answers):
        self.keys.append(key)
        self.answers += answers
        if len(self.answers) >= ROWS:
            self.flush()

    def flush(self):
        count = len(self.keys)
        if not count:
            return
        keys = array.array("q", [key for key in self.keys for _ in range(self.pairs)])
        allowed = column(pa.uint8(), bytes(self.answers)).cast(pa.bool_())
        columns = [column(pa.int64(), keys), column(pa.int16(), self.agents * count), column(pa.int16(), self.probes * count), allowed]
        self.writer.write_table(pa.table(columns, schema=VERDICTS))
        self.keys, self.answers = [], bytearray()

    def close(self):
        self.flush()
        self.writer.close()


class Captures:
    """The table of captures, likewise."""

    def __init__(self, path):
        self.writer = pq.ParquetWriter(path, CAPTURES, compression="zstd", compression_level=1)
        self.rows = [[] for _ in CAPTURES]

    def add(self, row):
        for column_, value in zip(self.rows, row):
            column_.append(value)
        if len(self.rows[0]) >= ROWS // 16:
            self.flush()

    def flush(self):
        if self.rows[0]:
            arrays = [pa.array(values, field.type) for values, field in zip(self.rows, CAPTURES)]
            self.writer.write_table(pa.table(arrays, schema=CAPTURES))
            self.rows = [[] for _ in CAPTURES]

    def close(self):
        self.flush()
        self.writer.close()


def decide(body, agents, probes):
    """One byte an answer, probes in the inner loop."""
    robots = Protego.parse(body[:LIMIT].decode("utf-8", "replace"))
    ask = robots.can_fetch
    return bytes([ask(probe, agent) for agent in agents for probe in probes])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("--agents", required=True)
    parser.add_argument("--probes", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--memo", action="store_true", help="parse each distinct body once")
    parser.add_argument("--no-verdicts", action="store_true", help="read and write captures only")
    args = parser.parse_args()
    agents, probes = lines(args.agents), lines(args.probes)
    os.makedirs(args.out, exist_ok=True)
    captures = Captures(os.path.join(args.out, "captures.parquet"))
    verdicts = None if args.no_verdicts else Verdicts(os.path.join(args.out, "verdicts.parquet"), agents, probes)
    keys, total = {}, dict.fromkeys(("files", "captures", "bodies", "parsed", "verdicts", "disallowed", "failed"), 0)
    for path in archives(args.inputs):
        total["files"] += 1
        with open(path, "rb") as file:
            for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
                http = record.http_headers
                if http is None:
                    continue
                body = record.reader.read()
                status = http.status_code
                total["captures"] += 1
                key = identity = None
                if status is not None and 200 <= status < 300:
                    total["bodies"] += 1
                    identity = hashlib.md5(body, usedforsecurity=False).digest()
                    key = keys.get(identity)
                    if key is None or not args.memo:
                        if key is None:
                            keys[identity] = len(keys)
                        key = total["parsed"]
                        if args.memo:
                            keys[identity] = key
                        total["parsed"] += 1
                        if verdicts is not None:
                            try:
                                answers = decide(body, agents, probes)
                            except Exception:  # one body must not end the run
                                total["failed"] += 1
                                answers = bytes([1]) * verdicts.pairs
                            verdicts.add(key, answers)
                            total["verdicts"] += len(answers)
                            total["disallowed"] += answers.count(0)
                row = (
                    path, record.stream_pos, record.headers.get("WARC-Target-URI"), record.record_date, status,
                    http.get("Content-Type"), http.get("Location"), len(body), key, identity,
                )
                captures.add(row)
    captures.close()
    if verdicts is not None:
        verdicts.close()
    used = resource.getrusage(resource.RUSAGE_SELF)
    total.update(distinct=len(keys), agents=len(agents), probes=len(probes), memo=args.memo)
    total.update(user_seconds=round(used.ru_utime, 2), system_seconds=round(used.ru_stime, 2), peak_mib=used.ru_maxrss >> 10)
    print(json.dumps(total))


if __name__ == "__main__":
    main()
