#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""same_state.py NETNS NETNS: what differs between two namespaces to which the same was done, a line each; exit status 1
if anything does. Objects are compared as sets by what `ip -j -d` says of them, without what tests/volatile.txt and
state.py leave out, and what is chance: indexes, random link-layer addresses, and what is made of these."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from state import clean  # noqa: E402

CHANCE = {"ifindex", "link_index", "address", "permaddr", "link_netnsid", "ip6_addr_gen_mode"}
COMMANDS = ["link show", "addr show", "route show table all", "-6 route show table all", "rule show", "-6 rule show", "nexthop show",
            "neigh show nud permanent", "neigh show proxy"]


def ask(netns, command):
    out = subprocess.run(["ip", "-n", netns, "-j", "-d", *command.split()], capture_output=True, text=True, check=False).stdout
    return json.loads(out or "[]")


def is_chance(o):
    text = o.get("local") or o.get("dst") or ""
    return text.startswith("fe80:") or text.startswith("ff00::")


def strip(o):
    if isinstance(o, dict):
        return {k: strip(v) for k, v in o.items() if k not in CHANCE}
    if isinstance(o, list):
        return [strip(v) for v in o if not (isinstance(v, dict) and is_chance(v))]
    return o


def state(netns, command):
    return {json.dumps(clean(o), sort_keys=True) for o in strip(ask(netns, command)) if o}


def main():
    different = 0
    for command in COMMANDS:
        a, b = (state(n, command) for n in sys.argv[1:3])
        for text in sorted(a ^ b)[:6]:
            print(f"{command}: only in {sys.argv[1] if text in a else sys.argv[2]}: {text}")
        different += len(a ^ b)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
