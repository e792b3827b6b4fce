#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares our JSON with iproute2's, as sets of whole objects.

usage: json_sets.py OURS KEY=FILE[,FILE...]...

OURS is a file of {KEY: [...], ...}; each FILE is what `ip -j -d` or `bridge -j -d` prints for the same. Keys that
tests/volatile.txt names are left out of both (a dotted path from the object, or the end of one). iproute2 writes a
key twice into one object where an encapsulation has one that the route or next hop has as well; that of the
encapsulation is "encap_KEY" to us.
"""
import collections
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from json_compare import is_volatile, read_volatile  # noqa: E402


# Keys of an encapsulation that the object around it has as well: a route, which begins with its type, a next hop
# with its id.
TAKEN = {"type": ("dst", "tos", "table", "iif"), "id": ("id",)}


def name_apart(pairs):
    """An object of iproute2's with the keys behind "encap" as we call them."""
    first = pairs[0][0] if pairs else ""
    taken = TAKEN.get(first, ())
    out, inside = {}, False
    for key, value in pairs:
        # What follows the encapsulation; the route's TOS is a word.
        if key in ("gateway", "via", "dev") or (key == "tos" and isinstance(value, str)):
            inside = False
        name = f"encap_{key}" if inside and key in taken else key
        if name in out:
            sys.exit(f"error: {name} twice in {pairs}")
        out[name] = value
        inside = inside or key == "encap"
    return out


def without_repeats(pairs):
    out = dict(pairs)
    if len(out) != len(pairs):
        sys.exit(f"error: a key twice in {pairs}")
    return out


def strip(value, volatile, path=""):
    """value without volatile keys; lists are no part of the path."""
    if isinstance(value, dict):
        out = {}
        for key, v in value.items():
            p = f"{path}.{key}" if path else key
            if not is_volatile(p, volatile):
                out[key] = strip(v, volatile, p)
        return out
    if isinstance(value, list):
        return [strip(v, volatile, path) for v in value]
    return value


def load(path, hook):
    with open(path) as f:
        text = f.read()
    return json.loads(text, object_pairs_hook=hook) if text.strip() else []


def bag(objects, volatile):
    return collections.Counter(json.dumps(strip(o, volatile), sort_keys=True) for o in objects if o)


def main():
    if len(sys.argv) < 3 or not all("=" in a for a in sys.argv[2:]):
        sys.exit(__doc__)
    volatile = read_volatile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "volatile.txt"))
    ours = load(sys.argv[1], without_repeats)
    errors = 0
    counts = []
    for arg in sys.argv[2:]:
        key, files = arg.split("=", 1)
        theirs = bag([o for f in files.split(",") for o in load(f, name_apart)], volatile)
        mine = bag(ours[key], volatile)
        for o in sorted((theirs - mine).elements()):
            print(f"error: {key}: only iproute2 has {o}")
        for o in sorted((mine - theirs).elements()):
            print(f"error: {key}: only ours has     {o}")
        errors += (theirs - mine).total() + (mine - theirs).total()
        counts.append(f"{theirs.total()} {key}")
    print(f"{', '.join(counts)}: {errors} errors")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
