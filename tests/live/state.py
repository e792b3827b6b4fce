#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""state.py BEFORE AFTER: what of two outputs of tests/live/state.sh differs, a line each. Objects are compared as sets,
each whole, without the keys of tests/volatile.txt and of those below. Exit status 1 if anything does."""

import json
import os
import sys

# State of the moment, which no way back can bring back at once, or at all; each with its reason.
MOMENTARY = {
    "operstate": "follows the carrier, in its own time",
    "qdisc": "noop while a link has never been up",
    "tso_max_size": "a bridge takes it from a port and keeps it when the port leaves",
    "no": "of a bridge's port: the lowest that is free when it joins",
    "id": "likewise",
    "designated_port": "likewise",
    "promiscuity": "counted by who listens",
    "allmulti": "likewise",
}
# In flags: the same as operstate.
MOMENTARY_FLAGS = {"NO-CARRIER", "LOWER_UP", "M-DOWN", "linkdown", "PROMISC", "ALLMULTI"}


def volatile():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "volatile.txt")
    with open(path, encoding="utf-8") as f:
        return [line.split()[0] for line in f if line.strip() and line[0] != "#"]


VOLATILE = volatile()


def is_volatile(path):
    return any(path == key or path.endswith("." + key) for key in VOLATILE)


def is_momentary_key(key, path):
    if key in ("no", "id", "designated_port"):
        return path.endswith("info_slave_data")
    return key in MOMENTARY


def clean(value, path=""):
    if isinstance(value, dict):
        return {
            k: clean(v, f"{path}.{k}" if path else k)
            for k, v in sorted(value.items())
            if not is_momentary_key(k, path) and not is_volatile(f"{path}.{k}" if path else k)
        }
    if isinstance(value, list):
        if path.endswith("flags"):
            return sorted(str(v) for v in value if v not in MOMENTARY_FLAGS)
        return sorted((clean(v, path) for v in value), key=lambda v: json.dumps(v, sort_keys=True))
    return value


def is_momentary(what, o):
    """Routes that the kernel makes for its own link-local addresses, and for IPv6 when the carrier is there."""
    if "route" not in what or o.get("protocol") != "kernel" or ":" not in o.get("dst", ""):
        return False
    return o["dst"].startswith(("fe80:", "ff00:")) or o.get("type") in ("local", "anycast", "multicast")


def drop_link_local(o):
    if isinstance(o, dict) and "addr_info" in o:
        o["addr_info"] = [
            a
            for a in o["addr_info"]
            if not (a.get("family") == "inet6" and a.get("scope") == "link" and "kernel" in a.get("protocol", "kernel"))
        ]
        for a in o["addr_info"]:
            a.pop("tentative", None)
    return o


def objects_of(where, what, values):
    """One line for each object of what a command said of a namespace."""
    return {
        f"{where} {what}: {json.dumps(clean(drop_link_local(o)), sort_keys=True)}"
        for o in values
        if o and not is_momentary(what, o)
    }


def load(path):
    objects, where, what = set(), "", ""
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.strip()
            if line.startswith(("netns", "no netns")):
                where = line
                objects.add(line)
            elif line.startswith(("ip ", "bridge ")):
                what = line
            elif line:
                objects |= objects_of(where, what, json.loads(line))
    return objects


def flat(value, path=""):
    if isinstance(value, dict):
        for k, v in value.items():
            yield from flat(v, f"{path}.{k}" if path else k)
    elif isinstance(value, list):
        for v in value:
            yield f"{path} {json.dumps(v, sort_keys=True)}"
    else:
        yield f"{path} {json.dumps(value)}"


def identity(text):
    """What stands for the same thing before and after: only to tell what differs in it."""
    head, _, body = text.partition(": ")
    if not body:
        return text
    o = json.loads(body)
    return head, o.get("ifname"), o.get("table"), o.get("dst"), o.get("priority") if "rule" in head else o.get("id")


def differences(before, after):
    """What of two sets of objects differs, a line each."""
    gone = {identity(t): t for t in before - after}
    new = {identity(t): t for t in after - before}
    for i in sorted(gone.keys() | new.keys(), key=str):
        a, b = gone.get(i), new.get(i)
        if not a or not b or ": " not in a:
            yield f"{'-' if a else '+'} {a or b}"
            continue
        x, y = (set(flat(json.loads(t.partition(": ")[2]))) for t in (a, b))
        yield " ".join([i[0], str(i[1] or i[3] or i[4]), "was:", *sorted(x - y), "is:", *sorted(y - x)])


def main():
    before, after = load(sys.argv[1]), load(sys.argv[2])
    for line in differences(before, after):
        print(line)
    return before != after


if __name__ == "__main__":
    sys.exit(main())
