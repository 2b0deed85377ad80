#!/usr/bin/env python3
"""Answers questions about robots.txt files with CPython's own parser, for comparison with the dialect `python`.

Reads a JSON object a line on standard input, {"body_b64": ..., "agents": [...], "urls": [...]}, and writes a line of text for each:

    A and D   may and may not be fetched, agents in the outer loop, urls in the inner one; E where can_fetch raises
    !Name     parse raises this exception, so there is no answer at all

Bytes are decoded as UTF-8 with U+FFFD for what is not. The first line of output is the version of Python.

An answer depends on the agent only by the first entry that applies to it. So of agents with the same entry can_fetch is asked for
the first one, and for the others for one URL each, in turn; with --every it is asked for all.
"""

import base64
import json
import sys
import urllib.robotparser


def entry_of(parser, agent):
    """The number of the first entry that applies to an agent; -1 for the default one or none."""
    for number, entry in enumerate(parser.entries):
        if entry.applies_to(agent):
            return number
    return -1


def ask(parser, agent, url):
    try:
        return "A" if parser.can_fetch(agent, url) else "D"
    except ValueError:
        return "E"


def answers(question, every):
    parser = urllib.robotparser.RobotFileParser()
    text = base64.b64decode(question["body_b64"]).decode("utf-8", errors="replace")
    try:
        parser.parse(text.splitlines())
    except ValueError as error:
        return "!" + type(error).__name__
    urls = question["urls"]
    rows = []
    by_entry = {}
    for number, agent in enumerate(question["agents"]):
        entry = entry_of(parser, agent)
        known = by_entry.get(entry)
        if known is None or every:
            row = [ask(parser, agent, url) for url in urls]
            by_entry[entry] = row
        else:
            row = list(known)
            at = number % len(urls)
            row[at] = ask(parser, agent, urls[at])
        rows.append("".join(row))
    return "".join(rows)


def main():
    every = "--every" in sys.argv[1:]
    out = sys.stdout
    out.write(".".join(str(part) for part in sys.version_info[:3]) + "\n")
    out.flush()
    for line in sys.stdin:
        out.write(answers(json.loads(line), every) + "\n")


if __name__ == "__main__":
    main()
