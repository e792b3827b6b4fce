#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares our JSON with iproute2's, as sets by identity.

usage: json_compare.py [--volatile FILE] LINK OUR_LINK ADDRESS OUR_ADDRESS

LINK and ADDRESS are what `ip -j -d link` and `ip -j addr` print, OUR_* what we print for the same. A
file of {"link": [...], "address": [...]} may stand for both of ours. A key that we print differently, or that iproute2
does not print, is an error; one that we lack is a notice. Lines of tests/volatile.txt (KEY reason...) name keys
to leave out: KEY is a dotted path from the object, or a part of its end.
"""
import json
import os
import sys


def flatten(value, path=""):
    """Gives {path: leaf}; lists of words are leaves, sorted where their order is no information."""
    out = {}
    if isinstance(value, dict):
        if not value:
            out[path + "{}"] = {}
        for key, v in value.items():
            out.update(flatten(v, f"{path}.{key}" if path else key))
    elif isinstance(value, list) and path.endswith(("altnames", "macaddr_data")):
        out[path] = sorted(value)
    else:
        out[path] = value
    return out


def read_volatile(path):
    with open(path) as f:
        return [line.split(None, 1)[0] for line in f if line.strip() and not line.startswith("#")]


def is_volatile(path, volatile):
    return any(path == key or path.endswith("." + key) for key in volatile)


def load(path, part):
    with open(path) as f:
        data = json.load(f)
    return data[part] if isinstance(data, dict) else data


def addresses(entries):
    """Gives address entries by (ifindex, local, prefixlen, peer)."""
    out = {}
    for link in entries:
        for a in link.get("addr_info", []):
            key = (link["ifindex"], a.get("local"), a.get("prefixlen"), a.get("address"))
            out[key] = {"addr_info": a}
    return out


def links(entries):
    return {e["ifindex"]: {k: v for k, v in e.items() if k != "addr_info"} for e in entries}


def compare(what, theirs, ours, volatile):
    errors, notices = [], []
    for key in sorted(set(theirs) | set(ours), key=str):
        if key not in theirs or key not in ours:
            errors.append(f"{what} {key}: only {'ours' if key in ours else 'iproute2'} has it")
            continue
        a, b = flatten(theirs[key]), flatten(ours[key])
        for path in sorted(set(a) | set(b)):
            if is_volatile(path, volatile):
                continue
            if path not in b:
                notices.append(f"{what} {key}: we lack {path} = {a[path]!r}")
            elif path not in a:
                errors.append(f"{what} {key}: {path} = {b[path]!r}, which iproute2 does not print")
            elif a[path] != b[path] or type(a[path]) is not type(b[path]):
                errors.append(f"{what} {key}: {path} is {a[path]!r}, not {b[path]!r}")
    return errors, notices


def main():
    args = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    volatile = os.path.join(here, "..", "volatile.txt")
    if args[:1] == ["--volatile"]:
        volatile, args = args[1], args[2:]
    if len(args) != 4:
        sys.exit(__doc__)
    volatile = read_volatile(volatile)
    link, our_link = load(args[0], "link"), load(args[1], "link")
    address, our_address = load(args[2], "address"), load(args[3], "address")
    errors, notices = [], []
    for what, theirs, ours in (
        ("link", links(link), links(our_link)),
        ("address's link", links(address), links(our_address)),
        ("address", addresses(address), addresses(our_address)),
    ):
        e, n = compare(what, theirs, ours, volatile)
        errors += e
        notices += n
    for n in notices:
        print("notice:", n)
    for e in errors:
        print("error:", e)
    print(f"{len(link)} links, {len(addresses(address))} addresses, "
          f"{len(errors)} errors, {len(notices)} notices")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
