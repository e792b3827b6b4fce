#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares our JSON with iproute2's, as sets by identity.

usage: json_compare.py [--volatile FILE] LINK OUR_LINK ADDRESS OUR_ADDRESS [VLAN OUR_VLAN]

LINK, ADDRESS and VLAN are what `ip -j -d link`, `ip -j addr` and `bridge -compressvlans -j vlan` print, OUR_* what we
print for the same. A file of {"link": [...], "address": [...], "vlan": [...]} may stand for all of ours. A key that we
print differently, lack, or have though iproute2 does not print it is an error. Lines of tests/volatile.txt (KEY reason...) name keys
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


def vlans(entries):
    return {e["ifname"]: e for e in entries}


def compare(what, theirs, ours, volatile):
    errors = []
    for key in sorted(set(theirs) | set(ours), key=str):
        if key not in theirs or key not in ours:
            errors.append(f"{what} {key}: only {'ours' if key in ours else 'iproute2'} has it")
            continue
        a, b = flatten(theirs[key]), flatten(ours[key])
        for path in sorted(set(a) | set(b)):
            if is_volatile(path, volatile):
                continue
            if path not in b:
                errors.append(f"{what} {key}: we lack {path} = {a[path]!r}")
            elif path not in a:
                errors.append(f"{what} {key}: {path} = {b[path]!r}, which iproute2 does not print")
            elif a[path] != b[path] or type(a[path]) is not type(b[path]):
                errors.append(f"{what} {key}: {path} is {a[path]!r}, not {b[path]!r}")
    return errors


def main():
    args = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    volatile = os.path.join(here, "..", "volatile.txt")
    if args[:1] == ["--volatile"]:
        volatile, args = args[1], args[2:]
    if len(args) not in (4, 6):
        sys.exit(__doc__)
    volatile = read_volatile(volatile)
    link, our_link = load(args[0], "link"), load(args[1], "link")
    address, our_address = load(args[2], "address"), load(args[3], "address")
    vlan, our_vlan = (load(args[4], "vlan"), load(args[5], "vlan")) if args[4:] else ([], [])
    errors = []
    for what, theirs, ours in (
        ("link", links(link), links(our_link)),
        ("address's link", links(address), links(our_address)),
        ("address", addresses(address), addresses(our_address)),
        ("vlans", vlans(vlan), vlans(our_vlan)),
    ):
        errors += compare(what, theirs, ours, volatile)
    for e in errors:
        print("error:", e)
    print(f"{len(link)} links, {len(addresses(address))} addresses, {len(vlan)} with VLANs, {len(errors)} errors")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
