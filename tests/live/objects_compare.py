#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares two lists of JSON objects as sets: every object of one must be in the other, with the same members.

usage: objects_compare.py THEIRS OURS [KEY...]

Members named KEY are left out wherever they are.
"""
import collections
import json
import sys


def without(value, keys):
    if isinstance(value, dict):
        return {k: without(v, keys) for k, v in value.items() if k not in keys}
    if isinstance(value, list):
        return [without(v, keys) for v in value]
    return value


def load(path, keys):
    with open(path) as f:
        return collections.Counter(json.dumps(without(o, keys), sort_keys=True) for o in json.load(f) if o)


def main():
    keys = set(sys.argv[3:])
    theirs, ours = load(sys.argv[1], keys), load(sys.argv[2], keys)
    for text, n in sorted((theirs - ours).items()):
        print(f'they: {n} x {text}')
    for text, n in sorted((ours - theirs).items()):
        print(f'we:   {n} x {text}')
    print(f'{sum(ours.values())} objects')
    return theirs != ours or not ours


if __name__ == '__main__':
    sys.exit(main())
